"""Lean stubs of Slack's Web API and the Bot API that rate-limit, fail and lose answers at random.

Every process of the service calls them under a path of its own, so that they know who sent what.
"""

import asyncio
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from cards.buttons import BadButton, Button

BOT_ID = 7000000001
TELEGRAM_TOKEN = f"{BOT_ID}:AAchaosCHAOSchaosCHAOSchaosCHAOScha"
SLACK_TOKEN = "xoxb-chaos"
# The notice that stands for a form.
FORM = "(form)"
Json = dict[str, Any]


@web.middleware
async def _callers_may_die(request: web.Request, handler: Any) -> web.StreamResponse:
    """A caller that was killed while it sent its request gets no traceback."""
    try:
        answer: web.StreamResponse = await handler(request)
    except ConnectionError:
        return web.Response(status=400)
    return answer


@dataclass
class Shown:
    """A message of the bot; `buttons` are those that stand under it now, by choice."""

    place: str
    id: str
    by: str
    at: float
    text: str
    buttons: dict[str, Button]
    raw: str
    lost: bool = False
    edits: int = 0
    changed_by: str = ""
    thread: str = ""
    metadata: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Notice:
    """What a tapper was to be shown, a form too; `fate` "" or "lost": and was shown."""

    text: str
    fate: str
    by: str

    @property
    def shown(self) -> bool:
        """Whether the platform took it."""
        return self.fate in ("", "lost")


@dataclass
class Tally:
    """How often a stub misbehaved."""

    limited: int = 0
    failed: int = 0
    lost: int = 0


