"""What a platform's room adds of its own."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "slack.no_form": "表单没有打开，请再点一次。",
    "slack.late_form": "表单没有及时打开。如果没有看到，请再点一次。",
    "slack.more_buttons": "（还有 {count} 个按钮未显示）",
    "slack.shortened": "（已缩短：省略了 {count} 个字符）",
    "slack.working": "正在处理…",
    "slack.choose": "请选择",
    "slack.home_waiting": "等您处理",
    "slack.home_more": "还有更多：发送 /pending 可以逐页查看。",
    "slack.home_runs": "您发起的流程",
    "slack.home_run": "{name}：{state}",
    "slack.close": "关闭",
    "slack.result": "结果",
    "file.attached": "全文见附件。",
    "unshown.command": "这里显示不了这条消息的内容。发送 {command} 可以查看。",
    "unshown.link": "这里显示不了这条消息的内容。可以在 {link} 查看，或发送 {command}。",
    "slack.answer_there": "收到。回答会发到你与我的私信里。",
    "slack.no_text": "这条消息没有文字可以问。",
    "edited.message": (
        "「{text}」：这条消息改晚了，我已按原来的内容处理。要改的话，请再发一条新消息。"
    ),
    "edited.form": (
        "「{text}」：这条回答改晚了，我已按原来的内容收下。要改的话，请重新回答那个问题。"
    ),
    "stranger.told": "我还不认识您的账号 {account}，所以不能为您查询或办理；请找{ask}开通。",
    "stranger.ask": "负责本服务的人",
    "telegram.cut": "……（内容过长，其余从略）",
    "telegram.cut_file": "……（内容过长，全文见附件）",
    "telegram.reply_one": "请回复这条消息。",
    "telegram.reply_lines": "请回复这条消息，每行一项，写成「名称：值」。",
    "telegram.optional": "选填",
    "telegram.mend": "还有需要修改的地方：",
}
