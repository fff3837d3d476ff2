"""Random lives of runs: people do what they may, and what they may not, early, late and twice."""

from typing import Any

from hypothesis import strategies as st

from cards.model import Card, Choice, Field
from engine.events import CardTapped, FormSubmitted
from engine.mail import MigrationOrdered, RunResumed
from tests.fakes.crank import Crank, at, pressed

PEOPLE = ("lin", "chen", "wu", "zhao")
REQUESTS = (
    "录入 P003 今天的访视",
    "录入 P003 今天的访视,ECOG 1,体重 60,血压 120/80",
    "录入 P099 今天的访视,ECOG 1,体重 60,血压 120/80",
    "对所有受试者做质控",
    "收一个新案子",
)
TEXTS = ("ECOG 1,体重 60.5", "血压 118/76", "ECOG 9", "体重 250", "P001 的 ECOG", "/cancel")
DAY_S = 24 * 3600
ACTIONS = ("tap", "tap", "tap", "fill", "fill", "say", "later", "turn", "operator")


def plausible(field: Field) -> str:
    """What a person might well write into a field."""
    if field.value:
        return field.value
    match field.type:
        case "choice":
            return field.options[0]
        case "integer" | "number":
            usual = {"ecog": 1, "weight_kg": 60, "systolic": 120, "diastolic": 80}
            return str(usual.get(field.name, int(field.minimum or 1)))
        case "date":
            return "2026-11-01"
        case _:
            return "P003" if field.name == "subject_id" else "something"


def filled(choice: Choice) -> dict[str, str]:
    """The whole form, plausibly."""
    return {field.name: plausible(field) for field in choice.form}


class Life:
    """One room in which things happen; it remembers every card that was ever open."""

    def __init__(self, crank: Crank, room: str, data: st.DataObject) -> None:
        self.crank = crank
        self.room = room
        self.data = data
        self.seen: dict[str, Card] = {}
        self.ids: list[str] = []

    def one_of(self, *things: Any) -> Any:
        """Any of them."""
        return self.data.draw(st.sampled_from(things))

    async def begin(self) -> None:
        """Somebody asks for work."""
        await self.crank.say("lin", self.one_of(*REQUESTS), self.room)
        await self._rest()

    async def go_on(self) -> str:
        """Anything happens; what it was."""
        what = str(self.one_of(*ACTIONS))
        await getattr(self, f"_{what}")()
        if self.one_of(True, True, True, False):
            await self._rest()
        return what

    async def _rest(self) -> None:
        await self.crank.still()
        self.seen |= {card.token: card for card in await self.crank.cards(self.room)}

    async def _turn(self) -> None:
        await self.crank.turn()

    async def _later(self) -> None:
        self.crank.later(self.one_of(60, 2 * 3600, DAY_S, 8 * DAY_S))

    async def _say(self) -> None:
        await self.crank.say(self.one_of(*PEOPLE), self.one_of(*TEXTS), self.room)

    async def _operator(self) -> None:
        """Lets a run go on that may not be blocked, or moves it to where it is, or nowhere."""
        parts = self.crank.parts
        for kept in await self.crank.runs(self.room):
            mail = RunResumed(by="operator:root", via="command line")
            await parts.store.operations.retry(kept.run.id, mail.model_dump_json())
            to = self.one_of(kept.run.digest, "0" * 64)
            moved = MigrationOrdered(
                to=to, by="operator:root", via="command line"
            ).model_dump_json()
            update = f"{kept.run.id}:{kept.run.steps}:{to}"
            await parts.store.mailbox.put(f"run:{kept.run.id}", moved, update_id=update)

    async def _tap(self) -> None:
        card = self._any_card()
        if card is None:
            return
        names = [choice.id for choice in card.choices]
        choice = self.one_of(*names, *names, "approve", "nonsense")
        revision = self.one_of(card.revision, card.revision, card.revision, card.revision + 1)
        button = pressed(card, choice, revision=revision)
        await self._give(CardTapped, card, button=button)

    async def _fill(self) -> None:
        card = self._any_card()
        forms = [choice for choice in card.choices if choice.form] if card else []
        if card is None or not forms:
            return
        choice = self.one_of(*forms)
        values = filled(choice)
        if self.one_of(False, False, False, True):
            values |= {choice.form[0].name: ""}
        await self._give(FormSubmitted, card, button=pressed(card, choice.id), values=values)

    def _any_card(self) -> Card | None:
        """Mostly one of the newest."""
        newest = list(self.seen.values())
        return self.one_of(*newest, *newest[-2:], *newest[-1:] * 3) if newest else None

    async def _give(self, kind: Any, card: Card, **given: Any) -> None:
        """Mostly by who is asked, and now and then with the id of an update that came before."""
        asked = (*card.review.persons, *(card.review.approvers or ()))
        number = f"{self.room}-{len(self.ids)}"
        update = self.one_of(number, number, number, *self.ids[-2:])
        self.ids.append(number)
        person = self.one_of(*PEOPLE, *asked, *asked)
        await self.crank.give(kind, self.room, person, id=update, **given)

    @property
    def conversation(self) -> str:
        """Where it happens."""
        return at(self.room)
