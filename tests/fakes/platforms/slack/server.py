"""A local Slack: its Web API and Socket Mode, strict about what it receives."""

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeVar

from aiohttp import web

from tests.fakes.platforms.faults import Fault, FaultPlan
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.platforms.slack.checks import message_problems
from tests.fakes.platforms.slack.oauth import Authority
from tests.fakes.platforms.slack.people import SlackPeople
from tests.fakes.platforms.slack.sockets import Sockets
from tests.fakes.platforms.slack.workspace import (
    SCOPES,
    refusal,
)

T = TypeVar("T")
# Slack takes the fields of these in the address, or as a form; JSON is not read.
_READS = (
    "chat.getPermalink",
    "conversations.history",
    "conversations.replies",
    "files.info",
    "users.info",
    "usergroups.users.list",
)
Json = dict[str, Any]


@dataclass
class SlackServer(SlackPeople):
    """Use as `async with SlackServer() as slack`; `faults` stays empty while we behave.

    `messages` by (channel, ts), `ephemerals`, `views`, `calls` per method, `responses` to
    response_urls; tokens in `revoked` are refused. What stands in `before` is awaited before a
    method is carried out; `refuses` says the error code for a method's fields that it does not take
    beyond what it always checks, "" for those that it does. `allowances.paced` has it say
    429 to who writes faster than Slack takes. Other workspaces (`join`) are served at the same
    address, each to its own token.
    """

    app_token: str = "xapp-stub"
    calls: Counter[str] = field(default_factory=Counter)
    responses: list[str] = field(default_factory=list)
    revoked: set[str] = field(default_factory=set)
    before: dict[str, Callable[[], Awaitable[object]]] = field(default_factory=dict)
    refuses: dict[str, Callable[[Json], str]] = field(default_factory=dict)
    authority: Authority = field(default_factory=Authority)
    beside: "list[SlackServer]" = field(default_factory=list)
    planned: FaultPlan = field(default_factory=FaultPlan)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _runner: web.AppRunner | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.socket_mode = Sockets(self._note_change)

    @property
    def sockets(self) -> list[web.WebSocketResponse]:
        """The open connections of Socket Mode."""
        return self.socket_mode.open

    @property
    def acks(self) -> dict[str, Json | None]:
        """What came back for envelopes, by envelope id."""
        return self.socket_mode.acks

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=4 << 20)
        app.add_routes(
            [
                web.post("/api/{method}", self._api),
                *(web.get(f"/api/{method}", self._api) for method in _READS),
                web.post("/upload/{file}", self._upload),
                web.post("/respond/{number}", self._respond),
                web.get("/socket", self.socket_mode.connect),
                web.get("/files-pri/{name}", self._file),
            ]
        )
        self._runner = web.AppRunner(app, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.api_url = f"http://{host}:{port}/api/"
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.host.close()
        for socket in [*self.sockets]:
            await socket.close()
        assert self._runner is not None
        await self._runner.cleanup()

    # What tests ask of it

    def join(self, other: "SlackServer") -> "SlackServer":
        """Another workspace of the same Slack, with the same app; it is not to be entered."""
        other.api_url, other.revoked, other.authority = self.api_url, self.revoked, self.authority
        other.app_token, other.signing_secret = self.app_token, self.signing_secret
        other._numbers, other.socket_mode = self._numbers, self.socket_mode
        self.beside.append(other)
        return other

    def uninstall(self) -> list[Json]:
        """Somebody takes the app away: its token is worthless, and Slack says so in two events."""
        self.revoked.add(self.bot_token)
        told = {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [self.bot_user]}}
        ts = {"event_ts": self.new_ts()}
        return [self._event(told | ts), self._event({"type": "app_uninstalled"} | ts)]

    async def wait_for(self, predicate: Callable[[], T], timeout_s: float = PATIENCE_S) -> T:
        """The first true value of `predicate`, tried again on every change; AssertionError."""
        async with within(timeout_s, predicate):
            while not (value := predicate()):
                await self._changed.wait()
            return value

    def fail_next(self, method: str, fault: Fault, *, times: int = 1, after: int = 0) -> None:
        """The next `times` calls of a method fail so, once `after` others went well.

        `upload` is the method of a file's bytes.
        """
        self.planned.add(method, fault, times=times, after=after)

    async def envelope(
        self, payload: Json, kind: Literal["events_api", "interactive", "slash_commands"]
    ) -> str:
        """Sends `payload` down one of the sockets; the id under which its ack will be found."""
        envelope_id = f"envelope-{next(self._numbers)}"
        frame = {
            "envelope_id": envelope_id,
            "payload": payload,
            "type": kind,
            "accepts_response_payload": kind != "events_api",
        }
        await self.socket_mode.send(envelope_id, frame)
        return envelope_id

    # The Web API

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method = request.path.rpartition("/")[2]
        shown = request.headers.get("Authorization", "").removeprefix("Bearer ")
        for other in self.beside:
            if shown == other.bot_token:
                return await other._api(request)
        self.calls[method] += 1
        if method in self.before:
            await self.before[method]()
        failure = self.planned.take(method)
        if failure is None and (wait_s := self.allowances.wait_s(method, await _channel(request))):
            failure = Fault.rate_limited(math.ceil(wait_s))
        if failure and failure.kind == "rate_limited":
            headers = {"Retry-After": f"{failure.retry_after_s:g}"}
            answer = web.json_response(refusal("ratelimited"), status=429, headers=headers)
        elif failure and failure.kind == "broken":
            answer = web.Response(status=500, text="server error")
        elif failure and failure.kind == "refused":
            answer = web.json_response(refusal(failure.told))
        else:
            given = {"X-OAuth-Scopes": ",".join(sorted(self.scopes))}
            answer = web.json_response(await self._call(method, request), headers=given)
        self._note_change()
        if failure and failure.kind == "dropped" and request.transport:
            request.transport.close()
        return answer

    async def _call(self, method: str, request: web.Request) -> Json:
        token = self.app_token if method == "apps.connections.open" else self.bot_token
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if given in self.revoked:
            return refusal("token_revoked")
        if method == "oauth.v2.access":
            return await self.authority.access(request)
        if given != token:
            return self.fault(method, "invalid_auth", ["token"])
        handlers = {
            "chat.postMessage": self.post,
            "chat.update": self.update,
            "chat.postEphemeral": self.post_ephemeral,
            "chat.startStream": self.streams.start,
            "chat.appendStream": self.streams.append,
            "chat.stopStream": self.streams.stop,
            "chat.delete": self.delete_own,
            "views.open": self.open_view,
            "views.publish": self.publish_view,
            "auth.test": self.auth_test,
            "auth.revoke": self._revoke,
            "assistant.threads.setStatus": self.set_status,
            "chat.getPermalink": self.permalink,
            "conversations.open": self.open_direct,
            "conversations.history": self.history,
            "conversations.replies": self.replies,
            "users.info": self.user_info,
            "usergroups.users.list": self.group_members,
            "apps.connections.open": self._open_socket,
            "files.getUploadURLExternal": self.reserve,
            "files.completeUploadExternal": self.share,
            "files.info": self._file_info,
        }
        if method not in handlers:
            return self.fault(method, "unknown_method", [])
        if method in _READS and request.method != "GET":
            return self.fault(method, "missing_argument", ["takes no JSON"])
        needed = SCOPES.get(method)
        if needed and needed not in self.scopes:
            provided = ",".join(sorted(self.scopes))
            return refusal("missing_scope") | {"needed": needed, "provided": provided}
        fields = await request.json() if request.content_type == "application/json" else {}
        if request.method == "GET":
            fields = dict(request.query)
        elif request.content_type == "application/x-www-form-urlencoded":
            fields = {name: str(value) for name, value in (await request.post()).items()}
        if method in self.refuses and (code := self.refuses[method](fields)):
            return refusal(code)
        return handlers[method](fields)

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        owner = next((each for each in self.beside if name in each.host.hosted), self)
        return await owner.host.serve(request, name)

    def _file_info(self, fields: Json) -> Json:
        address = f"{self.api_url.removesuffix('api/')}files-pri/{fields['file']}"
        return {"ok": True, "file": {"id": fields["file"], "url_private_download": address}}

    def _revoke(self, fields: Json) -> Json:
        self.revoked.add(self.bot_token)
        return {"ok": True, "revoked": True}

    async def _upload(self, request: web.Request) -> web.Response:
        self.calls["upload"] += 1
        if self.planned.take("upload"):
            return web.Response(status=500, text="upload failed")
        if "Authorization" in request.headers:
            self.faults.append("upload: the token was sent to the upload address")
        file = request.match_info["file"]
        owner = next((each for each in self.beside if file in each.files), self)
        if not owner.receive(file, await request.read()):
            return web.Response(status=404, text="no such upload")
        return web.Response(text="OK")

    async def _respond(self, request: web.Request) -> web.Response:
        if not self.allowances.may_respond(request.match_info["number"]):
            return web.Response(status=404, text="used_url")
        fields = await request.json()
        if problems := message_problems(fields):
            self.fault("response_url", "invalid_blocks", problems)
        self.responses.append("\n".join(block["text"]["text"] for block in fields["blocks"]))
        self._note_change()
        return web.Response(text="ok")

    def _open_socket(self, fields: Json) -> Json:
        return {"ok": True, "url": self.api_url.replace("http", "ws", 1).replace("api/", "socket")}

    def _note_change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


async def _channel(request: web.Request) -> str:
    """Where a call writes to, "" when it does not say in JSON."""
    if request.content_type != "application/json":
        return ""
    return str((await request.json()).get("channel", ""))
