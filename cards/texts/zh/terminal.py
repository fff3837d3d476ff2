"""What the terminal client says of its own: `signoff ask` and `signoff chat`."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "terminal.no_service": "{url} 没有服务应答。请先启动：signoff run（或用 --url 指定地址）",
    "terminal.refused": "服务没有接受：{why}",
    "terminal.sign_in": "这个服务需要登录：先运行 signoff people link PERSON，再加上 --link LINK",
    "terminal.older": "服务的版本较旧，没有说明哪条是回复；请更新服务",
    "terminal.not_settled": "{seconds} 秒内没有完成；之后可以查看：{command}",
    "terminal.go_on": "继续办理：{command}",
    "terminal.more_wait": "另有 {count} 张卡片等你处理：{command}，然后输入 /pending",
    "terminal.here": (
        "你是 {name}，房间 {room}。直接输入消息；输入编号即选择；/help 看命令；Ctrl-D 结束。"
    ),
    "terminal.earlier": "（更早的 {count} 条没有显示）",
    "terminal.said": "{name}：{text}",
    "terminal.gone": "编号 {number} 的卡片已经关闭。",
    "terminal.received": "收到了。",
    "terminal.not_sent": "没有送到，请再试一次。",
    "terminal.form": (
        "逐项填写；直接回车保留方括号里的内容，- 清空，/back 返回上一项，/cancel 放弃。"
    ),
    "terminal.form_left": "没有提交。",
    "terminal.optional": "选填",
    "terminal.file": "路径（如 ./a.pdf），或之前发过的文件名",
    "terminal.no_file": "这里没有可以读取的文件 {path}。",
    "terminal.needed": "这一项必须填写。",
    "terminal.fix": "还有需要修改的地方：",
    "terminal.options": "可选：{options}",
    "terminal.problems": "发现的问题：",
    "terminal.kind.clarify": "补充信息",
    "terminal.kind.confirm": "签核",
    "terminal.kind.select": "选择",
    "terminal.kind.phase_done": "阶段完成",
    "terminal.kind.run": "流程",
    "terminal.state.working": "处理中",
    "terminal.state.waiting": "等待中",
    "terminal.state.answered": "已回答",
    "terminal.state.needs_you": "需要你",
    "terminal.state.in_review": "等待审核",
    "terminal.state.done": "已完成",
    "terminal.state.rejected": "已被驳回",
    "terminal.state.refused": "未通过",
    "terminal.state.failed": "未成功",
    "terminal.state.withdrawn": "已放弃",
    "terminal.state.cancelled": "已取消",
    "terminal.state.expired": "已过期",
}
