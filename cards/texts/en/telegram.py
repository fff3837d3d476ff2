"""Forms that Telegram's people fill in one field at a time, and the bot's list of commands."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "telegram.step": "{title} ({n} of {total})",
    "telegram.stands": "Now: {value}",
    "telegram.steer": "Please reply to this message. {ways}",
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
    "telegram.command.runs": "What is under way here",
    "telegram.command.cancel": "Cancel my run",
    "telegram.command.stop": "Stop my jobs",
    "telegram.command.recover": "Let stopped jobs go on",
    "telegram.command.help": "What I can do",
}
