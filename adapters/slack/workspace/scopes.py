"""The methods, events and scopes that are used; manifests and `signoff doctor` are held to them.

Nothing else is called or received (tests/adapters/slack).
"""

from collections.abc import Mapping
from typing import Final

METHODS: Final[Mapping[str, str]] = {
    "apps.connections.open": "",
    "assistant.threads.setStatus": "chat:write",
    "auth.revoke": "",
    "auth.test": "",
    "chat.appendStream": "chat:write",
    "chat.delete": "chat:write",
    "chat.getPermalink": "",
    "chat.postEphemeral": "chat:write",
    "chat.postMessage": "chat:write",
    "chat.startStream": "chat:write",
    "chat.stopStream": "chat:write",
    "chat.update": "chat:write",
    "conversations.history": "im:history",
    "conversations.open": "im:write",
    "conversations.replies": "im:history",
    "files.completeUploadExternal": "files:write",
    "files.info": "files:read",
    "files.getUploadURLExternal": "files:write",
    "oauth.v2.access": "",
    "usergroups.users.list": "usergroups:read",
    "users.info": "users:read",
    "views.open": "",
    "views.publish": "",
}
"""Each method of the Web API that is called, and the bot scope that it needs ("" for none)."""

EVENTS: Final[Mapping[str, str]] = {
    "app_home_opened": "",
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
}
"""Each bot event that is read, and the bot scope that it needs ("" for none)."""

THREAD_SCOPES: Final = frozenset({"channels:history", "groups:history"})
"""The bot scopes without which nothing is heard in a channel's thread but mentions of the bot."""

INTERACTIVE: Final = "commands"
"""The bot scope of slash commands and shortcuts."""


def required_scopes() -> frozenset[str]:
    """Every bot scope that is needed."""
    return frozenset({*METHODS.values(), *EVENTS.values(), INTERACTIVE} - {""})
