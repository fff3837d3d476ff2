"""Forms that Telegram's people fill in one field at a time, and the bot's list of commands."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "telegram.step": ("{title}（{n}/{total}）", "{title} ({n} of {total})"),
    "telegram.stands": ("目前：{value}", "Now: {value}"),
    "telegram.steer": (
        "请回复这条消息。{ways}",
        "Please reply to this message. {ways}",
    ),
    "telegram.lines_too": ("可以写多行。", "Several lines are fine."),
    "telegram.way_back": ("/back 上一项", "/back to the one before"),
    "telegram.way_skip": ("/skip 跳过", "/skip to leave it out"),
    "telegram.way_keep": ("/skip 保留目前的值", "/skip to keep what stands"),
    "telegram.way_clear": ("/clear 清空", "/clear to empty it"),
    "telegram.choose": ("请选择：", "Please choose:"),
    "telegram.back": ("‹ 上一项", "‹ Back"),
    "telegram.skip": ("跳过", "Skip"),
    "telegram.keep": ("保留「{value}」", "Keep “{value}”"),
    "telegram.clear": ("清空", "Leave empty"),
    "telegram.summary": ("请核对，然后提交：", "Please check, then send:"),
    "telegram.empty": ("（未填写）", "(left empty)"),
    "telegram.previous": ("‹ 上一页", "‹ Previous"),
    "telegram.next": ("下一页 ›", "Next ›"),
    "telegram.dropped": ("已取消填写，没有提交。", "Dropped; nothing was sent."),
    "telegram.sent": ("已提交。", "Sent."),
    "telegram.form_gone": (
        "这份表单不是您的，或已不再有效。请在卡片上再点一次按钮。",
        "This form is not yours, or no longer open. Please tap the card's button again.",
    ),
    "telegram.first": (
        "这已经是第一项。",
        "This is the first one.",
    ),
    "telegram.needed": ("这一项必须填写。", "This one is needed."),
    "telegram.working": ("收到，正在处理……", "Received, working on it…"),
    "telegram.told_in_private": (
        "已在私聊中回答您。",
        "I have answered you in our private chat.",
    ),
    "telegram.open_private": (
        "请先打开与我的私聊并发送 /start，再问一次。",
        "Please open a private chat with me, send /start there, and ask again.",
    ),
    "telegram.command.pending": ("等我处理的卡片", "What waits for me"),
    "telegram.command.runs": ("进行中的流程", "What is under way here"),
    "telegram.command.cancel": ("取消我的流程", "Cancel my run"),
    "telegram.command.stop": ("停止我的任务", "Stop my jobs"),
    "telegram.command.recover": ("继续停下的任务", "Let stopped jobs go on"),
    "telegram.command.help": ("我能做什么", "What I can do"),
}
