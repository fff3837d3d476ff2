"""Plays a test on a stage: does what its steps say, and has each checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from bot.testing.checks import check_step
from bot.testing.describe import describe_happenings
from bot.testing.files.model import Deed, FileContent, Scalar
from bot.testing.files.scenario import Scenario, ScenarioStep
from bot.testing.happenings import Happenings, Watcher, asked_people, is_open
from bot.testing.reach import ReachKey, reached_by
from bot.testing.stub_hints import missing_tools
from bot.testing.theatre.stage import Stage, StandStill, Theatre
from cards.buttons import Button
from cards.model import SUBMIT, Card, Choice
from engine.events import CardTapped, FormSubmitted, MessageReceived, Outcome
from engine.yaml.faults import suggestion


@dataclass(frozen=True, slots=True)
class Fault:
    """What differed: `file:line: path: message`, and below it what happened instead."""

    text: str
    around: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayedTest:
    """How a test went: its faults, none when it passed, and what it has reached."""

    scenario: Scenario
    faults: tuple[Fault, ...]
    took_s: float
    reached: frozenset[ReachKey] = frozenset()
    happenings: tuple[Happenings, ...] = field(default=(), repr=False)

    @property
    def passed(self) -> bool:
        """Whether all was as expected."""
        return not self.faults


class CannotDo(Exception):
    """A step cannot be done; the text says why."""


async def play(scenario: Scenario, theatre: Theatre) -> PlayedTest:
    """Play a test from an empty store; the first step that differs ends it."""
    begun_s = perf_counter()
    given = scenario.given
    theatre.folder.world.reset(scenario.stubs, real=given.connections == "real")
    seen: list[Happenings] = []
    async with theatre.stage(given) as stage:
        faults = await _play_steps(scenario, stage, seen)
        reached = await reached_by(stage, seen)
    took_s = perf_counter() - begun_s
    return PlayedTest(scenario, tuple(faults), took_s, reached, tuple(seen))


async def _play_steps(scenario: Scenario, stage: Stage, seen: list[Happenings]) -> Sequence[Fault]:
    world, player = stage.folder.world, Player(stage)
    # What the service reads for itself at the start need not be there.
    world.missing.clear()
    for step in scenario.steps:
        try:
            happened = await player.do(step)
        except CannotDo as error:
            before = tuple(describe_happenings(seen[-1])) if seen else ()
            return [Fault(f"{step.place}: {error}", before)]
        except (StandStill, TimeoutError) as error:
            why = str(error) or "the service did not come to rest within five minutes"
            return [Fault(f"{step.place}: {why}")]
        seen.append(happened)
        faults = [*missing_tools(step, world, stage.folder), *check_step(step, happened)]
        if faults:
            around = tuple(describe_happenings(happened))
            return [Fault(text) for text in faults[:-1]] + [Fault(faults[-1], around)]
    return []


class Player:
    """Does what the steps say."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._watcher = Watcher(stage)

    async def do(self, step: ScenarioStep) -> Happenings:
        """Do it, and return once the service has come to rest. Raises CannotDo, StandStill."""
        place, acted, outcome = "", "", None
        if step.deed is None:
            await self._stage.rest(step.after_s)
        else:
            place = self._stage.folder.place(step.person, step.deed.room)
            self._watcher.enter(place, step.person)
            outcome, acted = await self._act(step, step.deed, place)
            await self._stage.rest()
        return await self._watcher.look(place=place, outcome=outcome, acted=acted)

    async def _act(self, step: ScenarioStep, deed: Deed, place: str) -> tuple[Outcome, str]:
        update = {
            "id": self._stage.new_id(),
            "conversation": place,
            "actor": self._stage.actor(step.person),
        }
        if deed.fill is None and deed.tap is None:
            shared = [self._stage.chat.share(file, step.folder) for file in deed.shares or ()]
            said = MessageReceived(**update, text=deed.says or "", files=tuple(shared))
            return await self._stage.give(said), ""
        card, choice = self._find(step.person, deed, deed.tap or SUBMIT)
        values = dict(deed.values if deed.fill is None else deed.fill)
        if deed.reason is not None:
            values["reason"] = deed.reason
        asks = any(each.required for each in choice.form)
        if deed.fill is not None or values or (choice.form and not asks):
            form = self._form(step, card, choice, values)
            return await self._stage.give(FormSubmitted(**update, **form)), card.token
        tap = CardTapped(**update, button=_button(card, choice))
        return await self._stage.give(tap), card.token

    def _form(
        self,
        step: ScenarioStep,
        card: Card,
        choice: Choice,
        values: Mapping[str, Scalar | FileContent],
    ) -> dict[str, Any]:
        names = [each.name for each in choice.form]
        for name in values:
            if name not in names:
                raise CannotDo(f"{card.title!r} has no field {name}; {suggestion(name, names)}")
        files = {name: file for name, file in values.items() if isinstance(file, FileContent)}
        return {
            "button": _button(card, choice),
            # As on a page, what stands in the form is sent with it.
            "values": {each.name: each.value for each in choice.form if each.value}
            | {name: _typed(value) for name, value in values.items()},
            "uploads": {n: self._stage.chat.share(f, step.folder) for n, f in files.items()},
        }

    def _find(self, person: str, deed: Deed, wanted: str) -> tuple[Card, Choice]:
        """The card that is meant, and its button: one that waits for the person, or the newest."""
        pairs = [
            (card, choice)
            for card in reversed(self._watcher.cards)
            for choice in card.choices
            if wanted.casefold() in (choice.id.casefold(), choice.label.casefold())
            and deed.card.casefold() in card.title.casefold()
        ]
        if not pairs:
            raise CannotDo(self._no_button(deed, wanted))
        mine = [pair for pair in pairs if is_open(pair[0]) and person in asked_people(pair[0])]
        still = [pair for pair in pairs if is_open(pair[0])]
        return (mine or still or pairs)[0]

    def _no_button(self, deed: Deed, wanted: str) -> str:
        cards = [card for card in self._watcher.cards if is_open(card)]
        cards = [card for card in cards if deed.card.casefold() in card.title.casefold()]
        buttons = [choice.id for card in cards for choice in card.choices]
        if wanted == SUBMIT and not any(SUBMIT in (c.id for c in card.choices) for card in cards):
            return "no form is open" + (f" on {deed.card!r}" if deed.card else "")
        if not cards:
            return "no card is open"
        return f"no open card has a button {wanted}; {suggestion(wanted, buttons)}"


def _button(card: Card, choice: Choice) -> str:
    return Button(token=card.token, choice=choice.id, revision=card.revision).pack()


def _typed(value: Scalar | FileContent) -> str:
    """A value as people type it; of a file its name."""
    match value:
        case FileContent(name=name):
            return name
        case bool():
            return "yes" if value else "no"
        case float() if value.is_integer():
            return str(int(value))
    return str(value)
