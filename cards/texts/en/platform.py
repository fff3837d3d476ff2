"""What a platform's room adds of its own."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "slack.no_form": "The form did not open. Please tap again.",
    "slack.late_form": "The form did not open in time. If you do not see it, please tap again.",
    "slack.more_buttons": "({count} more buttons not shown)",
    "slack.shortened": "(shortened: {count} characters left out)",
    "slack.working": "is working on it…",
    "slack.choose": "Choose",
    "slack.home_waiting": "Waiting for you",
    "slack.home_more": "There is more: /pending lists it page by page.",
    "slack.home_runs": "What you have under way",
    "slack.home_run": "{name}: {state}",
    "slack.close": "Close",
    "slack.result": "Result",
    "file.attached": "The whole text is attached as a file.",
    "unshown.command": "What this message says cannot be shown here. Send {command} to see it.",
    "unshown.link": (
        "What this message says cannot be shown here. See it at {link}, or send {command}."
    ),
    "slack.answer_there": "Got it. The answer comes in your direct messages with me.",
    "slack.no_text": "That message has no text to ask about.",
    "edited.message": (
        "“{text}”: this edit came too late, I took the message as it first was."
        " To ask for something else, send it as a new message."
    ),
    "edited.form": (
        "“{text}”: this edit came too late, I took the answer as it first was."
        " To change it, answer that question again."
    ),
    "stranger.told": (
        "I do not know your account {account}, so I can look up and start nothing for you;"
        " please ask {ask} to let you in."
    ),
    "stranger.ask": "whoever runs this service",
    "telegram.cut": "… (too long; the rest is left out)",
    "telegram.cut_file": "… (too long; the whole text is attached as a file)",
    "telegram.reply_one": "Please reply to this message.",
    "telegram.reply_lines": (
        'Please reply to this message with one line for each, as "name: value".'
    ),
    "telegram.optional": "optional",
    "telegram.mend": "This needs to be put right first:",
}
