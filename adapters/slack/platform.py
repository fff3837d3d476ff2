"""Slack as a platform: receives over HTTP or Socket Mode, sends and edits messages."""

import asyncio
import re
from collections.abc import AsyncGenerator
from typing import Any

import structlog
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp

from adapters.slack.address import Address
from adapters.slack.api import AS_WRITTEN, WebApi
from adapters.slack.blocks import rendered
from adapters.slack.endpoint import Door, bolt_app, events_handler
from adapters.slack.files import Files, Kept, thread_below
from adapters.slack.home import Home, Homes
from adapters.slack.shared_files import SlackFiles
from adapters.slack.streams import EVERY_S, GROWTH, Streams
from cards.document import digest, document, is_settled
from cards.texts import say
from cards.view import ChartView, MessageView
from engine.errors import Gone, PlatformError
from engine.events import SharedFile
from engine.ports.clock import Clock
from engine.ports.drafts import Growth
from engine.ports.platform import Intake, Pace

_PACE = Pace(every_s=1.0, burst=4)
_REMEMBERED = 256
_TS = re.compile(r"[0-9]+\.[0-9]+")
# Slack takes a status away by itself after two minutes.
_STATUS_S = 120.0
CONNECTIONS = 2
"""Sockets of one process; Slack allows an app ten in all."""

_log = structlog.get_logger(__name__)
_NO_PREVIEW = {"unfurl_links": False, "unfurl_media": False}

Fields = dict[str, Any]


