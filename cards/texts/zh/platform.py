"""What is said of messages and files on every platform, and to strangers."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "file.attached": "全文见附件。",
    "unshown.command": "这里显示不了这条消息的内容。发送 {command} 可以查看。",
    "unshown.link": "这里显示不了这条消息的内容。可以在 {link} 查看，或发送 {command}。",
    "edited.message": (
        "「{text}」：这条消息改晚了，我已按原来的内容处理。要改的话，请再发一条新消息。"
    ),
    "edited.form": (
        "「{text}」：这条回答改晚了，我已按原来的内容收下。要改的话，请重新回答那个问题。"
    ),
    "stranger.told": "我还不认识您的账号 {account}，所以不能为您查询或办理；请找{ask}开通。",
    "stranger.ask": "负责本服务的人",
}
