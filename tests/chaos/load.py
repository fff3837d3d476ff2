"""People on Slack and Telegram, and platforms that deliver again what was not acknowledged."""

import asyncio
import hashlib
import hmac
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

import aiohttp

from adapters.clock import SystemClock
from bot.stopping import pause
from cards.buttons import Button
from tests.chaos.platforms import BOT_ID, Platforms, Shown
from tests.fakes import slack_payloads as payloads

TEAM, BOT_USER = "T0CHAOS", "U0BOT"
SIGNING_SECRET = "chaos-signing-secret"
WEBHOOK_SECRET = "Chaos-secret_1"
# Reviewers: one at home on Slack, one on Telegram.
SLACK_REVIEWER, TELEGRAM_REVIEWER = "UCHEN", 2002
FIRST_CHAT = 100_000
SUBJECTS = tuple(f"P{n:03}" for n in range(1, 13))
LOOKUPS = ("ECOG of {who}?", "weight of {who}?", "show me the ECOG of {who}", "{who} 的体重")
REQUESTS = (
    "record the visit of {who} on {day}, ECOG 1, weight {weight}, BP 120/80",
    "补录 {who} {day} 的访视，体重 {weight}，血压 120/80，ECOG 1",
)
FIRST_DAY = date(2001, 1, 1)
ASKING_S = 8.0
Json = dict[str, Any]
Answer = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Said:
    """A message that the service acknowledged with 200."""

    update: str
    text: str
    request: bool


@dataclass
class Talk:
    """A conversation of one person; `said` in the order of its acknowledgements."""

    number: int
    slack: bool
    said: list[Said] = field(default_factory=list)

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
class Web:
    """A door of the service: its address, and the requests that are inside now."""

    url: str
    inside: int = 0


@dataclass
class Seen:
    """A card as the stubs show it: closed once no message shows its buttons any more."""

    buttons: dict[str, Button]
    places: set[str]
    closed: asyncio.Event


