"""A service whose worker is turned by hand: one mail at a time, so that a test sees each state.

Everything is the real thing (intake, store, handling, lanes); only when the next mail is taken is
up to the test. Every commit is checked: a card of a run never changes without an entry in its log.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from adapters.redis import keys
from bot.serve.delivery.carriers import ChangeCarrier, FindingsCarrier, LetterCarrier
from bot.serve.delivery.delivery import Delivery
from bot.serve.delivery.localizer import Localizer
from bot.serve.work.lanes import LaneLoop
from bot.serve.work.results import HandlerResult
from bot.settings import Settings
from bot.waits import pause
from bot.wiring.service import Parts, open_parts
from cards.buttons import Button
from cards.model import Card
from engine.events import (
    Actor,
    CardTapped,
    DirectAnswer,
    FormSubmitted,
    MessageReceived,
    Outcome,
    Update,
)
from engine.frames.state import Run
from engine.ports.meter import NO_METER
from engine.ports.storage.store import Claim, Effects
from engine.runs.audit_state import AuditState, reconstruct_state
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.unlogged_cards import unlogged_cards


def at(room: str) -> str:
    """The conversation of a room of the web chat."""
    return f"web:local:{room}"


@dataclass(frozen=True, slots=True)
class Kept:
    """A run as the store has it: its state, how it ended, what is left in its log."""

    run: Run
    ended: str
    log: tuple[str, ...]

    @property
    def status(self) -> str:
        """How it stands."""
        return self.ended or self.run.status

    @property
    def entries(self) -> list[dict[str, Any]]:
        """Its log, read."""
        return [json.loads(entry) for entry in self.log]

    @property
    def by_log(self) -> AuditState:
        """How it stands by its log alone."""
        return reconstruct_state(self.log)


class Crank:
    """People who write and tap, and the handle that has one mail of one lane handled."""

    def __init__(self, parts: Parts, delivery: Delivery | None = None) -> None:
        self.parts = parts
        self.delivery = delivery
        self.lanes = LaneLoop(
            parts.store.mailbox,
            parts.handler,
            limit=1,
            lease_s=parts.settings.lease_s,
            typing_platform=lambda conversation: None,
            on_commit=self._note_commit,
            meter=NO_METER,
        )
        # A lane is given back after each mail.
        self._stop = asyncio.Event()
        self._stop.set()

    @property
    def client(self) -> Any:
        """The store itself."""
        return self.parts.store.client

    def later(self, seconds: float) -> None:
        """The store's clock goes on."""
        self.parts.store.scripts.offset_ms += int(seconds * 1000)

    def _note_commit(self, effects: Effects) -> None:
        told_of_every_card(effects)
        if self.delivery is not None:
            self.delivery.wake()

    async def take(self) -> Claim | None:
        """A lane with mail, leased; None when none is due."""
        taken = await self.parts.store.mailbox.take(1)
        return taken.claims[0] if taken.claims else None

    async def handle(self, claim: Claim) -> None:
        """The claim's mail, as a worker handles it; what it raises, the worker sees to."""
        await self.lanes._hold_lane(claim, self._stop, self.lanes._places.take(claim.kind))

    async def worked(self, claim: Claim) -> HandlerResult:
        """What a worker would commit for the claim's mail; all but the commit is done."""

        async def progress(effects: Effects) -> None:
            raise AssertionError("only messages commit in between")

        return await self.parts.handler.handle(claim, progress)

    async def commit(self, claim: Claim, handled: HandlerResult) -> None:
        """What was worked out before; raises as the store does."""
        await self.parts.store.mailbox.commit(
            claim,
            handled.effects,
            pop=not handled.park,
            front=handled.front,
            after="park" if handled.park else "release",
        )

    async def turn(self) -> bool:
        """One mail; False when none is due."""
        claim = await self.take()
        if claim is not None:
            await self.handle(claim)
        return claim is not None

    async def still(self) -> None:
        """Everything that is due."""
        async with within(PATIENCE_S, "no mail is due"):
            while await self.turn():
                pass

    async def settled(self) -> None:
        """Everything, and what is to be shown or handed over too: needs `delivering`."""
        async with within(PATIENCE_S, "all is shown and handed over"):
            while True:
                await self.still()
                backlog = await self.parts.store.operations.backlog()
                if not backlog.lanes and not backlog.destinations:
                    return
                await pause(asyncio.Event(), 0.005)

    async def say(self, person: str, text: str, room: str = "main") -> Outcome:
        """A message, or a command."""
        return await self.give(MessageReceived, room, person, text=text)

    async def tap(self, person: str, card: Card, choice: str, **more: Any) -> Outcome:
        """A tap on the card's button as it was shown; see `give`."""
        return await self.give(CardTapped, "main", person, button=pressed(card, choice), **more)

    async def fill(
        self, person: str, card: Card, choice: str, values: Mapping[str, str], **more: Any
    ) -> Outcome:
        """The card's form; see `give`."""
        given = {"button": pressed(card, choice), "values": dict(values), **more}
        return await self.give(FormSubmitted, "main", person, **given)

    async def give(
        self, kind: Any, room: str, person: str, *, id: str = "", **more: Any
    ) -> Outcome:
        """An update of that kind, as the web chat makes it."""
        update: Update = kind(
            # A number might stand for another update in a store that a test puts back.
            id=id or f"crank-{uuid4().hex}",
            conversation=at(room),
            actor=Actor(platform="web", workspace="local", user=person),
            **more,
        )
        return await self.parts.intake(update)

    async def cards(self, room: str = "main") -> Sequence[Card]:
        """The open cards of a room."""
        return await self.parts.services.decisions.open_cards(at(room))

    async def card(self, room: str = "main") -> Card:
        """The one open card of a room."""
        (card,) = await self.cards(room)
        return card

    async def now(self, card: Card) -> Card:
        """The card as it is stored."""
        found = await self.parts.services.decisions.card(card.token)
        assert found is not None
        return found.card

    async def runs(self, room: str = "main") -> list[Kept]:
        """Every run that was ever begun in a room, the oldest first."""
        found = await self.parts.store.archive.runs(10_000)
        names = [name for name, history in reversed(found) if at(room) in history.body]
        return [await self.kept(name) for name in names]

    async def kept(self, run: str) -> Kept:
        """A run as it is stored."""
        history = await self.parts.store.archive.history(run)
        assert history is not None
        return Kept(Run.model_validate_json(history.body), history.ended, tuple(history.entries))

    async def cards_of(self, run: str) -> dict[str, Card]:
        """All cards of a run, by token."""
        partition = keys.Partitions(self.parts.settings.partitions).of_id(run)
        assert partition is not None
        key = f"{keys.tag(partition)}run:{run}"
        beside = str(await self.client.hget(key, "cards") or "").split()
        tokens = {*beside, *await self.client.smembers(f"{key}:cards")}
        found = [await self.parts.services.decisions.card(token) for token in tokens]
        return {each.card.token: each.card for each in found if each}


