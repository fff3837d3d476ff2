"""How often Telegram lets a bot write."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.fakes.platforms.limits import Limit, Limits

IN_CHAT = Limit(every_s=1.0, burst=4)
"""About one message a second in a chat, with short bursts."""
IN_GROUP = Limit(every_s=3.0, burst=5)
"""About twenty a minute in a group, edits among them."""
OVERALL = Limit(every_s=1 / 30, burst=30)
"""About thirty a second in all chats together."""
_WRITING = ("sendmessage", "sendphoto", "senddocument", "editmessagetext")


@dataclass
class Allowances:
    """At the server's time, `now`; only who is `paced` is told to wait."""

    now: Callable[[], float]
    paced: bool = False

    def __post_init__(self) -> None:
        self._limits = Limits(self.now)

    def wait_s(self, method: str, params: Mapping[str, Any]) -> float:
        """How long the bot has to wait before that call, 0 when it may be made."""
        if not self.paced or method.lower() not in _WRITING:
            return 0.0
        chat = str(params.get("chat_id", ""))
        in_chat = self._limits.ask(chat, IN_GROUP if chat.startswith("-") else IN_CHAT)
        return in_chat or self._limits.ask("all chats", OVERALL)