@dataclass
class Load:
    """The senders of one chaos run. Every choice comes from `rng`; it ends after `updates`."""

    rng: random.Random
    platforms: Platforms
    webs: Sequence[Web]
    talks: Sequence[Talk]
    updates: int
    spread_s: float
    counts: Counter[str] = field(default_factory=Counter)
    taps: dict[str, str] = field(default_factory=dict)
    cards: dict[str, Seen] = field(default_factory=dict)
    on_ack: Callable[[], None] = lambda: None
    talked: asyncio.Event = field(default_factory=asyncio.Event)
    _http: aiohttp.ClientSession | None = None
    _group: asyncio.TaskGroup | None = None
    _end: asyncio.Event = field(default_factory=asyncio.Event)
    _at: dict[str, set[str]] = field(default_factory=dict)
    _number: int = 0
    _visits: int = 0

    async def run(self, stop: asyncio.Event, end: asyncio.Event) -> None:
        """Send until there were enough updates or `stop`; what is shown is answered until `end`."""
        timeout = aiohttp.ClientTimeout(total=ASKING_S)
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(timeout=timeout, connector=connector) as http:
            self._http = http
            async with asyncio.TaskGroup() as people:
                self._group = people
                talking = [people.create_task(self._talk(talk, stop)) for talk in self.talks]
                await asyncio.wait(talking)
                self.talked.set()
                await end.wait()
                self._group = None
                self._end.set()

    def open_cards(self) -> list[str]:
        """The cards that people see with buttons."""
        return [token for token, seen in self.cards.items() if not seen.closed.is_set()]

    @property
    def sent(self) -> int:
        """How many updates there were, repeats not counted."""
        return self.counts["messages"] + self.counts["taps"]

    # Messages

    async def _talk(self, talk: Talk, stop: asyncio.Event) -> None:
        interval_s = self.spread_s * len(self.talks) / self.updates
        await pause(stop, self.rng.uniform(0, interval_s))
        while not stop.is_set() and self.sent < self.updates:
            request = self.rng.random() < 0.2
            text = self._request() if request else self._lookup()
            self.counts["messages"] += 1
            await (self._say_slack if talk.slack else self._say_telegram)(talk, text, request)
            await pause(stop, self.rng.uniform(0.3, 1.7) * interval_s)

    def _lookup(self) -> str:
        return self.rng.choice(LOOKUPS).format(who=self.rng.choice(SUBJECTS))

    def _request(self) -> str:
        """No two requests are for the same subject and day."""
        day, subject = divmod(self._visits, len(SUBJECTS))
        self._visits += 1
        told = FIRST_DAY + timedelta(days=day)
        weight = self.rng.randint(40, 99)
        form = self.rng.choice(REQUESTS)
        return form.format(who=SUBJECTS[subject], day=told.isoformat(), weight=weight)

    async def _say_slack(self, talk: Talk, text: str, request: bool) -> None:
        self._number += 1
        ts = f"{1_790_000_000 + self._number}.000100"
        user = f"U{talk.number:04}"
        inner = payloads.inner_message(
            text, kind="message", user=user, channel=talk.place, ts=ts, thread_ts="", team=TEAM
        )
        event = payloads.event(
            inner, team=TEAM, bot_user=BOT_USER, event_id=f"Ev{self._number:08}", event_time=1
        )
        tries = 0

        async def deliver() -> Answer:
            nonlocal tries
            retry = {"X-Slack-Retry-Num": str(tries), "X-Slack-Retry-Reason": "http_timeout"}
            body = json.dumps(event).encode()
            tries += 1
            return await self._slack(body, "application/json", retry if tries > 1 else {})

        await self._until_taken(deliver)
        talk.said.append(Said(f"slack:{TEAM}:{talk.place}:{ts}", text, request))
        await self._perhaps_again(deliver)

    async def _say_telegram(self, talk: Talk, text: str, request: bool) -> None:
        self._number += 1
        number = self._number
        person = {"id": int(talk.place), "is_bot": False, "first_name": f"Ana {talk.number}"}
        message = {
            "message_id": 5_000_000 + number,
            "from": person,
            "chat": {"id": int(talk.place), "type": "private", "first_name": "Ana"},
            "date": 1_790_000_000 + number,
            "text": text,
        }

        async def deliver() -> Answer:
            return await self._telegram({"update_id": number, "message": message})

        await self._until_taken(deliver)
        talk.said.append(Said(f"telegram:{BOT_ID}:update:{number}", text, request))
        await self._perhaps_again(deliver)

    async def _until_taken(self, deliver: Callable[[], Any]) -> None:
        """As the platforms do: again, in order, until 200; sooner than they, to save time."""
        delay_s = 0.05
        while (await deliver())[0] != 200:
            self.counts["retries"] += 1
            await pause(self._end, delay_s)
            delay_s = min(delay_s * 2, 1.0)
        self.counts["acknowledged"] += 1
        self.on_ack()

    async def _perhaps_again(self, deliver: Callable[[], Any]) -> None:
        """A delivery that was acknowledged comes once more now and then, or twice at once."""
        if self.rng.random() < 0.1:
            times = self.rng.choice((1, 1, 2))
            self.counts["repeats"] += times
            await asyncio.gather(*(deliver() for _ in range(times)))

    # Cards

    def shown(self, message: Shown) -> None:
        """The platform shows a message; whoever may decide its card will tap in a moment."""
        for button in message.buttons.values():
            if button.token not in self.cards:
                self.cards[button.token] = Seen({}, set(), asyncio.Event())
                self._begin(self._answer(button.token))
            self.cards[button.token].buttons |= message.buttons
        self._note_closed(message)

    def _note_closed(self, message: Shown) -> None:
        place = f"{message.place}/{message.id}"
        tokens = {button.token for button in message.buttons.values()}
        for token in tokens:
            self.cards[token].places.add(place)
        for token in self._at.pop(place, set()) - tokens:
            self.cards[token].closed.set()
        if tokens:
            self._at[place] = tokens

    def _begin(self, work: Any) -> None:
        if self._group is not None:
            self._group.create_task(work)
        else:
            work.close()

    async def _answer(self, token: str) -> None:
        """Tap until the card is closed: a tap that was not recorded is not retried for us."""
        seen = self.cards[token]
        await pause(seen.closed, self.rng.uniform(0.05, 1.5))
        while not seen.closed.is_set() and not self._end.is_set():
            if "approve" in seen.buttons:
                await self._review(seen)
            else:
                choice = "ok" if "ok" in seen.buttons else "withdraw"
                await self._own_tap(seen, choice)
            await pause(seen.closed, self.rng.uniform(1.5, 3.0))

    async def _own_tap(self, seen: Seen, choice: str) -> None:
        """Who asked taps on a card of their own conversation."""
        place = next((p.split("/")[0] for p in seen.places), "")
        button = seen.buttons[choice]
        if place.startswith("D"):
            await self._tap_slack(button, f"U{place[1:]}", place)
        else:
            await self._tap_telegram(button, int(place))

    async def _review(self, seen: Seen) -> None:
        """One or both reviewers tap, at the same moment when both do, and not always alike."""
        taps = []
        approve, reject = seen.buttons["approve"], seen.buttons["reject"]
        roll = self.rng.random()
        if roll < 0.6:
            slack = reject if self.rng.random() < 0.25 else approve
            taps.append(self._tap_slack(slack, SLACK_REVIEWER, f"D{SLACK_REVIEWER[1:]}"))
        if roll > 0.3:
            taps.append(self._tap_telegram(approve, TELEGRAM_REVIEWER))
        if roll > 0.95:
            # Telegram's reviewer is a stranger on Slack.
            taps.append(self._tap_slack(approve, "U9999", "D9999"))
        await asyncio.gather(*taps)

    async def _tap_slack(self, button: Button, user: str, channel: str) -> None:
        self.counts["taps"] += 1
        self._number += 1
        ts, trigger = f"{1_790_000_000 + self._number}.000200", f"{self._number}.1.tr"
        message = {"channel": channel, "ts": "1.1", "thread_ts": "", "text": "", "blocks": []}
        action = {"action_id": "signoff:0", "text": {}, "value": button.pack()}
        tap = payloads.block_actions(
            action, message, team=TEAM, user=user, trigger_id=trigger, action_ts=ts
        )

        async def deliver() -> Answer:
            return await self._slack_form(tap)

        update = f"slack:action:{TEAM}:{user}:{channel}:{ts}"
        self.taps[update] = button.token
        await deliver()
        await self._perhaps_again(deliver)
        view = self.platforms.views.pop(trigger, None)
        if view is not None:
            await self._send_form(view, user, trigger)

    async def _send_form(self, view: Json, user: str, trigger: str) -> None:
        values = {b["block_id"]: "please check" for b in view["blocks"] if b["type"] == "input"}
        sent = payloads.view_submission(
            view, values, team=TEAM, user=user, view_id=f"V{self._number}", hash=trigger
        )
        self.counts["taps"] += 1

        async def deliver() -> Answer:
            return await self._slack_form(sent)

        await deliver()
        await self._perhaps_again(deliver)

    async def _tap_telegram(self, button: Button, user: int) -> None:
        self.counts["taps"] += 1
        self._number += 1
        number, callback = self._number, f"cb{self._number}"
        bot = {"id": BOT_ID, "is_bot": True, "first_name": "S"}
        chat = {"id": user, "type": "private", "first_name": "Ana"}
        query = {
            "id": callback,
            "from": {"id": user, "is_bot": False, "first_name": "Ana"},
            "message": {"message_id": 1, "from": bot, "chat": chat, "date": 1, "text": "…"},
            "chat_instance": "-1",
            "data": button.pack(),
        }

        async def deliver() -> Answer:
            return await self._telegram({"update_id": number, "callback_query": query})

        self.taps[f"telegram:{BOT_ID}:update:{number}"] = button.token
        await self._until_taken(deliver)
        await self._perhaps_again(deliver)

    # Requests

    async def _slack_form(self, payload: Json) -> Answer:
        body = urlencode({"payload": json.dumps(payload)}).encode()
        return await self._slack(body, "application/x-www-form-urlencoded", {})

    async def _slack(self, body: bytes, kind: str, more: dict[str, str]) -> Answer:
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

    async def _telegram(self, update: Json) -> Answer:
        headers = {
            "Content-Type": "application/json",
            "X-Telegram-Bot-Api-Secret-Token": WEBHOOK_SECRET,
        }
        return await self._post("/telegram/webhook", json.dumps(update).encode(), headers)

    async def _post(self, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        """Status and body; 0 when the connection failed or the answer never came."""
        assert self._http is not None
        web = self.rng.choice(self.webs)
        web.inside += 1
        try:
            async with self._http.post(web.url + path, data=body, headers=headers) as answer:
                self.counts[f"HTTP {answer.status}"] += 1
                return answer.status, await answer.text()
        except (aiohttp.ClientError, TimeoutError, OSError):
            self.counts["HTTP failed"] += 1
            return 0, ""
        finally:
            web.inside -= 1
