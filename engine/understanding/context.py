"""What the router is given and what it answers."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from cards.model import Card, Lang, Principal
from engine.frames.intents import Intent
from engine.playbooks.model import Request
from engine.ports.model import Model
from engine.tools.model import Tool
from engine.understanding.learned.table import RouteTable
from engine.understanding.piece import Piece


@dataclass(frozen=True, slots=True)
class RouteContext:
    """What a message is read against: the open cards of its conversation, the person's earlier
    messages there (`recent`, the newest last), whether a run goes on there (`running`). `barred`
    are requests (`playbook/request`) that the person may not start, and is not offered. `pieces`
    are those that rules and examples have read already, since several strategies ask for them.
    """

    table: RouteTable
    tools: tuple[Tool[Any], ...]
    open_cards: tuple[Card, ...]
    principal: Principal
    today: date
    recent: tuple[str, ...]
    lang: Lang
    running: bool = False
    barred: Collection[str] = ()
    pieces: dict[str, tuple[Piece, ...]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @property
    def work(self) -> Sequence[tuple[str, Request]]:
        """Every request that the person may start, by `playbook/request`."""
        every = (
            (f"{r.playbook}/{each.id}", each) for r in self.table.routes for each in r.requests
        )
        return tuple((name, each) for name, each in every if name not in self.barred)


@dataclass(frozen=True, slots=True)
class StrategyVerdict:
    """What one strategy said about the message."""

    strategy: str
    sure: bool
    why: str


@dataclass(frozen=True, slots=True)
class Routed:
    """The intents in the order asked, at least one, and every verdict on the way there."""

    intents: tuple[Intent, ...]
    trace: tuple[StrategyVerdict, ...]


@dataclass(frozen=True, slots=True)
class Tried:
    """A strategy's answer: the intents of the whole message, or none when it is not sure."""

    intents: tuple[Intent, ...]
    why: str


Strategy = Callable[[str, RouteContext, Model | None], Awaitable[Tried]]
