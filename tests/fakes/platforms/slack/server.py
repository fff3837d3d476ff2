"""A local Slack: its Web API and Socket Mode, strict about what it receives."""

import asyncio
import hashlib
import hmac
import json
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeVar
from urllib.parse import urlencode

from aiohttp import web

from tests.fakes.platforms.file_host import FileHost, Hosted
from tests.fakes.platforms.slack import payloads
from tests.fakes.platforms.slack.checks import message_problems
from tests.fakes.platforms.slack.oauth import Authority
from tests.fakes.platforms.slack.sockets import Sockets
from tests.fakes.platforms.slack.workspace import (
    OpenedView,
    Shown,
    SlackWorkspace,
    refusal,
)

T = TypeVar("T")
# Slack takes the fields of these in the address, or as a form; JSON is not read.
_READS = ("chat.getPermalink", "files.info", "users.info", "usergroups.users.list")
_SCOPES = {
    "files.info": "files:read",
    "users.info": "users:read",
    "usergroups.users.list": "usergroups:read",
    "files.getUploadURLExternal": "files:write",
    "files.completeUploadExternal": "files:write",
    "chat.postMessage": "chat:write",
    "chat.update": "chat:write",
    "chat.delete": "chat:write",
    "chat.postEphemeral": "chat:write",
    "conversations.open": "im:write",
    "assistant.threads.setStatus": "chat:write",
}
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Failure:
    kind: Literal["ratelimited", "error", "drop", "refuse"]
    retry_after_s: float = 1
    code: str = ""


