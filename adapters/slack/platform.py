"""Slack as a platform: receives over HTTP or Socket Mode, sends and edits messages."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import datetime

import structlog
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp

from adapters.slack.address import Address
from adapters.slack.inbound.endpoint import SlackEntry, bolt_app, events_handler
from adapters.slack.inbound.shared_files import SlackFiles
from adapters.slack.languages import LanguageOf, unknown_language
from adapters.slack.outbound.home import Home, Homes
from adapters.slack.outbound.messages import SlackMessages, UnfinishedPosts
from adapters.slack.outbound.streams import EVERY_S, GROWTH, Streams
from adapters.slack.workspace.install import Install
from adapters.slack.workspace.scopes import THREAD_SCOPES
from adapters.slack.workspace.workspaces import Workspaces
from cards.showing.view import MessageView
from cards.texts import COMPLETE, say
from engine.errors import PlatformError
from engine.events import SharedFile
from engine.ports.clock import Clock
from engine.ports.meter import Meter
from engine.ports.platform import Intake, Pace
from engine.ports.storage.drafts import Growth

_PACE = Pace(every_s=1.0, burst=4)
_REMEMBERED = 256
# Slack takes a status away by itself after two minutes.
_STATUS_S = 120.0
_SOME_NAME = "@Signoff"
CONNECTIONS = 2
"""Sockets of one process; Slack allows an app ten in all."""

_log = structlog.get_logger(__name__)


class SlackPlatform:
    """One Slack workspace or many; implements engine.ports.platform.Platform.

    Message ids are "<channel>:<ts>" with the channel Slack answered, so that a message sent to a
    user id (U…) can be edited in the direct message that Slack opened for it; of several messages
    they stand in order, with commas between (adapters/slack/outbound/messages.py). A chart's is
    "<channel>:<file>": it is never edited.
    """

    name = "slack"
    overall = Pace()
    growth = GROWTH

    def __init__(
        self,
        *,
        workspaces: Workspaces,
        signing_secret: str,
        app_token: str,
        clock: Clock,
        home: Home | None = None,
        home_s: float = 4.0,
        install: Install | None = None,
        language_of: LanguageOf = unknown_language,
    ) -> None:
        self._signing_secret = signing_secret
        self._app_token = app_token
        self._clock = clock
        self._workspaces = workspaces
        self._streams = Streams(clock)
        self._install = install
        self._language_of = language_of
        self._homes = Homes(workspaces, home, clock, every_s=home_s) if home else None
        self._shared = SlackFiles(workspaces)
        self._links: dict[str, str] = {}
        self._unfinished = UnfinishedPosts()
        self._quiet_until: dict[str, float] = {}
        self._sockets: set[AsyncSocketModeHandler] = set()

    def routes(self, intake: Intake) -> list[web.RouteDef]:
        """Return POST /slack/events with a signing secret, and the pages of installing by OAuth.

        Without the secret nothing that is posted could be verified.
        """
        routes = self._install.routes() if self._install else []
        if not self._signing_secret:
            return routes
        entry = self._entry(intake)
        handler = events_handler(entry, signing_secret=self._signing_secret, clock=self._clock)
        return [*routes, web.post("/slack/events", handler)]

    def count_in(self, meter: Meter) -> None:
        """Count refused Home tabs in the meter; messages are counted by their sender."""
        if self._homes:
            self._homes.meter = meter

    def _entry(self, intake: Intake) -> SlackEntry:
        return SlackEntry(intake, self._workspaces, self._homes, self._install, self._language_of)

    async def listen(self, intake: Intake) -> None:
        """Run Socket Mode and the Home tabs until cancelled; returns at once without either.

        Slack asks now and then to connect anew, and the SDK lets go of a connection before it has
        the next: the other one takes what comes meanwhile.
        """
        app = bolt_app(self._entry(intake))
        async with asyncio.TaskGroup() as group:
            if self._homes:
                group.create_task(self._homes.run())
            for _ in range(CONNECTIONS if self._app_token else 0):
                group.create_task(self._run_socket(app))

    async def _run_socket(self, app: AsyncApp) -> None:
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
        """Return "" when Slack takes the token and a socket is open where one is needed."""
        await self._workspaces.probe()
        return "" if await self.is_listening() else "no socket is open"

    async def is_listening(self) -> bool:
        """Whether a socket is open; True where none is needed."""
        if not self._app_token:
            return True
        return any([await socket.client.is_connected() for socket in self._sockets])

    async def send(self, conversation: str, view: MessageView, *, key: str) -> str:
        """Post a message, in several if it is long; returns its id. Raises PlatformError.

        When an earlier try under `key` broke off in between, the rest follows what it posted.
        """
        address = Address.parse(conversation)
        return await (await self._messages(address)).send(address, view, key=key)

    async def recall(self, conversation: str, message_id: str, *, key: str, since: datetime) -> str:
        """Return what was posted under the key, found by its mark. Raises PlatformError.

        So it does without the scopes to read the conversation.
        """
        address = Address.parse(conversation)
        messages = await self._messages(address)
        return await messages.recall(address, message_id, key=key, since=since)

    async def edit(self, conversation: str, message_id: str, view: MessageView) -> str:
        """Show `view` in the messages of that id. Raises PlatformError."""
        address = Address.parse(conversation)
        return await (await self._messages(address)).edit(address, message_id, view)

    def grows_every_s(self, conversation: str) -> float:
        """Return the pace: in threads as a stream, elsewhere in a message that is edited."""
        return EVERY_S

    async def grow(self, conversation: str, message_id: str, growth: Growth) -> str:
        """Show an answer as far as it is written; returns the message's id, which `edit` takes."""
        address = Address.parse(conversation)
        messages = await self._messages(address)
        return await self._streams.grow(messages, address, message_id, growth)

    async def _messages(self, address: Address) -> SlackMessages:
        return SlackMessages(await self._workspaces.api(address.team), self._unfinished)

    async def address_prefix(self, conversation: str) -> str:
        """Return the bot's name in a channel, "" where the token lets it read whole threads."""
        try:
            address = Address.parse(conversation)
            if address.channel[0] not in "CG":
                return ""
            api = await self._workspaces.api(address.team)
            return "" if await api.holds(THREAD_SCOPES) else f"@{await api.name()}"
        except PlatformError as error:
            _log.info("slack_scopes_unknown", conversation=conversation, error=str(error))
            return _SOME_NAME

    async def link(self, conversation: str, message_id: str) -> str:
        """Return Slack's permalink of a channel's thread, cached; never raises."""
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
        """Return one message per second and channel, with short bursts (platform-facts A)."""
        return _PACE

    async def typing(self, conversation: str) -> None:
        """Show a status in a thread, until the next message there; elsewhere Slack has none.

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
            both = " / ".join(say("slack.working", each) for each in reversed(COMPLETE))
            fields = {"channel_id": address.channel, "thread_ts": address.thread, "status": both}
            api = await self._workspaces.api(address.team)
            await api.call("assistant.threads.setStatus", fields)
        except PlatformError as error:
            _log.info("slack_status_not_shown", conversation=conversation, error=str(error))

    def fetch(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        """A shared file's content, from Slack's own hosts alone. Raises PlatformError."""
        return self._shared.fetch(file)

    async def close(self) -> None:
        """Close the HTTP sessions."""
        await self._workspaces.close()
        if self._install:
            await self._install.close()

    async def _permalink(self, address: Address) -> str:
        fields = {"channel": address.channel, "message_ts": address.thread}
        api = await self._workspaces.api(address.team)
        answer = await api.call("chat.getPermalink", fields, reads=True)
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
