"""Slack as a platform: receives over HTTP or Socket Mode, sends and edits messages."""

import asyncio
from collections.abc import AsyncGenerator

import structlog
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler

from adapters.slack.address import Address
from adapters.slack.api import WebApi
from adapters.slack.blocks import message
from adapters.slack.endpoint import bolt_app, events_handler
from adapters.slack.shared_files import SlackFiles
from cards.view import MessageView
from engine.errors import Gone, PlatformError
from engine.events import SharedFile
from engine.ports.clock import Clock
from engine.ports.platform import Intake, Pace

# Nothing in a text may become a mention or a preview, beyond what blocks already forbid.
_AS_WRITTEN = {"link_names": False, "parse": "none"}
_PACE = Pace(every_s=1.0, burst=4)
_REMEMBERED = 256
_log = structlog.get_logger(__name__)
_NO_PREVIEW = {"unfurl_links": False, "unfurl_media": False}


class SlackPlatform:
    """One Slack workspace; implements engine.ports.platform.Platform.

    Message ids are "<channel>:<ts>" with the channel Slack answered, so that a message sent to a
    user id (U…) can be edited in the direct message that Slack opened for it.
    """

    name = "slack"
    overall = Pace()

    def __init__(
        self,
        *,
        bot_token: str,
        signing_secret: str,
        app_token: str,
        api_url: str,
        clock: Clock,
    ) -> None:
        self._signing_secret = signing_secret
        self._app_token = app_token
        self._clock = clock
        self._api = WebApi(api_url=api_url, token=bot_token)
        self._shared = SlackFiles(self._api, token=bot_token)
        self._links: dict[str, str] = {}

    def routes(self, intake: Intake) -> list[web.RouteDef]:
        """POST /slack/events; nothing without a signing secret, as nothing could be verified."""
        if not self._signing_secret:
            return []
        handler = events_handler(
            intake, self._api, signing_secret=self._signing_secret, clock=self._clock
        )
        return [web.post("/slack/events", handler)]

    async def listen(self, intake: Intake) -> None:
        """Runs Socket Mode until cancelled; returns at once without an app token."""
        if not self._app_token:
            return
        app = bolt_app(intake, self._api)
        handler = AsyncSocketModeHandler(app, self._app_token)
        handler.client.proxy = app.client.proxy
        try:
            await handler.connect_async()  # type: ignore[no-untyped-call]
            await asyncio.Event().wait()
        finally:
            await _close(handler)

    async def send(self, conversation: str, view: MessageView, *, key: str) -> str:
        """Shows a new message; its id is "<channel>:<ts>". Raises PlatformError."""
        place = Address.parse(conversation).place
        answer = await self._api.call(
            "chat.postMessage", place | message(view) | _AS_WRITTEN | _NO_PREVIEW
        )
        channel, ts = answer.get("channel"), answer.get("ts")
        if not channel or not ts:
            raise PlatformError("chat.postMessage: no channel or ts in the answer")
        return f"{channel}:{ts}"

    async def edit(self, conversation: str, message_id: str, view: MessageView) -> None:
        """Shows `view` in place of what the message showed. Raises PlatformError."""
        channel, _, ts = message_id.partition(":")
        if not channel or not ts:
            raise Gone(f"not a Slack message: {message_id!r}")
        place = {"channel": channel, "ts": ts}
        await self._api.call("chat.update", place | message(view) | _AS_WRITTEN)

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
        """Nothing: Slack shows no typing for bots; the message itself says that work goes on."""

    def fetch(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        """A shared file's content, from Slack's own hosts alone. Raises PlatformError."""
        return self._shared.fetch(file)

    async def close(self) -> None:
        """Ends the HTTP session."""
        await self._api.close()

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