class SlackPlatform:
    """One Slack workspace; implements engine.ports.platform.Platform.

    Message ids are "<channel>:<ts>" with the channel Slack answered, so that a message sent to a
    user id (U…) can be edited in the direct message that Slack opened for it; with a document they
    end in ":" and its mark. A chart's is "<channel>:<file>": it is never edited.
    """

    name = "slack"
    overall = Pace()
    growth = GROWTH

    def __init__(
        self,
        *,
        bot_token: str,
        signing_secret: str,
        app_token: str,
        api_url: str,
        clock: Clock,
        home: Home | None = None,
        home_s: float = 4.0,
    ) -> None:
        self._signing_secret = signing_secret
        self._app_token = app_token
        self._clock = clock
        self._api = WebApi(api_url=api_url, token=bot_token)
        self._files = Files(self._api)
        self._streams = Streams(self._api, clock, post=self._post, update=self._update)
        self._homes = Homes(self._api, home, clock, every_s=home_s) if home else None
        self._shared = SlackFiles(self._api, token=bot_token)
        self._links: dict[str, str] = {}
        self._begun: dict[str, str] = {}
        self._quiet_until: dict[str, float] = {}
        self._sockets: set[AsyncSocketModeHandler] = set()

    def routes(self, intake: Intake) -> list[web.RouteDef]:
        """POST /slack/events; nothing without a signing secret, as nothing could be verified."""
        if not self._signing_secret:
            return []
        door = Door(intake, self._api, self._homes)
        handler = events_handler(door, signing_secret=self._signing_secret, clock=self._clock)
        return [web.post("/slack/events", handler)]

    async def listen(self, intake: Intake) -> None:
        """Runs Socket Mode and the Home tabs until cancelled; returns at once without either.

        Slack asks now and then to connect anew, and the SDK lets go of a connection before it has
        the next: the other one takes what comes meanwhile.
        """
        app = bolt_app(Door(intake, self._api, self._homes))
        async with asyncio.TaskGroup() as group:
            if self._homes:
                group.create_task(self._homes.run())
            for _ in range(CONNECTIONS if self._app_token else 0):
                group.create_task(self._connected(app))

    async def _connected(self, app: AsyncApp) -> None:
        handler = AsyncSocketModeHandler(app, self._app_token)
        handler.client.proxy = app.client.proxy
        self._sockets.add(handler)
        try:
            await handler.connect_async()  # type: ignore[no-untyped-call]
            await asyncio.Event().wait()
        finally:
            self._sockets.discard(handler)
            await _close(handler)

    async def probe(self) -> str:
        """Whether Slack takes the token, and a socket is open where there should be."""
        await self._api.call("auth.test", {})
        if not self._app_token:
            return ""
        open_now = [await socket.client.is_connected() for socket in self._sockets]
        return "" if any(open_now) else "no socket is open"

    async def send(self, conversation: str, view: MessageView, *, key: str) -> str:
        """Shows a new message; its id is "<channel>:<ts>", and more. Raises PlatformError.

        When an earlier try under `key` broke off before the message's file, that message is edited.
        """
        address = Address.parse(conversation)
        if view.chart and (picture := await self._picture(address, view.chart)):
            return picture
        shown, file = await self._prepared(view)
        if posted := self._begun.get(key, ""):
            await self._update(posted, shown)
        else:
            posted = await self._post(address, shown)
        if file:
            self._remember_begun(key, posted)
        message_id = await self._with_file(address, view, posted, file)
        self._begun.pop(key, None)
        return message_id

    async def edit(self, conversation: str, message_id: str, view: MessageView) -> str:
        """Shows `view` in place of what the message showed. Raises PlatformError."""
        channel, ts, mark = (*message_id.split(":"), "", "")[:3]
        if not channel or not ts:
            raise Gone(f"not a Slack message: {message_id!r}")
        if view.chart and not _TS.fullmatch(ts):
            return message_id
        shown, file = await self._prepared(view, mark)
        address = Address.parse(conversation)
        posted = await self._streams.replace(address, f"{channel}:{ts}", shown)
        posted = f"{posted}:{mark}" if mark else posted
        return await self._with_file(address, view, posted, file)

    def grows_every_s(self, conversation: str) -> float:
        """Everywhere: in threads as a stream, elsewhere in a message that is edited."""
        return EVERY_S

    async def grow(self, conversation: str, message_id: str, growth: Growth) -> str:
        """Shows an answer as far as it is written; returns the message's id, which `edit` takes."""
        return await self._streams.grow(Address.parse(conversation), message_id, growth)

    async def link(self, conversation: str, message_id: str) -> str:
        """Slack's permalink of a channel's thread, remembered once it is known; never raises."""
        try:
            address = Address.parse(conversation)
            # Nobody but its own people can open a direct message.
            if not address.thread or address.channel[0] not in "CG":
                return ""
            if conversation not in self._links:
                self._remember(conversation, await self._permalink(address))
            return self._links[conversation]
        except PlatformError as error:
            _log.info("slack_link_missing", conversation=conversation, error=str(error))
            return ""

    def pace(self, conversation: str) -> Pace:
        """About one message per second and channel, with short bursts (platform-facts A)."""
        return _PACE

    async def typing(self, conversation: str) -> None:
        """Shows a status in a thread, until the next message there; elsewhere Slack has none.

        Once in a while only: an edit of the reply, other than a message, would not take it away.
        """
        try:
            address = Address.parse(conversation)
            now_s = self._clock.elapsed_s()
            if not address.thread or now_s < self._quiet_until.get(conversation, 0.0):
                return
            self._quiet_until[conversation] = now_s + _STATUS_S
            if len(self._quiet_until) > _REMEMBERED:
                del self._quiet_until[next(iter(self._quiet_until))]
            both = f"{say('slack.working', 'en')} / {say('slack.working', 'zh')}"
            fields = {"channel_id": address.channel, "thread_ts": address.thread, "status": both}
            await self._api.call("assistant.threads.setStatus", fields)
        except PlatformError as error:
            _log.info("slack_status_not_shown", conversation=conversation, error=str(error))

    def fetch(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        """A shared file's content, from Slack's own hosts alone. Raises PlatformError."""
        return self._shared.fetch(file)

    async def close(self) -> None:
        """Ends the HTTP session."""
        await self._api.close()

    async def _prepared(self, view: MessageView, mark: str = "") -> tuple[Fields, Kept | None]:
        """The message, and its document if there is more to say than it holds.

        None when the one of that `mark` says it already, or none can be had.
        """
        shown = rendered(view)
        if shown.whole or not is_settled(view):
            return shown.fields(), None
        text = document(view)
        attached = shown.fields(say("file.attached", view.lang))
        if digest(text) == mark:
            return attached, None
        file = await self._files.document(text, digest(text))
        return (attached, file) if file else (shown.fields(), None)

    async def _post(self, address: Address, shown: Fields) -> str:
        fields = address.place | shown | AS_WRITTEN | _NO_PREVIEW
        answer = await self._api.call("chat.postMessage", fields)
        channel, ts = answer.get("channel"), answer.get("ts")
        if not channel or not ts:
            raise PlatformError("chat.postMessage: no channel or ts in the answer")
        return f"{channel}:{ts}"

    async def _update(self, posted: str, shown: Fields) -> None:
        channel, ts = posted.split(":")[:2]
        place = {"channel": channel, "ts": ts}
        await self._api.call("chat.update", place | shown | AS_WRITTEN)

    async def _with_file(
        self, address: Address, view: MessageView, posted: str, file: Kept | None
    ) -> str:
        """The message's id once its file is shown; without the file, it no longer names one."""
        if file is None:
            return posted
        channel, ts = posted.split(":")[:2]
        try:
            await self._files.show(file, channel, thread_below(address, channel, ts))
        except PlatformError as error:
            if error.retryable:
                raise
            _log.error("slack_file_not_shown", message=posted, error=str(error))
            await self._update(posted, rendered(view).fields())
            return posted
        return f"{channel}:{ts}:{file.mark}"

    async def _picture(self, address: Address, chart: ChartView) -> str:
        """The id of a chart's picture, "" when Slack takes none."""
        if address.channel.startswith("U"):
            # Files go to channels; which one is that person's is known once a message stands there.
            return ""
        file = await self._files.picture(chart)
        if file is None:
            return ""
        try:
            await self._files.show(file, address.channel, address.thread)
        except PlatformError as error:
            if error.retryable:
                raise
            _log.error("slack_file_not_shown", file=file.id, error=str(error))
            return ""
        return f"{address.channel}:{file.id}"

    def _remember_begun(self, key: str, posted: str) -> None:
        self._begun[key] = posted
        if len(self._begun) > _REMEMBERED:
            del self._begun[next(iter(self._begun))]

    async def _permalink(self, address: Address) -> str:
        fields = {"channel": address.channel, "message_ts": address.thread}
        answer = await self._api.call("chat.getPermalink", fields, reads=True)
        return str(answer.get("permalink", ""))

    def _remember(self, conversation: str, link: str) -> None:
        self._links[conversation] = link
        if len(self._links) > _REMEMBERED:
            del self._links[next(iter(self._links))]


async def _close(handler: AsyncSocketModeHandler) -> None:
    client = handler.client
    await handler.close_async()  # type: ignore[no-untyped-call]
    # The SDK only asks these to end.
    tasks = (client.message_processor, client.current_session_monitor, client.message_receiver)
    await asyncio.gather(*(t for t in tasks if t is not None), return_exceptions=True)