def pressed(card: Card, choice: str, *, revision: int = 0) -> str:
    """The data of the button for that choice."""
    return Button(token=card.token, choice=choice, revision=revision or card.revision).pack()


def told(outcome: Outcome) -> tuple[bool, str]:
    """Whether it was recorded, and what the tapper was told."""
    assert isinstance(outcome, DirectAnswer), outcome
    return outcome.ok, outcome.text


def told_of_every_card(effects: Effects) -> None:
    """That the log tells of each card that was written."""
    assert unlogged_cards(effects) == (), effects.log


@asynccontextmanager
async def cranked(settings: Settings, *, delivering: bool = False) -> AsyncIterator[Crank]:
    """A service without its processes; with `delivering`, what is due to be shown is shown."""
    async with open_parts(settings) as parts:
        parts.reloader.current.snapshot.table.learn()
        if not delivering:
            yield Crank(parts)
            return
        stop = asyncio.Event()
        delivery = _delivery(parts)
        async with asyncio.TaskGroup() as group:
            group.create_task(delivery.run(stop))
            try:
                yield Crank(parts, delivery)
            finally:
                stop.set()
                delivery.wake()


def _delivery(parts: Parts) -> Delivery:
    lease_s = parts.settings.lease_s
    return Delivery(
        parts.store.outbox,
        parts.resources.platforms,
        parts.services.clock,
        carriers=(
            ChangeCarrier(
                parts.store.outbox, parts.store.mailbox, parts.resources.record, lease_s=lease_s
            ),
            LetterCarrier(parts.store.outbox, parts.store.mailbox),
            FindingsCarrier(
                parts.store.outbox,
                parts.store.findings,
                lambda check: parts.services.project(check.conversation),
            ),
        ),
        rate=parts.store.rate,
        localizer=Localizer(parts.resources.people, parts.settings.timezone),
        lease_s=lease_s,
        reply_after_s=0,
        meter=NO_METER,
    )
