"""Plays a test against the service under test: does what its steps say, and has each checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from bot.api.case_changes import CaseChangesAnswer
from bot.testing.checks import check_step
from bot.testing.describe import describe_happenings
from bot.testing.files.model import FileContent, PersonAction, Scalar
from bot.testing.files.scenario import Scenario, ScenarioStep
from bot.testing.happenings import Happenings, Watcher, asked_people, is_open
from bot.testing.harness.service import Harness, NotSettled, ServiceUnderTest
from bot.testing.reach import ReachKey, reached_by
from bot.testing.stub_hints import missing_tools
from cards.buttons import Button
from cards.model import SUBMIT, Card, Choice
from engine.events import CardTapped, DirectAnswer, FormSubmitted, MessageReceived, Outcome
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


async def play(scenario: Scenario, harness: Harness) -> PlayedTest:
    """Play a test from an empty store; the first step that differs ends it."""
    begun_s = perf_counter()
    given = scenario.given
    harness.folder.systems.reset(scenario.stubs, real=given.connections == "real")
    seen: list[Happenings] = []
    async with harness.serve(given) as service:
        faults = await _play_steps(scenario, service, seen)
        reached = await reached_by(service, seen)
    took_s = perf_counter() - begun_s
    return PlayedTest(scenario, tuple(faults), took_s, reached, tuple(seen))


async def _play_steps(
    scenario: Scenario, service: ServiceUnderTest, seen: list[Happenings]
) -> Sequence[Fault]:
    systems, player = service.folder.systems, Player(service)
    # What the service reads for itself at the start need not be there.
    systems.missing.clear()
    for step in scenario.steps:
        try:
            happened = await player.do(step)
        except CannotDo as error:
            before = tuple(describe_happenings(seen[-1])) if seen else ()
            return [Fault(f"{step.place}: {error}", before)]
        except (NotSettled, TimeoutError) as error:
            why = str(error) or "the service did not come to rest within five minutes"
            return [Fault(f"{step.place}: {why}")]
        seen.append(happened)
        faults = [*missing_tools(step, systems, service.folder), *check_step(step, happened)]
        if faults:
            around = tuple(describe_happenings(happened))
            return [Fault(text) for text in faults[:-1]] + [Fault(faults[-1], around)]
    return []


class Player:
    """Does what the steps say."""

    def __init__(self, service: ServiceUnderTest) -> None:
        self._service = service
        self._watcher = Watcher(service)

    async def do(self, step: ScenarioStep) -> Happenings:
        """Do it, and return once the service has come to rest. Raises CannotDo, NotSettled."""
        place, acted, answer = "", "", None
        outcome: Outcome | None = None
        if step.call is not None:
            answer = await self._service.answer(step.call)
            await self._service.rest()
        elif step.change is not None:
            outcome = _told_system(await self._service.take(step.change))
            await self._service.rest()
        elif step.action is None:
            await self._service.rest(step.after_s)
        else:
            place = self._service.folder.place(step.person, step.action.room)
            self._watcher.enter(place, step.person)
            outcome, acted = await self._act(step, step.action, place)
            await self._service.rest()
        return await self._watcher.look(place=place, outcome=outcome, acted=acted, answer=answer)

    async def _act(
        self, step: ScenarioStep, action: PersonAction, place: str
    ) -> tuple[Outcome, str]:
        update = {
            "id": self._service.new_id(),
            "conversation": place,
            "actor": self._service.actor(step.person),
        }
        if action.fill is None and action.tap is None:
            shared = [self._service.chat.share(file, step.folder) for file in action.shares or ()]
            said = MessageReceived(**update, text=action.says or "", files=tuple(shared))
            return await self._service.give(said), ""
        card, choice = self._find(step.person, action, action.tap or SUBMIT)
        values = dict(action.values if action.fill is None else action.fill)
        if action.reason is not None:
            values["reason"] = action.reason
        asks = any(each.required for each in choice.form)
        if action.fill is not None or values or (choice.form and not asks):
            form = self._form(step, card, choice, values)
            return await self._service.give(FormSubmitted(**update, **form)), card.token
        tap = CardTapped(**update, button=_button(card, choice))
        return await self._service.give(tap), card.token

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
            "uploads": {n: self._service.chat.share(f, step.folder) for n, f in files.items()},
        }

    def _find(self, person: str, action: PersonAction, wanted: str) -> tuple[Card, Choice]:
        """The card that is meant, and its button: one that waits for the person, or the newest."""
        pairs = [
            (card, choice)
            for card in reversed(self._watcher.cards)
            for choice in card.choices
            if wanted.casefold() in (choice.id.casefold(), choice.label.casefold())
            and action.card.casefold() in card.title.casefold()
        ]
        if not pairs:
            raise CannotDo(self._no_button(action, wanted))
        mine = [pair for pair in pairs if is_open(pair[0]) and person in asked_people(pair[0])]
        still = [pair for pair in pairs if is_open(pair[0])]
        return (mine or still or pairs)[0]

    def _no_button(self, action: PersonAction, wanted: str) -> str:
        cards = [card for card in self._watcher.cards if is_open(card)]
        cards = [card for card in cards if action.card.casefold() in card.title.casefold()]
        buttons = [choice.id for card in cards for choice in card.choices]
        if wanted == SUBMIT and not any(SUBMIT in (c.id for c in card.choices) for card in cards):
            return "no form is open" + (f" on {action.card!r}" if action.card else "")
        if not cards:
            return "no card is open"
        return f"no open card has a button {wanted}; {suggestion(wanted, buttons)}"


def _told_system(answer: CaseChangesAnswer) -> Outcome | None:
    """Why a change does not count; None when it does."""
    return DirectAnswer(answer.error, ok=False) if answer.error else None


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
