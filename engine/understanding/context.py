"""What the router is given, the pieces that it reads, and what it answers."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from cards.model import Card, Lang, Principal
from engine.errors import ModelUnavailable
from engine.frames.intents import Candidate, Intent, IntentKind, Lookup
from engine.playbooks.model import Request
from engine.ports.model import Model
from engine.text import wording
from engine.text.entities import fold
from engine.text.entity_kinds import NO_ENTITIES, Entities
from engine.tools.model import Tool
from engine.understanding.learned.table import RouteTable
from engine.understanding.lookups.sections import NO_SECTIONS, SectionIndex
from engine.understanding.own_work.reading import WorkReader

UnclearKind = Literal["unknown", "idle", "holds_off", "elsewhere", "asks_which"]
"""What an unclear piece does ask for: nothing (`idle`), to stop or not to start something
(`holds_off`), work that nobody here does (`elsewhere`), one of a playbook's requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Where a part of a message stands: `text[start:end]`.

    `boundary` is what stands before it: a sentence end (`end`), a connective or `;` (`soft`), or a
    comma (`weak`). `is_sequel`: the connective puts it after what was before.
    """

    start: int = 0
    end: int = 0
    boundary: str = "end"
    is_sequel: bool = False


@dataclass(frozen=True, slots=True)
class Piece(Stretch):
    """A stretch of the message and what it surely is; `kind` is `unclear` when that is nothing.

    Not `firm`: by its form, while its words speak for something else. `reply` is the answer where
    that is known already. `is_guess`: it is work by what its text does, of which rules alone were
    not sure.
    """

    text: str
    kind: IntentKind
    why: str
    playbook: str = ""
    request: str = ""
    condition: str = ""
    confidence: float = 1.0
    lookups: tuple[Lookup, ...] = ()
    about_run: bool = False
    card: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    reply: str = ""
    firm: bool = True
    is_guess: bool = False
    unclear_kind: UnclearKind = "unknown"
    candidates: tuple[Candidate, ...] = ()

    @property
    def lookup(self) -> Lookup | None:
        """What answers it, the first of several of a kind; None where no look-up does."""
        return self.lookups[0] if self.lookups else None

    @property
    def is_likely_work(self) -> bool:
        """It is most likely work, but not surely."""
        return self.kind == "unclear" and any(c.kind == "workflow" for c in self.candidates[:1])

    @property
    def is_request(self) -> bool:
        """The piece surely wants something of the bot."""
        return self.kind in ("workflow", "qa_query", "card_reply")

    @property
    def is_sure(self) -> bool:
        """The rules decide what the piece is, be it that it surely asks for nothing."""
        is_decided = self.kind != "unclear" and self.firm
        return is_decided or self.unclear_kind == "holds_off" or bool(self.reply)


@dataclass(frozen=True, slots=True)
class RouteContext:
    """What a message is read against: the open cards of its conversation, the person's earlier
    messages there (`recent`, the newest last), whether a run goes on there (`running`). `barred`
    are requests (`playbook/request`) that the person may not start, and is not offered. `entities`
    are what texts of theirs may name: the router fetches no list itself. `sections` are those of
    documents, which answer what no model does. `work()` gives what the person's own requests and
    cases are, once somebody may ask after them; None where nobody has any. `brief()` gives the
    lines that a model is told first. `pieces` are those that
    rules and examples have read already, since several strategies ask for them.
    """

    table: RouteTable
    tools: tuple[Tool[Any], ...]
    open_cards: tuple[Card, ...]
    principal: Principal
    today: date
    recent: tuple[str, ...]
    lang: Lang
    has_active_run: bool = False
    entities: Entities = NO_ENTITIES
    sections: SectionIndex = NO_SECTIONS
    barred: Collection[str] = ()
    work: Callable[[], Awaitable[WorkReader]] | None = None
    brief: Callable[[], Awaitable[Sequence[str]]] | None = None
    pieces: dict[str, tuple[Piece, ...]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    _plain: dict[str, str] = field(default_factory=dict, init=False, compare=False, repr=False)

    def mark(self, text: str) -> str:
        """The text with a letter of its kind for each letter of an entity."""
        return self.entities.marked(text)

    def plain(self, text: str) -> str:
        """The text as its wording is looked at: marked, without what is quoted, folded."""
        if (kept := self._plain.get(text)) is None:
            kept = self._plain[text] = fold(wording.unquoted(self.mark(text)))
        return kept

    def taught(self, text: str) -> str:
        """The text made ready as examples are, in which no name of a list is marked."""
        return fold(wording.unquoted(self.table.entities.marked(text)))

    def taught_by_id(self, text: str) -> str:
        """The same with the id for what is named."""
        return self.taught(self.entities.by_id(text))

    @property
    def requests(self) -> Sequence[tuple[str, Request]]:
        """Every request that the person may start, by `playbook/request`."""
        every = (
            (f"{r.playbook}/{each.id}", each) for r in self.table.routes for each in r.requests
        )
        return tuple((name, each) for name, each in every if name not in self.barred)


@dataclass(frozen=True, slots=True)
class StrategyVerdict:
    """What one strategy said about the message, and what the model answered, if it was asked."""

    strategy: str
    sure: bool
    why: str
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoutedMessage:
    """The intents in the order asked, at least one, and every verdict on the way there.

    `away` is why no model read the message although it was needed and there is one.
    """

    intents: tuple[Intent, ...]
    verdicts: tuple[StrategyVerdict, ...]
    away: ModelUnavailable | None = None


@dataclass(frozen=True, slots=True)
class StrategyResult:
    """A strategy's answer: the intents of the whole message, or none when it is not sure.

    `answers` are the model's, as they came, `away` is why it gave none.
    """

    intents: tuple[Intent, ...]
    why: str
    answers: tuple[str, ...] = ()
    away: ModelUnavailable | None = None


Strategy = Callable[[str, RouteContext, Model | None], Awaitable[StrategyResult]]
