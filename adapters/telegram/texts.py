"""What people read in Telegram alone, and what they call it, by language."""

from typing import Final

from cards.model import Lang

_ZH: Final[dict[str, str]] = {
    "telegram.step": "{title}（{n}/{total}）",
    "telegram.stands": "目前：{value}",
    "telegram.steer": "请回复这条消息。{ways}",
    "telegram.send_file": "请把文件（文档或照片）作为回复发来，或填写之前发过的文件名，例如 a.pdf",
    "telegram.file_too": "请发送文件（文档或照片），或之前发过的文件名。",
    "telegram.lines_too": "可以写多行。",
    "telegram.way_back": "/back 上一项",
    "telegram.way_skip": "/skip 跳过",
    "telegram.way_keep": "/skip 保留目前的值",
    "telegram.way_clear": "/clear 清空",
    "telegram.choose": "请选择：",
    "telegram.back": "‹ 上一项",
    "telegram.skip": "跳过",
    "telegram.keep": "保留「{value}」",
    "telegram.clear": "清空",
    "telegram.summary": "请核对，然后提交：",
    "telegram.empty": "（未填写）",
    "telegram.previous": "‹ 上一页",
    "telegram.next": "下一页 ›",
    "telegram.dropped": "已取消填写，没有提交。",
    "telegram.sent": "已提交。",
    "telegram.form_gone": "这份表单不是您的，或已不再有效。请在卡片上再点一次按钮。",
    "telegram.first": "这已经是第一项。",
    "telegram.needed": "这一项必须填写。",
    "telegram.working": "收到，正在处理……",
    "telegram.told_in_private": "已在私聊中回答您。",
    "telegram.open_private": "请先打开与我的私聊并发送 /start，再问一次。",
    "telegram.command.pending": "等我处理的卡片",
    "telegram.command.mine": "我的请求和结果",
    "telegram.command.case": "这里的案例的全部内容",
    "telegram.command.runs": "我进行中的流程",
    "telegram.command.why": "上一条消息是怎么理解的",
    "telegram.command.cancel": "取消我的流程",
    "telegram.command.stop": "停止我的任务",
    "telegram.command.recover": "继续停下的任务",
    "telegram.command.help": "我能做什么",
    "telegram.cut": "……（内容过长，其余从略）",
    "telegram.cut_file": "……（内容过长，全文见附件）",
    "telegram.reply_one": "请回复这条消息。",
    "telegram.reply_lines": "请回复这条消息，每行一项，写成「名称：值」。",
    "telegram.optional": "选填",
    "telegram.mend": "还有需要修改的地方：",
    "place.telegram": "Telegram",
}
_EN: Final[dict[str, str]] = {
    "telegram.step": "{title} ({n} of {total})",
    "telegram.stands": "Now: {value}",
    "telegram.steer": "Please reply to this message. {ways}",
    "telegram.send_file": (
        "Please send the file, as a document or a photo, or the name of one sent before, as in "
        "a.pdf"
    ),
    "telegram.file_too": "Send a document or a photo, or the name of a file sent before.",
    "telegram.lines_too": "Several lines are fine.",
    "telegram.way_back": "/back to the one before",
    "telegram.way_skip": "/skip to leave it out",
    "telegram.way_keep": "/skip to keep what stands",
    "telegram.way_clear": "/clear to empty it",
    "telegram.choose": "Please choose:",
    "telegram.back": "‹ Back",
    "telegram.skip": "Skip",
    "telegram.keep": "Keep “{value}”",
    "telegram.clear": "Leave empty",
    "telegram.summary": "Please check, then send:",
    "telegram.empty": "(left empty)",
    "telegram.previous": "‹ Previous",
    "telegram.next": "Next ›",
    "telegram.dropped": "Dropped; nothing was sent.",
    "telegram.sent": "Sent.",
    "telegram.form_gone": (
        "This form is not yours, or no longer open. Please tap the card's button again."
    ),
    "telegram.first": "This is the first one.",
    "telegram.needed": "This one is needed.",
    "telegram.working": "Received, working on it…",
    "telegram.told_in_private": "I have answered you in our private chat.",
    "telegram.open_private": (
        "Please open a private chat with me, send /start there, and ask again."
    ),
    "telegram.command.pending": "What waits for me",
    "telegram.command.mine": "My requests, and how they ended",
    "telegram.command.case": "All that is known of the case here",
    "telegram.command.runs": "What I have under way",
    "telegram.command.why": "How my last message was read",
    "telegram.command.cancel": "Cancel my run",
    "telegram.command.stop": "Stop my jobs",
    "telegram.command.recover": "Let stopped jobs go on",
    "telegram.command.help": "What I can do",
    "telegram.cut": "… (too long; the rest is left out)",
    "telegram.cut_file": "… (too long; the whole text is attached as a file)",
    "telegram.reply_one": "Please reply to this message.",
    "telegram.reply_lines": (
        'Please reply to this message with one line for each, as "name: value".'
    ),
    "telegram.optional": "optional",
    "telegram.mend": "This needs to be put right first:",
    "place.telegram": "Telegram",
}

TEXTS: Final[dict[Lang, dict[str, str]]] = {"zh": _ZH, "en": _EN}
