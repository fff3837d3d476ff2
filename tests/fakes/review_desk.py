"""A desk for reviews: cards in the real store, taps through the real intake, as people would."""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

from redis.asyncio import Redis

from adapters.clock import SystemClock
from adapters.redis import keys
from adapters.redis.arrivals import RedisArrivals
from adapters.redis.inbox import RedisInbox
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisDecisions, RedisMailbox
from bot.people.directory import Directory
from bot.serve.intake.intake import Intake
from cards.buttons import Button
from cards.model import Card, Choice, Field, Principal, Review
from engine.events import Actor, CardTapped, DirectAnswer, FormSubmitted, Outcome
from engine.ports.storage.store import CardWrite, Effects, RunWrite
from tests.fakes.settings import load_people
from tests.fakes.stored import unpack_all

PEOPLE = """\
roles:
  - {id: crc, zh: 协调员, en: coordinator}
  - {id: reviewer, zh: 审核员, en: reviewer}
  - {id: lead, zh: 负责人, en: lead}
people:
  - {id: lin, name: Lin, web: lin, slack: ["T1:ULIN"], telegram: ["11"], roles: [crc, reviewer]}
  - {id: ana, name: Ana, web: ana, slack: ["T1:UANA"], telegram: ["12"], roles: [reviewer]}
  - {id: bo, name: Bo, web: bo, slack: ["T1:UBO"], telegram: ["13"]}
  - {id: cara, name: Cara, web: cara, slack: ["T1:UCARA"], telegram: ["14"], roles: [reviewer]}
  - {id: dan, name: Dan, web: dan, slack: ["T1:UDAN"], telegram: ["15"], roles: [reviewer]}
  - {id: hui, name: Hui, web: hui, slack: ["T1:UHUI"], telegram: ["16"], roles: [lead]}
"""
ACCOUNTS = {
    "slack": {p: ("T1", f"U{p.upper()}") for p in ("lin", "ana", "bo", "cara", "dan", "hui")},
    "telegram": {
        p: ("9", str(n)) for n, p in enumerate(("lin", "ana", "bo", "cara", "dan", "hui"), 11)
    },
    "web": {p: ("local", p) for p in ("lin", "ana", "bo", "cara", "dan", "hui")},
}
HOLDERS = ("lin", "ana", "cara", "dan")
REASON = Field(name="reason", label="Reason")
CHOICES = (
    Choice(id="approve", label="Approve"),
    Choice(id="reject", label="Reject", form=(REASON,)),
)
LIN = Principal(id="lin", name="Lin")
_updates = itertools.count(1)


def directory(folder: Path, *changes: tuple[str, str], platforms: Sequence[str] = ()) -> Directory:
    """The people above, with changes of their file's text."""
    text = PEOPLE
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    path = folder / f"people-{next(_updates)}.yaml"
    path.write_text(text, encoding="utf-8")
    return replace(load_people(path), platforms=platforms)


# Time stands still where a test has set it; nothing else of the script is changed.
_STILL = """
local call = redis.call
local redis = {call = function(command, ...)
  local still = command == 'TIME' and call('GET', 'still')
  if still then return {string.sub(still, 1, -4), string.sub(still, -3) .. '000'} end
  return call(command, ...)
end}
"""


class StillScripts(Scripts):
    """The scripts over a clock that can be stopped at a millisecond."""

    def __init__(self, client: Redis) -> None:
        super().__init__(client)
        self._prelude = _STILL

    async def stop_at(self, moment: datetime) -> None:
        """From now on it is this moment, until another is set."""
        await self.client.set("still", round(moment.timestamp() * 1000))


