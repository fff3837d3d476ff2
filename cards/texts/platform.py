"""What a platform's room adds of its own."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "slack.no_form": ("表单没有打开，请再点一次。", "The form did not open. Please tap again."),
    "slack.more_buttons": ("（还有 {count} 个按钮未显示）", "({count} more buttons not shown)"),
    "slack.shortened": (
        "（已缩短：省略了 {count} 个字符）",
        "(shortened: {count} characters left out)",
    ),
    "slack.close": ("关闭", "Close"),
    "slack.result": ("结果", "Result"),
    "file.attached": ("全文见附件。", "The whole text is attached as a file."),
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