@dataclass
class SlackServer(SlackWorkspace):
    """Use as `async with SlackServer() as slack`; `faults` stays empty while we behave.

    `messages` by (channel, ts), `ephemerals`, `views`, `calls` per method, `responses` to
    response_urls; tokens in `revoked` are refused. What stands in `before` is awaited before a
    method is carried out. Other workspaces (`join`) are served at the same address, each to its own
    token.
    """

    bot_token: str = "xoxb-stub"
    app_token: str = "xapp-stub"
    signing_secret: str = "stub-signing-secret"
    calls: Counter[str] = field(default_factory=Counter)
    responses: list[str] = field(default_factory=list)
    revoked: set[str] = field(default_factory=set)
    before: dict[str, Callable[[], Awaitable[object]]] = field(default_factory=dict)
    api_url: str = ""
    authority: Authority = field(default_factory=Authority)
    beside: "list[SlackServer]" = field(default_factory=list)
    _failures: dict[str, list[_Failure]] = field(default_factory=lambda: defaultdict(list))
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _runner: web.AppRunner | None = None

    def __post_init__(self) -> None:
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
        self.host = FileHost(f"Bearer {self.bot_token}")
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
        other.host = FileHost(f"Bearer {other.bot_token}")
        self.beside.append(other)
        return other

    def uninstall(self) -> list[Json]:
        """Somebody takes the app away: its token is worthless, and Slack says so in two events."""
        self.revoked.add(self.bot_token)
        told = {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [self.bot_user]}}
        ts = {"event_ts": self.new_ts()}
        return [self._event(told | ts), self._event({"type": "app_uninstalled"} | ts)]

    async def wait_for(self, predicate: Callable[[], T], timeout_s: float = 5) -> T:
        """The first true value of `predicate`, tried again on every change; TimeoutError."""
        async with asyncio.timeout(timeout_s):
            while not (value := predicate()):
                await self._changed.wait()
            return value

    def fail(
        self,
        method: str,
        kind: Literal["ratelimited", "error", "drop", "refuse"],
        *,
        times: int = 1,
        retry_after_s: float = 1,
        code: str = "",
    ) -> None:
        """The next `times` calls: 429, 500, applied but cut off, or refused with Slack's `code`."""
        self._failures[method] += [_Failure(kind, retry_after_s, code)] * times

    def signed_headers(
        self, body: bytes, *, content_type: str = "application/json", at: float | None = None
    ) -> dict[str, str]:
        """Headers as Slack signs `body`, at `at` (seconds since the epoch) or now."""
        stamp = str(int(self.now() if at is None else at))
        digest = hmac.new(
            self.signing_secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256
        )
        return {
            "Content-Type": content_type,
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": f"v0={digest.hexdigest()}",
        }

    def signed_request(self, payload: Json) -> tuple[bytes, dict[str, str]]:
        """Body and headers of the HTTP request that carries `payload`, encoded as Slack does."""
        form = "application/x-www-form-urlencoded"
        if payload.get("type") in ("block_actions", "view_submission", "message_action"):
            body = urlencode({"payload": json.dumps(payload)}).encode()
            return body, self.signed_headers(body, content_type=form)
        if "command" in payload:
            body = urlencode(payload).encode()
            return body, self.signed_headers(body, content_type=form)
        body = json.dumps(payload).encode()
        return body, self.signed_headers(body)

    def message_event(
        self,
        text: str,
        *,
        user: str = "U0REQUESTER",
        channel: str = "D0REQUESTER",
        ts: str = "",
        thread_ts: str = "",
        kind: Literal["message", "app_mention"] = "message",
    ) -> Json:
        """Somebody wrote `text` (mrkdwn, entities and all)."""
        inner = payloads.inner_message(
            text,
            kind=kind,
            user=user,
            channel=channel,
            ts=ts or self.new_ts(),
            thread_ts=thread_ts,
            team=self.team,
        )
        return self._event(inner)

    def file_of(self, name: str, hosted: Hosted, *, size: int = 0, remote: bool = False) -> Json:
        """A file as events name it; one of a `remote` workspace is named by its id alone."""
        file_id = f"F0{next(self._numbers):06d}"
        self.host.hosted[file_id] = hosted
        address = f"{self.api_url.removesuffix('api/')}files-pri/{file_id}"
        if remote:
            return {"id": file_id, "file_access": "check_file_info"}
        size = size or len(hosted.content) * hosted.times
        return {"id": file_id, "name": name, "size": size, "url_private_download": address}

    def file_event(self, text: str, *files: Json, **more: Any) -> Json:
        """Somebody wrote `text` to the bot, with files."""
        payload = self.message_event(text, **more)
        payload["event"] |= {"subtype": "file_share", "files": list(files)}
        return payload

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        owner = next((each for each in self.beside if name in each.host.hosted), self)
        return await owner.host.serve(request, name)

    def _file_info(self, fields: Json) -> Json:
        address = f"{self.api_url.removesuffix('api/')}files-pri/{fields['file']}"
        return {"ok": True, "file": {"id": fields["file"], "url_private_download": address}}

    def mention_event(
        self,
        text: str,
        *,
        user: str = "U0REQUESTER",
        channel: str = "C0TRIAL",
        ts: str = "",
        thread_ts: str = "",
        kind: Literal["message", "app_mention"] = "app_mention",
    ) -> Json:
        """Somebody wrote `@bot text` in a channel; Slack sends it as `message` as well."""
        return self.message_event(
            f"<@{self.bot_user}> {text}",
            user=user,
            channel=channel,
            ts=ts,
            thread_ts=thread_ts,
            kind=kind,
        )

    def action(self, message: Shown, button: int | str = 0, *, user: str = "U0REVIEWER") -> Json:
        """A tap on a button of a message that stands here, by index or label; or a menu's option.

        The person says yes where Slack asks whether they are sure.
        """
        found = [
            element
            for index, element in enumerate(message.buttons)
            if button in (index, element["text"]["text"])
        ]
        if not found:
            raise LookupError(f"no button {button!r} on {message.ts}")
        return payloads.block_actions(
            found[0],
            {
                "channel": message.channel,
                "ts": message.ts,
                "thread_ts": message.thread_ts,
                "text": message.text,
                "blocks": message.blocks,
            },
            team=self.team,
            user=user,
            trigger_id=self.new_trigger(user),
            action_ts=self.new_ts(),
        )

    def message_action(
        self,
        text: str,
        *,
        user: str = "U0REQUESTER",
        channel: str = "C0TRIAL",
        callback_id: str = "ask_signoff",
    ) -> Json:
        """Somebody chose a message shortcut on what a colleague wrote."""
        return payloads.message_action(
            {"channel": channel, "ts": self.new_ts(), "user": "U0BYSTANDER", "text": text},
            team=self.team,
            user=user,
            trigger_id=self.new_trigger(user),
            response_url=self.api_url.replace("/api/", f"/respond/{next(self._numbers)}"),
            callback_id=callback_id,
        )

    def home_event(self, user: str = "U0REQUESTER", tab: str = "home") -> Json:
        """Somebody opened the app's Home."""
        inner = {"type": "app_home_opened", "user": user, "channel": "D" + user[1:], "tab": tab}
        return self._event(inner | {"event_ts": self.new_ts()})

    def home_action(self, user: str, label: str) -> Json:
        """A tap on a button of the person's Home tab."""
        home = Shown(channel="", ts="", thread_ts="", text="", blocks=self.homes[user]["blocks"])
        button = next(b for b in home.buttons if b["text"]["text"] == label)
        message = {"channel": "D", "ts": "", "thread_ts": "", "text": "", "blocks": []}
        made = payloads.block_actions(
            button,
            message,
            team=self.team,
            user=user,
            trigger_id=self.new_trigger(user),
            action_ts=self.new_ts(),
        )
        for absent in ("channel", "message", "response_url"):
            del made[absent]
        view = {"id": "V0HOME", "type": "home", "blocks": home.blocks, "hash": "1.home"}
        return made | {"container": {"type": "view", "view_id": "V0HOME"}, "view": view}

    def edit_event(self, event: Json, text: str) -> Json:
        """The writer of a `message` event changed its text, or with "" deleted it."""
        inner = payloads.message_changed(event["event"], text, ts=self.new_ts())
        return event | {"event": inner, "event_id": f"Ev{next(self._numbers):08d}"}

    def view_submission(self, opened: OpenedView, values: Mapping[str, str]) -> Json:
        """The open form is sent, by the person it was opened for."""
        return payloads.view_submission(
            opened.view,
            values,
            team=self.team,
            user=opened.user,
            view_id=opened.id,
            hash=f"{int(self.now())}.h{next(self._numbers)}",
        )

    def slash_command(
        self,
        text: str,
        *,
        command: str = "/signoff",
        user: str = "U0REQUESTER",
        channel: str = "D0REQUESTER",
    ) -> Json:
        """Somebody used a slash command."""
        return payloads.slash_command(
            command,
            text,
            team=self.team,
            user=user,
            channel=channel,
            trigger_id=self.new_trigger(user),
        )

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

    def _event(self, inner: Json) -> Json:
        return payloads.event(
            inner,
            team=self.team,
            bot_user=self.bot_user,
            event_id=f"Ev{next(self._numbers):08d}",
            event_time=int(self.now()),
        )

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
        failure = self._failures[method].pop(0) if self._failures[method] else None
        if failure and failure.kind == "ratelimited":
            headers = {"Retry-After": f"{failure.retry_after_s:g}"}
            answer = web.json_response(refusal("ratelimited"), status=429, headers=headers)
        elif failure and failure.kind == "error":
            answer = web.Response(status=500, text="server error")
        elif failure and failure.kind == "refuse":
            answer = web.json_response(refusal(failure.code))
        else:
            given = {"X-OAuth-Scopes": ",".join(sorted(self.scopes))}
            answer = web.json_response(await self._call(method, request), headers=given)
        self._note_change()
        if failure and failure.kind == "drop" and request.transport:
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
            "chat.delete": self.remove,
            "chat.postEphemeral": self.post_ephemeral,
            "views.open": self.open_view,
            "views.publish": self.publish_view,
            "auth.test": self.auth_test,
            "auth.revoke": self._revoke,
            "assistant.threads.setStatus": self.set_status,
            "chat.getPermalink": self.permalink,
            "conversations.open": self.open_direct,
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
        needed = _SCOPES.get(method)
        if needed and needed not in self.scopes:
            provided = ",".join(sorted(self.scopes))
            return refusal("missing_scope") | {"needed": needed, "provided": provided}
        fields = await request.json() if request.content_type == "application/json" else {}
        if request.method == "GET":
            fields = dict(request.query)
        elif request.content_type == "application/x-www-form-urlencoded":
            fields = {name: str(value) for name, value in (await request.post()).items()}
        return handlers[method](fields)

    def _revoke(self, fields: Json) -> Json:
        self.revoked.add(self.bot_token)
        return {"ok": True, "revoked": True}

    async def _upload(self, request: web.Request) -> web.Response:
        self.calls["upload"] += 1
        failure = self._failures["upload"].pop(0) if self._failures["upload"] else None
        if failure:
            return web.Response(status=500, text="upload failed")
        if "Authorization" in request.headers:
            self.faults.append("upload: the token was sent to the upload address")
        file = request.match_info["file"]
        owner = next((each for each in self.beside if file in each.files), self)
        if not owner.receive(file, await request.read()):
            return web.Response(status=404, text="no such upload")
        return web.Response(text="OK")

    async def _respond(self, request: web.Request) -> web.Response:
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