@dataclass
class Desk:
    """Cards, and people who tap on them from any platform; nothing sweeps, nothing is shown."""

    scripts: StillScripts
    partitions: keys.Partitions
    mailbox: RedisMailbox
    decisions: RedisDecisions
    people: Directory
    conversation: str

    async def card(
        self,
        run: str = "",
        *,
        within: timedelta | None = None,
        asker: Principal = LIN,
        shows: Mapping[str, Any] = MappingProxyType({}),
        **review: Any,
    ) -> Card:
        """A new open card of a run, which is new as well unless it is named; Lin asked for it.

        `shows` is what is on it.
        """
        usual = {"roles": ("reviewer",), "four_eyes": True, "approvers": HOLDERS}
        name = run or self.partitions.new_id(self.conversation)
        opened = Card(
            kind="confirm",
            token=self.partitions.new_id(self.conversation),
            run=name,
            conversation=self.conversation,
            lang="en",
            title="Write it?",
            choices=CHOICES,
            review=Review.model_validate({**usual, **review}),
            **asker.as_requester(),
            waiting_for="reviewers",
            deadline=None if within is None else await self.now() + within,
        ).model_copy(update=dict(shows))
        run_write = RunWrite(id=name, conversation=self.conversation, reply="", body="{}")
        effects = Effects(runs=(run_write,), cards=(CardWrite(opened),))
        update = f"opened-{opened.token}"
        await self.decisions.decide(opened.token, update_id=update, answer="", effects=effects)
        return opened

    async def tap(
        self,
        person: str,
        card: Card,
        choice: str = "approve",
        /,
        *,
        on: str = "web",
        update: str = "",
        revision: int = 0,
        people: Directory | None = None,
        **values: str,
    ) -> Outcome:
        """A tap, or with values the form that a tap asks for, from an account on that platform."""
        workspace, user = ACCOUNTS[on][person]
        given: dict[str, Any] = {
            "id": update or f"tap-{next(_updates)}",
            "conversation": self.conversation,
            "actor": Actor(platform=on, workspace=workspace, user=user, name=person),
            "button": Button(
                token=card.token, choice=choice, revision=revision or card.revision
            ).pack(),
        }
        intake = self.intake(people)
        if choice == "reject" and not values:
            values = {"reason": f"{person} says no"}
        if values:
            return await intake(FormSubmitted(**given, values=values))
        return await intake(CardTapped(**given))

    def intake(self, people: Directory | None = None) -> Intake:
        """What takes in updates, by these people or those of the desk."""
        inbox = RedisInbox(self.scripts, self.partitions)
        arrivals = RedisArrivals(self.scripts, self.partitions)
        people = people or self.people
        now = SystemClock("UTC").now
        return Intake(self.mailbox, self.decisions, people, "UTC", inbox, arrivals, now)

    async def now(self) -> datetime:
        """The store's time."""
        still = await self.scripts.client.get("still")
        found = await self.scripts.client.time()
        ms = int(still or int(found[0]) * 1000 + int(found[1]) // 1000) + self.scripts.offset_ms
        return datetime.fromtimestamp(ms / 1000, tz=UTC)

    async def stored(self, card: Card) -> Card:
        """The card as it is now."""
        found = await self.decisions.card(card.token)
        assert found is not None
        return found.card

    async def log(self, card: Card) -> list[dict[str, Any]]:
        """Everything that the audit says of the card's run."""
        return [json.loads(each) for each in await self._list(card, f"log:{card.run}")]

    async def mails(self, card: Card) -> list[dict[str, Any]]:
        """What waits in the lane of the card's run."""
        return [json.loads(each) for each in await self._list(card, f"l:run:{card.run}:in")]

    async def _list(self, card: Card, name: str) -> list[str]:
        tag = keys.tag(self.partitions.of_conversation(card.conversation))
        found = await self.scripts.client.lrange(tag + name, 0, -1)
        return unpack_all(str(each) for each in found)


def answered(outcome: Outcome) -> DirectAnswer:
    """The answer that the tapper sees."""
    assert isinstance(outcome, DirectAnswer), outcome
    return outcome


def results(log: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Who tapped, and what came of it."""
    return [(str(e["by"]), str(e["result"])) for e in log if e["event"] == "tap"]
