"""An answer that grows in Slack: as a stream in a thread, else in a message that is edited."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

import structlog

from adapters.slack.address import Address
from adapters.slack.api import NotRewritten, NotStreaming, StillStreams, WebApi
from adapters.slack.blocks import rendered
from adapters.slack.markdown import straight
from cards.texts import say
from engine.errors import PlatformError, RateLimited
from engine.ports.clock import Clock
from engine.ports.drafts import Growth
from engine.ports.platform import Pace

GROWTH: Final = Pace(every_s=2.0, burst=10)
"""chat.update is Tier 3, 50 a minute in the workspace: whole replies need some of these."""
EVERY_S: Final = 1.0
# For so long Slack is not asked for a stream again after it refused one.
_NO_STREAMS_S = 600.0
_REMEMBERED = 256
# What mentions, links and pictures begin with, as letters that look like it.
_TAMED: Final = str.maketrans({"<": "‹", "[": "［", "@": "@\u2060"})
_ADDRESS = re.compile(r":(?=//)")
_log = structlog.get_logger(__name__)

Fields = dict[str, Any]
Post = Callable[[Address, Fields], Awaitable[str]]
Update = Callable[[str, Fields], Awaitable[None]]


def streamed(text: str) -> str:
    """Markdown for a stream, in which nothing can mention anybody or lead anywhere."""
    return _ADDRESS.sub(":\u2060", straight(text).translate(_TAMED))


class Streams:
    """Messages that grow, and what becomes of them in the end.

    `post` and `update` write whole messages that are no streams.
    """

    def __init__(self, api: WebApi, clock: Clock, *, post: Post, update: Update) -> None:
        self._api = api
        self._clock = clock
        self._post = post
        self._update = update
        self._refused_until_s = 0.0
        self._edited: dict[str, None] = {}

    async def grow(self, address: Address, message_id: str, growth: Growth) -> str:
        """The message's id, once it shows the text so far. Raises PlatformError."""
        if not message_id:
            return await self._begin(address, growth)
        if message_id not in self._edited and growth.text.startswith(growth.before):
            try:
                await self._append(message_id, growth)
            except NotStreaming as error:
                # Posted as a whole, or Slack ended the stream: both can be edited.
                _log.info("slack_stream_ended", message=message_id, error=str(error))
            else:
                return message_id
        shown = rendered(growth.view).fields()
        message_id = await self.replace(address, message_id, shown)
        self._remember(message_id)
        return message_id

    async def replace(self, address: Address, message_id: str, shown: Fields) -> str:
        """The whole message in place of what stands there, also of a stream; returns its id.

        What Slack lets nobody rewrite goes, and a new message comes. Raises PlatformError.
        """
        try:
            await self._updated(message_id, shown)
            return message_id
        except NotRewritten:
            posted = await self._post(address, shown)
        try:
            await self._api.call("chat.delete", _place(message_id))
        except PlatformError as error:
            _log.warning("slack_stream_left", message=message_id, error=str(error))
        return posted

    async def _updated(self, message_id: str, shown: Fields) -> None:
        try:
            await self._update(message_id, shown)
        except StillStreams:
            await self._stop(message_id)
            await self._update(message_id, shown)

    async def _stop(self, message_id: str) -> None:
        try:
            await self._api.call("chat.stopStream", _place(message_id))
        except NotStreaming:
            return

    async def _begin(self, address: Address, growth: Growth) -> str:
        if self._streams(address, growth):
            try:
                return await self._start(address, growth)
            except PlatformError as error:
                # What may have begun already is not begun twice by us.
                if error.retryable and not isinstance(error, RateLimited):
                    raise
                self._refused_until_s = self._clock.elapsed_s() + _NO_STREAMS_S
                _log.warning("slack_streams_refused", error=str(error))
        posted = await self._post(address, rendered(growth.working).fields())
        self._remember(posted)
        return posted

    def _streams(self, address: Address, growth: Growth) -> bool:
        """Streams are replies in threads, and in channels for one person, who has to be named."""
        free = self._clock.elapsed_s() >= self._refused_until_s
        return free and bool(address.thread and growth.asker)

    async def _start(self, address: Address, growth: Growth) -> str:
        first = f"_{say('part.working', growth.view.lang)}_\n\n"
        to = {"recipient_user_id": growth.asker, "recipient_team_id": address.team}
        fields = address.place | to | {"markdown_text": first}
        answer = await self._api.call("chat.startStream", fields)
        channel, ts = answer.get("channel") or address.channel, answer.get("ts")
        if not ts:
            raise PlatformError("chat.startStream: no ts in the answer")
        return f"{channel}:{ts}"

    async def _append(self, message_id: str, growth: Growth) -> None:
        more = streamed(growth.text)[len(streamed(growth.before)) :]
        fields = _place(message_id) | {"markdown_text": more}
        await self._api.call("chat.appendStream", fields)

    def _remember(self, message_id: str) -> None:
        self._edited[message_id] = None
        if len(self._edited) > _REMEMBERED:
            del self._edited[next(iter(self._edited))]


def _place(message_id: str) -> Fields:
    channel, ts = message_id.split(":")[:2]
    return {"channel": channel, "ts": ts}
