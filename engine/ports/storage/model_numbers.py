"""Requests to models: their outcomes and costs, and the state of breakers, for all processes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

BreakerState = Literal["closed", "half_open", "open"]
"""Asked as always; tried with one request; left alone."""

AttemptOutcome = Literal[
    "ok",
    "limited",
    "failed",
    "timeout",
    "no_connection",
    "denied",
    "rejected",
    "refused",
    "bad",
    "left_alone",
]
"""`denied`: the key or the model's name is wrong; `rejected`: the request; `bad`: no completion.

`left_alone`: the breaker is open.
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request to one model, or what kept it from being made, and what came of it.

    `purpose` is what the model was asked for, as `Purpose` has it.
    """

    model: str
    outcome: AttemptOutcome
    took_s: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    purpose: str = ""


class ModelObserver(Protocol):
    """Observes requests as they happen; must not raise or wait."""

    def record_attempt(self, attempt: Attempt) -> None:
        """An attempt has ended."""
        ...

    def changed(self, model: str, state: BreakerState) -> None:
        """A model's breaker changed."""
        ...


Count = tuple[str, ...]
"""What is counted: its name, then its labels."""


Spent = tuple[float, float]
"""Tokens, and their cost in the currency of the configured prices."""


class ModelSpending(Protocol):
    """What of the model was used on a day, by all processes. Raises StoreUnavailable."""

    async def spend(self, day: str, names: Iterable[str], spent: Spent) -> None:
        """Add to what each of these has used; a day is forgotten after two."""
        ...

    async def spent(self, day: str, names: Iterable[str]) -> Mapping[str, Spent]:
        """What each of these has used on that day."""
        ...


class ModelNumbers(Protocol):
    """The numbers of all processes together. Raises StoreUnavailable."""

    async def add(self, counts: Mapping[Count, float]) -> None:
        """Add to the counts."""
        ...

    async def counts(self) -> Mapping[Count, float]:
        """Everything that was ever counted."""
        ...

    async def record_state(self, model: str, state: BreakerState) -> None:
        """Record a breaker's state in this process; one not closed is forgotten after 30 s."""
        ...

    async def states(self, models: Iterable[str]) -> Mapping[str, BreakerState]:
        """The last recorded state of these models' breakers, by any process."""
        ...

    async def lanes(
        self, worker: str = "", now: Mapping[str, int] | None = None
    ) -> Mapping[str, int]:
        """How many lanes of all workers ask a model or wait for it, by state.

        With a `worker`, its own numbers `now` are recorded first; they are forgotten after 30 s.
        """
        ...

    async def first(self, name: str, *, within_s: int) -> bool:
        """Whether this process is the first to ask for this name within that time."""
        ...
