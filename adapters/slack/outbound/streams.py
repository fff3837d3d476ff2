"""An answer that grows in Slack: as a stream in a thread, else in a message that is edited."""

import re
from datetime import datetime
from typing import Final

import structlog

from adapters.slack.address import Address
from adapters.slack.api import NotStreaming
from adapters.slack.outbound.blocks import render_message
from adapters.slack.outbound.markdown import without_turns
from adapters.slack.outbound.messages import SlackMessages, place_of
from cards.texts import say
from engine.errors import PlatformError, Unavailable
from engine.ports.clock import Clock
from engine.ports.platform import Pace
from engine.ports.storage.drafts import Growth

GROWTH: Final = Pace(every_s=2.0, burst=10)
"""Below the 50 a minute of chat.update (Tier 3): whole replies need some of these."""
EVERY_S: Final = 1.0
# For so long Slack is not asked for a stream again after it refused one.
_NO_STREAMS_S = 600.0
_REMEMBERED = 256
# What mentions, links and pictures begin with, as letters that look like it.
_TAMED: Final = str.maketrans({"<": "‹", "[": "［", "@": "@\u2060"})
_ADDRESS = re.compile(r":(?=//)")
_log = structlog.get_logger(__name__)


def stream_text(text: str) -> str:
    """Return Markdown for a stream, without mentions and links that work."""
    return _ADDRESS.sub(":\u2060", without_turns(text).translate(_TAMED))


class Streams:
    """Messages that grow, in any workspace; SlackMessages ends a stream by writing the whole."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._refused_until_s: dict[str, float] = {}
        self._edited: dict[str, None] = {}

    async def grow(
        self, messages: SlackMessages, address: Address, message_id: str, growth: Growth
    ) -> str:
        """Show the text so far; returns the message's id. Raises PlatformError."""
        if not message_id:
            return await self._begin(messages, address, growth)
        appends = growth.alone and growth.text.startswith(growth.before)
        if message_id not in self._edited and appends:
            try:
                await _append(messages, message_id, growth)
            except NotStreaming as error:
                # Posted as a whole, or Slack ended the stream: both can be edited.
                _log.info("slack_stream_ended", message=message_id, error=str(error))
            else:
                return message_id
        shown = render_message(growth.view).fields()
        message_id = await messages.replace(address, message_id, shown)
        self._remember(message_id)
        return message_id

    async def _begin(self, messages: SlackMessages, address: Address, growth: Growth) -> str:
        since = self._clock.now()
        try:
            return await self._post(messages, address, growth)
        except Unavailable:
            # What may have begun already is not begun twice by us.
            if found := await _find_unreported(messages, address, growth, since):
                return found
            raise

    async def _post(self, messages: SlackMessages, address: Address, growth: Growth) -> str:
        if self._can_stream(address, growth):
            try:
                return await _start(messages, address, growth)
            except Unavailable:
                raise
            except PlatformError as error:
                self._note_refusal(address.team)
                _log.warning("slack_streams_refused", team=address.team, error=str(error))
        working = render_message(growth.working).fields()
        posted = await messages.post(address, working, key=growth.key)
        self._remember(posted)
        return posted

    def _can_stream(self, address: Address, growth: Growth) -> bool:
        """Whether a stream is possible: in a thread, for a known person, and not just refused.

        It has the answer alone, and no other part of the message.
        """
        free = self._clock.elapsed_s() >= self._refused_until_s.get(address.team, 0.0)
        return free and growth.alone and bool(address.thread and growth.asker)

    def _note_refusal(self, team: str) -> None:
        self._refused_until_s[team] = self._clock.elapsed_s() + _NO_STREAMS_S
        if len(self._refused_until_s) > _REMEMBERED:
            del self._refused_until_s[next(iter(self._refused_until_s))]

    def _remember(self, message_id: str) -> None:
        self._edited[message_id] = None
        if len(self._edited) > _REMEMBERED:
            del self._edited[next(iter(self._edited))]


async def _start(messages: SlackMessages, address: Address, growth: Growth) -> str:
    first = _opening_text(growth)
    to = {"recipient_user_id": growth.asker, "recipient_team_id": address.team}
    fields = address.place | to | {"markdown_text": first}
    answer = await messages.api.call("chat.startStream", fields)
    channel, ts = answer.get("channel") or address.channel, answer.get("ts")
    if not ts:
        raise PlatformError("chat.startStream: no ts in the answer")
    return f"{channel}:{ts}"


def _opening_text(growth: Growth) -> str:
    return f"_{say('part.working', growth.view.lang)}_\n\n"


async def _find_unreported(
    messages: SlackMessages, address: Address, growth: Growth, since: datetime
) -> str:
    """Return the message or stream whose posting was not confirmed, "" if none is found.

    Either takes an edit, and a message takes no more text.
    """
    posted_messages = messages.posted_messages
    try:
        found = await posted_messages.parts(address, (), key=growth.key, since=since)
        if found or not address.thread:
            return ",".join(found)
        return await posted_messages.stream(address, _opening_text(growth), since=since)
    except PlatformError as error:
        _log.info("slack_stream_not_looked_for", error=str(error))
        return ""


async def _append(messages: SlackMessages, message_id: str, growth: Growth) -> None:
    more = stream_text(growth.text)[len(stream_text(growth.before)) :]
    await messages.api.call("chat.appendStream", place_of(message_id) | {"markdown_text": more})
