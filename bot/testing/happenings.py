"""What happened in a step: what people were shown, what was called, how requests stand."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.api.skills import ApiAnswer
from bot.testing.harness.platform import ShownMessage
from bot.testing.harness.service import ServiceUnderTest
from bot.testing.harness.stubs import MadeCall
from cards.model import Card
from cards.showing.view import MessageView
from engine.events import DirectAnswer, FormRefused, FormWanted, NotRecorded, Outcome
from engine.frames.ends import end_of, with_stored_status
from engine.frames.state import Run
from engine.playbooks.end_kinds import RunEnd
from engine.reviews.clocks import awaited_voters

_MOST_RUNS = 1000
_MOST_CARDS = 1000

_COLON = re.compile("[:：]")
_MARKUP = "-*> \t"
_MOST_LABEL = 60

LogLine = tuple[str, Mapping[str, Any]]
"""A run's id, and an entry of its log."""


@dataclass(frozen=True, slots=True)
class Happenings:
    """All that a step brought about, and how everything stands after it.

    `place` is where it was done, "" when only time passed. `cards` are those that are open or were
    shown in it, the newest last, `opened` the tokens of those that nobody had seen before; `ended`
    are requests that ended in it. `acted` is the card that was tapped.
    """

    place: str
    outcome: Outcome | None
    shown: Sequence[ShownMessage]
    calls: Sequence[MadeCall]
    entries: Sequence[LogLine]
    cards: Sequence[Card]
    opened: frozenset[str]
    runs: Mapping[str, Run]
    ended: Mapping[str, RunEnd]
    acted: str = ""
    owners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Who reads each place."""
    labels: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What people read for a field, by its name."""
    answer: ApiAnswer | None = None
    """What the program got."""

    @property
    def said_at_once(self) -> str:
        """What whoever acted read at once."""
        match self.outcome:
            case DirectAnswer(text=text) | NotRecorded(text=text):
                return text
            case FormRefused(errors=errors):
                return "; ".join(f"{name}: {error}" for name, error in errors.items())
            case FormWanted(form=form):
                return form.title
        return ""

    @property
    def is_refused(self) -> bool:
        """Whether what was done did not count."""
        return isinstance(self.outcome, FormRefused | NotRecorded) or (
            isinstance(self.outcome, DirectAnswer) and not self.outcome.ok
        )

    def people_told(self) -> dict[str, None]:
        """Everybody who was shown something that they had not seen."""
        told = (each for each in self.shown if each.tells)
        return {person: None for each in told for person in self.readers(each.conversation)}

    def readers(self, conversation: str) -> tuple[str, ...]:
        """Who reads there."""
        return self.owners.get(conversation, ())

    def of_event(self, event: str) -> Iterator[Mapping[str, Any]]:
        """The entries of that kind."""
        return (entry for _, entry in self.entries if entry.get("event") == event)

    @property
    def latest_run(self) -> Run | None:
        """The request that the step was about: the last that changed, else the newest."""
        mine = [run for name in self.runs if not (run := self.runs[name]).parent]
        changed = [name for name, _ in self.entries if name in self.runs]
        changed = [name for name in changed if not self.runs[name].parent]
        return self.runs[changed[-1]] if changed else (mine[-1] if mine else None)

    @property
    def has_any(self) -> bool:
        """Whether anybody could notice anything."""
        return bool(self.shown or self.calls or self.said_at_once or self.opened or self.ended)


