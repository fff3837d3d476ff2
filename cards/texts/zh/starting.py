"""What is asked and told when somebody makes a project folder, in Chinese."""

TEXTS = {
    "init.languages": "机器人使用的语言，用逗号分隔：en, zh",
    "init.made": "{folder} 已建好。接下来：",
    "init.name": "您的名字",
    "init.request": "人们首先会请它做什么",
    "init.request_also": "同一件事用 {language} 怎么说",
    "init.robin": "罗宾",
    "init.sam": "小山",
    "init.somebody": "小林",
    "init.then": "然后在网页聊天或终端里输入：{phrase}",
    "init.usual_request": "申请办公用品",
    "init.zone_taken": "日期按本机的时区 {zone} 计算，写在 signoff.yaml 里。",
    "init.timezone": "时区",
}
