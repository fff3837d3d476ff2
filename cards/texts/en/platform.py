"""What is said of messages and files on every platform, and to strangers."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "file.attached": "The whole text is attached as a file.",
    "unshown.command": "What this message says cannot be shown here. Send {command} to see it.",
    "unshown.link": (
        "What this message says cannot be shown here. See it at {link}, or send {command}."
    ),
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
}