class Watcher:
    """Tells after each step what is new."""

    def __init__(self, service: ServiceUnderTest) -> None:
        self._service = service
        self._labels = service.folder.labels
        self._shown = 0
        self._calls = len(service.folder.systems.calls)
        self._entries: dict[str, int] = {}
        self._ended: dict[str, RunEnd] = {}
        self._known: dict[str, Card] = {}
        self.owners: dict[str, tuple[str, ...]] = {
            service.folder.place(person): (person,) for person in service.folder.people
        }

    @property
    def cards(self) -> Sequence[Card]:
        """Every card that was ever shown, as it was at the last look, the newest last."""
        return tuple(self._known.values())

    def enter(self, place: str, person: str) -> None:
        """The person reads what is said there from now on."""
        if person not in self.owners.get(place, ()):
            self.owners[place] = (*self.owners.get(place, ()), person)

    async def look(
        self, *, place: str, outcome: Outcome | None, acted: str, answer: ApiAnswer | None = None
    ) -> Happenings:
        """What happened since the last look."""
        chat, systems = self._service.chat, self._service.folder.systems
        shown, self._shown = chat.shown[self._shown :], len(chat.shown)
        calls, self._calls = systems.calls[self._calls :], len(systems.calls)
        runs, entries = await self._read_runs()
        ends = {name: end for name, run in runs.items() if (end := end_of(run)) and not run.parent}
        ended = {name: end for name, end in ends.items() if name not in self._ended}
        self._ended = ends
        before = frozenset(self._known)
        cards = await self._read_cards(shown, acted)
        return Happenings(
            place=place,
            outcome=outcome,
            shown=shown,
            calls=calls,
            entries=entries,
            cards=cards,
            opened=frozenset(card.token for card in cards) - before,
            runs=runs,
            ended=ended,
            acted=acted,
            owners=dict(self.owners),
            labels=self._labels,
            answer=answer,
        )

    async def _read_runs(self) -> tuple[dict[str, Run], list[LogLine]]:
        archive, entries = self._service.parts.store.archive, list[tuple[str, str, Any]]()
        runs: dict[str, Run] = {}
        for name, _ in reversed(await archive.runs(_MOST_RUNS)):
            history = await archive.history(name)
            if history is None:
                continue
            run = Run.model_validate_json(history.body)
            runs[name] = with_stored_status(run, history.ended)
            for body in history.entries[self._entries.get(name, 0) :]:
                entry = json.loads(body)
                entries.append((str(entry.get("at", "")), name, entry))
            self._entries[name] = len(history.entries)
        entries.sort(key=lambda each: each[0])
        return runs, [(name, entry) for _, name, entry in entries]

    async def _read_cards(self, shown: Sequence[ShownMessage], acted: str) -> list[Card]:
        """The cards that are open or were shown just now, as they are."""
        listing, decisions = self._service.parts.store.listing, self._service.parts.store.decisions
        found, _ = await listing.open_cards(_MOST_CARDS)
        cards = {each.card.token: each.card for each in found}
        tokens = [each.view.card.token for each in shown if each.view.card]
        for token in dict.fromkeys([*tokens, acted, *self._open_before()]):
            stored = await decisions.card(token) if token and token not in cards else None
            if stored is not None:
                cards[token] = stored.card
        for token, card in cards.items():
            self._known[token] = card
        return [card for token, card in self._known.items() if token in cards]

    def _open_before(self) -> list[str]:
        return [token for token, card in self._known.items() if card.status == "open"]


def is_open(card: Card) -> bool:
    """Whether somebody can still decide it."""
    return card.status == "open"


def asked_people(card: Card) -> tuple[str, ...]:
    """Whose answer the card waits for."""
    return awaited_voters(card)


def values_on(card: Card) -> list[tuple[str, str]]:
    """Labels and values that the card shows: its rows, and the lines of its text that have one."""
    found = [(row.label, row.value) for row in card.rows]
    for line in card.text.splitlines():
        label, *rest = (part.strip(_MARKUP) for part in _COLON.split(line, maxsplit=1))
        if rest and rest[0] and 0 < len(label) <= _MOST_LABEL:
            found.append((label, rest[0]))
    return found


def text_of(view: MessageView) -> str:
    """All that people read of a message."""
    lines = [part.text for part in view.parts]
    if card := view.card:
        lines += [card.title, card.text, *card.problems, card.note, card.origin, card.outcome]
        lines += [f"{row.label}: {row.value}" for row in card.rows]
    return "\n".join(filter(None, lines))