@dataclass
class Platforms:
    """Both platforms behind one port; `on_card` hears of every message that shows buttons."""

    rng: random.Random
    trouble: float
    on_shown: Callable[[Shown], None]
    posts: dict[tuple[str, str], Shown] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    calls: Counter[str] = field(default_factory=Counter)
    notices: dict[str, list[Notice]] = field(default_factory=lambda: defaultdict(list))
    views: dict[str, Json] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)
    url: str = ""
    _runner: web.AppRunner | None = None
    _count: int = 0
    # Each happens at least once, and early.
    _owed: list[str] = field(default_factory=lambda: ["limited", "failed", "lost"])

    async def open(self) -> None:
        """Listen on a free port."""
        app = web.Application(client_max_size=4 << 20, middlewares=[_callers_may_die])
        app.router.add_post("/{by}/slack/{method}", self._slack)
        app.router.add_get("/{by}/slack/{method}", self._slack)
        app.router.add_post("/{by}/tg/bot{token}/{method}", self._telegram)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def close(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()

    def calm(self) -> None:
        """Behave from now on."""
        self.trouble = 0.0

    def _fate(self) -> str:
        roll = self.rng.random()
        if self._owed and self.trouble and roll > 0.5:
            fate = self._owed.pop()
            setattr(self.tally, fate, getattr(self.tally, fate) + 1)
            return fate
        for fate in ("limited", "failed", "lost"):
            if roll < self.trouble:
                setattr(self.tally, fate, getattr(self.tally, fate) + 1)
                return fate
            roll -= self.trouble
        return ""

    # Slack

    async def _slack(self, request: web.Request) -> web.StreamResponse:
        method, by = request.match_info["method"], request.match_info["by"]
        self.calls[method] += 1
        fields = await request.json() if request.method == "POST" else dict(request.query)
        fate = self._fate()
        if method == "chat.postEphemeral":
            shown = Notice(fields["blocks"][0]["text"]["text"], fate, by)
            self.notices[f"{fields['channel']}/{fields['user']}"].append(shown)
        elif method == "views.open":
            self.notices[fields["trigger_id"]].append(Notice(FORM, fate, by))
        if fate == "limited":
            body = {"ok": False, "error": "ratelimited"}
            return web.json_response(body, status=429, headers={"Retry-After": "1"})
        if fate == "failed":
            return web.Response(status=500, text="server error")
        answer = self._slack_call(method, fields, by, lost=fate == "lost")
        if fate == "lost" and request.transport:
            request.transport.abort()
        return web.json_response(answer)

    def _slack_call(self, method: str, fields: Json, by: str, *, lost: bool) -> Json:
        match method:
            case "assistant.threads.setStatus":
                return {"ok": True}
            case "chat.postMessage":
                channel = fields["channel"]
                # A user's id opens the direct message with that user.
                place = f"D{channel[1:]}" if channel.startswith("U") else channel
                shown = self._post(place, by, fields["text"], _slack_buttons(fields), fields)
                shown.lost = lost
                shown.thread, shown.metadata = fields.get("thread_ts", ""), fields["metadata"]
                return {"ok": True, "channel": place, "ts": shown.id}
            case "conversations.open":
                return {"ok": True, "channel": {"id": f"D{fields['users'][1:]}"}}
            case "conversations.history" | "conversations.replies":
                return {"ok": True, "messages": self._read_back(fields)}
            case "chat.update":
                place, ts = fields["channel"], fields["ts"]
                if (place, ts) not in self.posts:
                    self.odd.append(f"chat.update of {place}:{ts}, which nobody posted")
                    return {"ok": False, "error": "message_not_found"}
                self._edit(place, ts, by, fields["text"], _slack_buttons(fields), fields)
                return {"ok": True, "channel": place, "ts": ts, "text": fields["text"]}
            case "chat.postEphemeral":
                return {"ok": True, "message_ts": self._stamp()}
            case "views.open":
                self.views[fields["trigger_id"]] = fields["view"]
                return {"ok": True, "view": {"id": f"V{self._next()}"}}
            case "auth.test":
                return {"ok": True, "team_id": "T0CHAOS", "user_id": "U0BOT"}
            case _:
                self.odd.append(f"Slack has no {method} here")
                return {"ok": False, "error": "unknown_method"}

    def _read_back(self, fields: Json) -> list[Json]:
        """What stands in a channel, or in a thread of it."""
        return [
            {"ts": shown.id, "text": shown.text, "bot_id": "B0", "metadata": shown.metadata}
            for (place, _), shown in self.posts.items()
            if place == fields["channel"] and shown.thread == fields.get("ts", "")
        ]

    # Telegram

    async def _telegram(self, request: web.Request) -> web.StreamResponse:
        method, by = request.match_info["method"].lower(), request.match_info["by"]
        self.calls[method] += 1
        if request.content_type == "application/json":
            fields = await request.json()
        else:
            fields = dict(await request.post())
        fate = self._fate()
        if method == "answercallbackquery":
            shown = Notice(str(fields.get("text", "")), fate, by)
            self.notices[str(fields["callback_query_id"])].append(shown)
        if fate == "limited":
            return _refused(429, "Too Many Requests: retry after 1", {"retry_after": 1})
        if fate == "failed":
            return _refused(500, "Internal Server Error")
        try:
            result = self._telegram_call(method, fields, by, lost=fate == "lost")
        except LookupError as error:
            return _refused(400, f"Bad Request: {error.args[0]}")
        if fate == "lost" and request.transport:
            request.transport.abort()
        return web.json_response({"ok": True, "result": result})

    def _telegram_call(self, method: str, fields: Json, by: str, *, lost: bool) -> Any:
        match method:
            case "getme":
                return {"id": BOT_ID, "is_bot": True, "first_name": "S", "username": "s_bot"}
            case "sendmessage":
                place = str(fields["chat_id"])
                shown = self._post(place, by, fields["text"], _keyboard(fields), fields)
                shown.lost = lost
                return _message(place, shown.id, shown.text)
            case "editmessagetext":
                place, number = str(fields["chat_id"]), str(fields["message_id"])
                if (place, number) not in self.posts:
                    self.odd.append(f"editMessageText of {place}:{number}, which nobody sent")
                    raise LookupError("message to edit not found")
                if self.posts[place, number].raw == _raw(fields):
                    raise LookupError("message is not modified: it is exactly the same")
                self._edit(place, number, by, fields["text"], _keyboard(fields), fields)
                return _message(place, number, fields["text"])
            case "editmessagereplymarkup":
                place, number = str(fields["chat_id"]), str(fields["message_id"])
                shown = self.posts[place, number]
                fields = {**fields, "text": shown.text}
                if shown.raw == _raw(fields):
                    raise LookupError("message is not modified: it is exactly the same")
                self._edit(place, number, by, shown.text, _keyboard(fields), fields)
                return _message(place, number, shown.text)
            case "answercallbackquery" | "sendchataction" | "setmycommands":
                return True
            case "getmycommands":
                return []
            case "getwebhookinfo":
                url = "https://bot.example.org/"
                return {"url": url, "has_custom_certificate": False, "pending_update_count": 0}
            case _:
                self.odd.append(f"Telegram has no {method} here")
                raise LookupError("no such method")

    # Both

    def _post(
        self, place: str, by: str, text: str, buttons: dict[str, Button], fields: Json
    ) -> Shown:
        number = self._stamp() if place.startswith(("C", "D")) else str(self._next())
        now = asyncio.get_running_loop().time()
        shown = Shown(place, number, by, now, text, buttons, _raw(fields), changed_by=by)
        self.posts[place, number] = shown
        self.on_shown(shown)
        return shown

    def _edit(
        self, place: str, number: str, by: str, text: str, buttons: dict[str, Button], fields: Json
    ) -> None:
        shown = self.posts[place, number]
        shown.text, shown.buttons, shown.raw = text, buttons, _raw(fields)
        shown.edits += 1
        shown.changed_by = by
        self.on_shown(shown)

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _stamp(self) -> str:
        return f"1790000000.{self._next():06d}"


def _raw(fields: Json) -> str:
    """What decides whether an edit changes anything."""
    return json.dumps([fields.get("text"), fields.get("reply_markup"), fields.get("blocks")])


def _slack_buttons(fields: Json) -> dict[str, Button]:
    actions = [block for block in fields.get("blocks", ()) if block["type"] == "actions"]
    return _by_choice(e["value"] for block in actions for e in block["elements"] if "value" in e)


def _keyboard(fields: Json) -> dict[str, Button]:
    markup = fields.get("reply_markup") or "{}"
    rows = (json.loads(markup) if isinstance(markup, str) else markup).get("inline_keyboard", [])
    return _by_choice(button["callback_data"] for row in rows for button in row)


def _by_choice(data: Any) -> dict[str, Button]:
    found = {}
    for text in data:
        try:
            button = Button.unpack(text)
        except BadButton:
            continue
        found[button.choice] = button
    return found


def _message(place: str, number: str, text: str) -> Json:
    chat = {"id": int(place), "type": "private"}
    return {"message_id": int(number), "date": 1_790_000_000, "chat": chat, "text": text}


def _refused(status: int, description: str, parameters: Json | None = None) -> web.Response:
    body: Json = {"ok": False, "error_code": status, "description": description}
    if parameters:
        body["parameters"] = parameters
    return web.json_response(body, status=status)
