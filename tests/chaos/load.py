"""People on Slack and Telegram, and platforms that deliver again what was not acknowledged."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import aiohttp

from adapters.telegram.forms.confirmation import user_key
from bot.waits import pause
from cards.buttons import Button
from tests.chaos.people import TEAM, Answer, Doors, FormText, Json, Seen, Talk, Tap, Web
from tests.chaos.platforms import BOT_ID, Platforms, Shown
from tests.fakes.platforms.slack import payloads

BOT_USER = "U0BOT"
# Reviewers: one at home on Slack, one on Telegram.
SLACK_REVIEWER, TELEGRAM_REVIEWER = "UCHEN", 2002
SUBJECTS = tuple(f"P{n:03}" for n in range(1, 13))
LOOKUPS = ("ECOG of {who}?", "weight of {who}?", "show me the ECOG of {who}", "{who} 的体重")
REQUESTS = (
    "record the visit of {who} on {day}, ECOG 1, weight {weight}, BP 120/80",
    "补录 {who} {day} 的访视，体重 {weight}，血压 120/80，ECOG 1",
)
FIRST_DAY = date(2001, 1, 1)
ASKING_S = 8.0
# Each request is two messages in each reviewer's chat, which takes one per second and partition.
REQUEST_SHARE = 0.08


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
    taps: list[Tap] = field(default_factory=list)
    cards: dict[str, Seen] = field(default_factory=dict)
    # People go on for as long as this wants more.
    more: Callable[[], bool] = lambda: False
    talked: asyncio.Event = field(default_factory=asyncio.Event)
    _doors: Doors | None = None
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
            self._doors = Doors(http, self.webs, self.rng, self.counts)
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

    @property
    def _through(self) -> Doors:
        assert self._doors is not None
        return self._doors

    # Messages

    async def _talk(self, talk: Talk, stop: asyncio.Event) -> None:
        interval_s = self.spread_s * len(self.talks) / self.updates
        await pause(stop, self.rng.uniform(0, interval_s))
        while not stop.is_set() and (self.sent < self.updates or self.more()):
            request = self.rng.random() < REQUEST_SHARE
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
            return await self._through.slack(body, "application/json", retry if tries > 1 else {})

        await self._until_taken(deliver)
        talk.said.append(FormText(f"slack:{TEAM}:{talk.place}:{ts}", text, request))
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
            return await self._through.telegram({"update_id": number, "message": message})

        await self._until_taken(deliver)
        talk.said.append(FormText(f"telegram:{BOT_ID}:update:{number}", text, request))
        await self._perhaps_again(deliver)

    async def _until_taken(self, deliver: Callable[[], Any]) -> None:
        """As the platforms do: again, in order, until 200; sooner than they, to save time."""
        delay_s = 0.05
        while (await deliver())[0] != 200:
            self.counts["retries"] += 1
            await pause(self._end, delay_s)
            delay_s = min(delay_s * 2, 1.0)
        self.counts["acknowledged"] += 1

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
            await self._tap_telegram(button, int(place), seen)

    async def _review(self, seen: Seen) -> None:
        """One or both reviewers tap, at the same moment when both do, and not always alike."""
        taps = []
        approve, reject = seen.buttons["approve"], seen.buttons["reject"]
        roll = self.rng.random()
        if roll < 0.6:
            slack = reject if self.rng.random() < 0.25 else approve
            taps.append(self._tap_slack(slack, SLACK_REVIEWER, f"D{SLACK_REVIEWER[1:]}"))
        if roll > 0.3:
            taps.append(self._tap_telegram(approve, TELEGRAM_REVIEWER, seen))
        if roll > 0.95:
            # Telegram's reviewer is a stranger on Slack.
            taps.append(self._tap_slack(approve, "U9999", "D9999"))
        await asyncio.gather(*taps)

    async def _tap_slack(self, button: Button, user: str, channel: str) -> None:
        self._number += 1
        ts, trigger = f"{1_790_000_000 + self._number}.000200", f"{self._number}.1.tr"
        # A channel of its own, so that it is known what the tapper was told about this tap.
        channel = f"{channel}T{self._number}"
        message = {"channel": channel, "ts": "1.1", "thread_ts": "", "text": "", "blocks": []}
        action = {"action_id": "signoff:0", "type": "button", "text": {}, "value": button.pack()}
        tap = payloads.block_actions(
            action, message, team=TEAM, user=user, trigger_id=trigger, action_ts=ts
        )
        # Nothing was ever shown there, so no message is named in which the button stood.
        del tap["message"], tap["container"]["message_ts"]

        update = f"slack:action:{TEAM}:{user}:{channel}:{ts}"
        noted = self._tap(update, button, f"{channel}/{user}", trigger)

        async def deliver() -> Answer:
            noted.heard.append(await self._through.slack_form(tap))
            return noted.heard[-1]

        await deliver()
        await self._perhaps_again(deliver)
        view = self.platforms.views.pop(trigger, None)
        if view is not None:
            await self._send_form(view, user, trigger, button)

    def _tap(self, update: str, button: Button, *notices: str, form: bool = False) -> Tap:
        self.counts["taps"] += 1
        self.taps.append(Tap(update, button.token, button.choice, notices, form))
        return self.taps[-1]

    async def _send_form(self, view: Json, user: str, trigger: str, button: Button) -> None:
        values = {b["block_id"]: "please check" for b in view["blocks"] if b["type"] == "input"}
        sent = payloads.view_submission(
            view, values, team=TEAM, user=user, view_id=f"V{self._number}", hash=trigger
        )
        noted = self._tap(f"slack:view:{TEAM}:V{self._number}:{trigger}:", button, form=True)

        async def deliver() -> Answer:
            noted.heard.append(await self._through.slack_form(sent))
            return noted.heard[-1]

        await deliver()
        await self._perhaps_again(deliver)

    async def _tap_telegram(self, button: Button, user: int, seen: Seen) -> None:
        ids = [place.split("/")[1] for place in seen.places if place.startswith(f"{user}/")]
        if not ids:
            # Not shown to them yet; they look again later.
            return
        self._number += 1
        number, callback = self._number, f"cb{self._number}"
        bot = {"id": BOT_ID, "is_bot": True, "first_name": "S"}
        chat = {"id": user, "type": "private", "first_name": "Ana"}
        query = {
            "id": callback,
            "from": {"id": user, "is_bot": False, "first_name": "Ana"},
            "message": {
                "message_id": int(ids[-1]),
                "from": bot,
                "chat": chat,
                "date": 1,
                "text": "…",
            },
            "chat_instance": "-1",
            # Asked already whether they are sure.
            "data": f"y1:{button.pack().removeprefix('s1:')}:{user_key(user)}",
        }

        noted = self._tap(f"telegram:{BOT_ID}:update:{number}", button, callback)

        async def deliver() -> Answer:
            update = {"update_id": number, "callback_query": query}
            noted.heard.append(await self._through.telegram(update))
            return noted.heard[-1]

        await self._until_taken(deliver)
        await self._perhaps_again(deliver)
