"""What the terminal client says of its own: `signoff ask` and `signoff chat`."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "terminal.no_service": (
        "{url} 没有服务应答。请先启动：signoff run（或用 --url 指定地址）",
        "no service answers at {url}; start one with `signoff run`, or name it with --url",
    ),
    "terminal.refused": ("服务没有接受：{why}", "the service refused this: {why}"),
    "terminal.sign_in": (
        "这个服务需要登录：先运行 signoff people link PERSON，再加上 --link LINK",
        "this service wants people to sign in: `signoff people link PERSON`, then --link LINK",
    ),
    "terminal.older": (
        "服务的版本较旧，没有说明哪条是回复；请更新服务",
        "the service is of an older version and does not say which reply is yours; update it",
    ),
    "terminal.not_settled": (
        "{seconds} 秒内没有完成；之后可以查看：{command}",
        "not finished within {seconds} s; look later with: {command}",
    ),
    "terminal.go_on": ("继续办理：{command}", "to choose: {command}"),
    "terminal.more_wait": (
        "另有 {count} 张卡片等你处理：{command}，然后输入 /pending",
        "{count} more cards wait for you: {command}, then /pending",
    ),
    "terminal.here": (
        "你是 {name}，房间 {room}。直接输入消息；输入编号即选择；/help 看命令；Ctrl-D 结束。",
        "You are {name}, in room {room}. Type a message, or the number of a choice; "
        "/help lists commands, Ctrl-D ends.",
    ),
    "terminal.earlier": ("（更早的 {count} 条没有显示）", "({count} earlier messages not shown)"),
    "terminal.said": ("{name}：{text}", "{name}: {text}"),
    "terminal.gone": ("编号 {number} 的卡片已经关闭。", "The card of number {number} is closed."),
    "terminal.received": ("收到了。", "Received."),
    "terminal.not_sent": (
        "没有送到，请再试一次。",
        "That did not get through; please try again.",
    ),
    "terminal.form": (
        "逐项填写；直接回车保留方括号里的内容，- 清空，/back 返回上一项，/cancel 放弃。",
        "One by one. Enter keeps what stands in brackets, - empties it, /back goes one back, "
        "/cancel leaves the form.",
    ),
    "terminal.form_left": ("没有提交。", "Nothing was sent."),
    "terminal.optional": ("选填", "optional"),
    "terminal.needed": ("这一项必须填写。", "This one is needed."),
    "terminal.fix": ("还有需要修改的地方：", "This needs to be put right first:"),
    "terminal.options": ("可选：{options}", "one of: {options}"),
    "terminal.problems": ("发现的问题：", "Problems found:"),
    "terminal.kind.clarify": ("补充信息", "Details"),
    "terminal.kind.confirm": ("签核", "Sign-off"),
    "terminal.kind.select": ("选择", "Choose"),
    "terminal.kind.phase_done": ("阶段完成", "Phase complete"),
    "terminal.state.working": ("处理中", "working"),
    "terminal.state.waiting": ("等待中", "waiting"),
    "terminal.state.answered": ("已回答", "answered"),
    "terminal.state.needs_you": ("需要你", "needs you"),
    "terminal.state.in_review": ("等待审核", "in review"),
    "terminal.state.done": ("已完成", "done"),
    "terminal.state.rejected": ("已被驳回", "rejected"),
    "terminal.state.refused": ("未通过", "refused"),
    "terminal.state.failed": ("未成功", "failed"),
    "terminal.state.withdrawn": ("已放弃", "withdrawn"),
    "terminal.state.cancelled": ("已取消", "cancelled"),
    "terminal.state.expired": ("已过期", "expired"),
}
