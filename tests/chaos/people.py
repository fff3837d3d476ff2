"""Who talks and taps, through which doors, and what they were answered."""

import asyncio
import hashlib
import hmac
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import aiohttp

from adapters.clock import SystemClock
from cards.buttons import Button
from tests.chaos.platforms import BOT_ID

TEAM = "T0CHAOS"
SIGNING_SECRET = "chaos-signing-secret"
WEBHOOK_SECRET = "Chaos-secret_1"
FIRST_CHAT = 100_000
Json = dict[str, Any]
Answer = tuple[int, str]


@dataclass(frozen=True, slots=True)
class FormText:
    """A message that the service acknowledged with 200."""

    update: str
    text: str
    request: bool


@dataclass
class Tap:
    """A tap or a sent form: `update` is its id, or how it begins; `notices` where it is answered.

    `heard` has status and body of each delivery.
    """

    update: str
    token: str
    choice: str
    notices: tuple[str, ...]
    form: bool = False
    heard: list[Answer] = field(default_factory=list)

    @property
    def acknowledged(self) -> bool:
        """Whether a delivery was answered with 200."""
        return any(status == 200 for status, _ in self.heard)


@dataclass
class Talk:
    """A conversation of one person; `said` in the order of its acknowledgements."""

    number: int
    slack: bool
    said: list[FormText] = field(default_factory=list)

    @property
    def place(self) -> str:
        """The chat as the stubs know it."""
        return f"D{self.number:04}" if self.slack else str(FIRST_CHAT + self.number)

    @property
    def id(self) -> str:
        """The conversation's id."""
        if self.slack:
            return f"slack:{TEAM}:{self.place}"
        return f"telegram:{BOT_ID}:{self.place}"


@dataclass
class Seen:
    """A card as the stubs show it: closed once no message shows its buttons any more."""

    buttons: dict[str, Button]
    places: set[str]
    closed: asyncio.Event


@dataclass
class Web:
    """A door of the service: its address, the requests inside now, when it last answered 200."""

    url: str
    inside: int = 0
    answered_at: float = 0.0


@dataclass
class Doors:
    """Delivers as the platforms do, signed, through a door at random; counts the answers."""

    http: aiohttp.ClientSession
    webs: Sequence[Web]
    rng: random.Random
    counts: Counter[str]

    async def slack_form(self, payload: Json) -> Answer:
        """An interaction of Slack's."""
        body = urlencode({"payload": json.dumps(payload)}).encode()
        return await self.slack(body, "application/x-www-form-urlencoded", {})

    async def slack(self, body: bytes, kind: str, more: dict[str, str]) -> Answer:
        """A request of Slack's with a fresh signature."""
        stamp = str(int(SystemClock("UTC").now().timestamp()))
        base = b"v0:" + stamp.encode() + b":" + body
        digest = hmac.new(SIGNING_SECRET.encode(), base, hashlib.sha256).hexdigest()
        headers = {
            "Content-Type": kind,
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": f"v0={digest}",
            **more,
        }
        return await self._post("/slack/events", body, headers)

    async def telegram(self, update: Json) -> Answer:
        """An update of Telegram's."""
        headers = {
            "Content-Type": "application/json",
            "X-Telegram-Bot-Api-Secret-Token": WEBHOOK_SECRET,
        }
        return await self._post("/telegram/webhook", json.dumps(update).encode(), headers)

    async def _post(self, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        """Status and body; 0 when the connection failed or the answer never came."""
        web = self.rng.choice(self.webs)
        web.inside += 1
        try:
            async with self.http.post(web.url + path, data=body, headers=headers) as answer:
                told = await answer.text()
                self.counts[f"HTTP {answer.status}"] += 1
                if answer.status == 200:
                    web.answered_at = asyncio.get_running_loop().time()
                return answer.status, told
        except (aiohttp.ClientError, TimeoutError, OSError):
            self.counts["HTTP failed"] += 1
            return 0, ""
        finally:
            web.inside -= 1
