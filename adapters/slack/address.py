"""Slack's ids inside our opaque conversation ids (design §3, conversations)."""

import re
from dataclasses import dataclass

from engine.errors import Gone

_FORM = re.compile(
    r"slack:(?P<team>[A-Za-z0-9]+):(?P<channel>[A-Za-z0-9]+)(?::(?P<thread>[0-9]+\.[0-9]+))?"
)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a conversation is: `channel` may be a user id (U…), `thread` is "" outside threads."""

    team: str
    channel: str
    thread: str = ""

    @classmethod
    def parse(cls, conversation: str) -> "Address":
        """The address in `conversation`; raises Gone for an id that names no place in Slack."""
        match = _FORM.fullmatch(conversation)
        if match is None:
            raise Gone(f"not a Slack conversation: {conversation!r}")
        return cls(match["team"], match["channel"], match["thread"] or "")

    @property
    def conversation(self) -> str:
        """The conversation id."""
        thread = f":{self.thread}" if self.thread else ""
        return f"slack:{self.team}:{self.channel}{thread}"

    @property
    def whole(self) -> "Address":
        """The channel, threads and all."""
        return Address(self.team, self.channel)

    def below(self, ts: str) -> "Address":
        """This thread, or the one that begins with that message."""
        return Address(self.team, self.channel, self.thread or ts)

    @property
    def place(self) -> dict[str, str]:
        """The arguments that post to this address."""
        return {"channel": self.channel} | ({"thread_ts": self.thread} if self.thread else {})
