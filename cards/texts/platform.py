"""What a platform's room adds of its own."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "slack.no_form": ("表单没有打开，请再点一次。", "The form did not open. Please tap again."),
    "slack.late_form": (
        "表单没有及时打开。如果没有看到，请再点一次。",
        "The form did not open in time. If you do not see it, please tap again.",
    ),
    "slack.more_buttons": ("（还有 {count} 个按钮未显示）", "({count} more buttons not shown)"),
    "slack.shortened": (
        "（已缩短：省略了 {count} 个字符）",
        "(shortened: {count} characters left out)",
    ),
    "slack.working": ("正在处理…", "is working on it…"),
    "slack.choose": ("请选择", "Choose"),
    "slack.home_waiting": ("等您处理", "Waiting for you"),
    "slack.home_more": (
        "还有更多：发送 /pending 可以逐页查看。",
        "There is more: /pending lists it page by page.",
    ),
    "slack.home_runs": ("您发起的流程", "What you have under way"),
    "slack.home_run": ("{name}：{state}", "{name}: {state}"),
    "slack.close": ("关闭", "Close"),
    "slack.result": ("结果", "Result"),
    "file.attached": ("全文见附件。", "The whole text is attached as a file."),
    "unshown.command": (
        "这里显示不了这条消息的内容。发送 {command} 可以查看。",
        "What this message says cannot be shown here. Send {command} to see it.",
    ),
    "unshown.link": (
        "这里显示不了这条消息的内容。可以在 {link} 查看，或发送 {command}。",
        "What this message says cannot be shown here. See it at {link}, or send {command}.",
    ),
    "slack.answer_there": (
        "收到。回答会发到你与我的私信里。",
        "Got it. The answer comes in your direct messages with me.",
    ),
    "slack.no_text": (
        "这条消息没有文字可以问。",
        "That message has no text to ask about.",
    ),
    "edited.message": (
        "「{text}」：这条消息改晚了，我已按原来的内容处理。要改的话，请再发一条新消息。",
        "“{text}”: this edit came too late, I took the message as it first was."
        " To ask for something else, send it as a new message.",
    ),
    "edited.form": (
        "「{text}」：这条回答改晚了，我已按原来的内容收下。要改的话，请重新回答那个问题。",
        "“{text}”: this edit came too late, I took the answer as it first was."
        " To change it, answer that question again.",
    ),
    "stranger.told": (
        "我还不认识您的账号 {account}，所以不能为您查询或办理；请找{ask}开通。",
        "I do not know your account {account}, so I can look up and start nothing for you;"
        " please ask {ask} to let you in.",
    ),
    "stranger.ask": ("负责本服务的人", "whoever runs this service"),
    "telegram.cut": ("……（内容过长，其余从略）", "… (too long; the rest is left out)"),
    "telegram.cut_file": (
        "……（内容过长，全文见附件）",
        "… (too long; the whole text is attached as a file)",
    ),
    "telegram.reply_one": ("请回复这条消息。", "Please reply to this message."),
    "telegram.reply_lines": (
        "请回复这条消息，每行一项，写成「名称：值」。",
        'Please reply to this message with one line for each, as "name: value".',
    ),
    "telegram.optional": ("选填", "optional"),
    "telegram.mend": ("还有需要修改的地方：", "This needs to be put right first:"),
}
