"""Marks on posted messages, by which one is found again when Slack's answer was lost."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, Final

from adapters.slack.address import Address
from adapters.slack.api import WebApi
from adapters.slack.outbound.files import thread_below

_EVENT: Final = "signoff_message"
# Slack's clock and ours may differ by so much.
_MARGIN: Final = timedelta(seconds=60)
_LIMIT: Final = "100"

Fields = dict[str, Any]


def marker(name: str, part: int) -> Fields:
    """Return the invisible mark of part `part` (from 0) of the message of that name."""
    key = blake2b(name.encode(), digest_size=12).hexdigest()
    return {"metadata": {"event_type": _EVENT, "event_payload": {"key": key, "part": part}}}


def marker_name(key: str, posted: Sequence[str]) -> str:
    """Return the name in the next part's mark: the key, or the id of the first part."""
    return posted[0] if posted else key


class PostedMessages:
    """Finds messages of the bot in one workspace, as far as its scopes allow."""

    def __init__(self, api: WebApi) -> None:
        self._api = api

    async def parts(
        self, address: Address, posted: tuple[str, ...], *, key: str, since: datetime
    ) -> tuple[str, ...]:
        """Return the posted messages in order: the known ones, and those found after them.

        Raises PlatformError, as when a scope is missing.
        """
        found = [*posted]
        if not found:
            channel = address.channel
            if channel[0] in "UW":
                channel = await self._api.direct(channel)
            first = await self._read(channel, address.thread, since)
            found += _find_marked(first, channel, marker(key, 0))
        if not found:
            return ()
        channel, _, root = found[0].partition(":")
        below = await self._read(channel, thread_below(address, channel, root), since)
        while more := _find_marked(below, channel, marker(found[0], len(found))):
            found += more
        return tuple(found)

    async def stream(self, address: Address, opening: str, *, since: datetime) -> str:
        """Return a bot's newest message in the thread with just that text, "" for none.

        That is how an unmarked stream is found. Raises PlatformError.
        """
        said = re.sub(r"[_*\s]", "", opening)
        found = ""
        for message in await self._read(address.channel, address.thread, since):
            if isinstance(message, dict) and message.get("bot_id") and not message.get("metadata"):
                same = re.sub(r"[_*\s]", "", str(message.get("text", ""))) == said
                found = f"{address.channel}:{message['ts']}" if same else found
        return found

    async def _read(self, channel: str, thread: str, since: datetime) -> Sequence[Any]:
        oldest = f"{(since - _MARGIN).timestamp():.6f}"
        fields = {"channel": channel, "oldest": oldest, "limit": _LIMIT}
        fields |= {"include_all_metadata": "true"}
        if thread:
            fields |= {"ts": thread}
            answer = await self._api.call("conversations.replies", fields, reads=True)
        else:
            answer = await self._api.call("conversations.history", fields, reads=True)
        messages = answer.get("messages")
        return messages if isinstance(messages, list) else []


def _find_marked(messages: Sequence[Any], channel: str, mark: Fields) -> list[str]:
    """Return the first message with that mark, if any."""
    marked = [m for m in messages if isinstance(m, dict) and m.get("metadata") == mark["metadata"]]
    return [f"{channel}:{message['ts']}" for message in marked if message.get("ts")][:1]
