"""What the model costs, how it fares, and where that is kept for all processes."""

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
    "no_place",
]
"""`denied`: the key or the model's name is wrong; `rejected`: the request; `bad`: no completion.

`left_alone`: the breaker is open; `no_place`: this process had as many under way as it may.
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request to one model, or what kept it from being made, and what came of it."""

    model: str
    outcome: AttemptOutcome
    took_s: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


class ModelObserver(Protocol):
    """Is told what happens to requests as it happens; must not raise or wait."""

    def asked(self, attempt: Attempt) -> None:
        """An attempt has ended."""
        ...

    def changed(self, model: str, state: BreakerState) -> None:
        """A model's breaker changed."""
        ...


Count = tuple[str, ...]
"""What is counted: its name, then its labels."""


class ModelNumbers(Protocol):
    """The numbers of all processes together. Raises StoreUnavailable."""

    async def add(self, counts: Mapping[Count, float]) -> None:
        """Add to the counts."""
        ...

    async def counts(self) -> Mapping[Count, float]:
        """Everything that was ever counted."""
        ...

    async def found(self, model: str, state: BreakerState) -> None:
        """This process finds the model so; what is not closed is forgotten after half a minute."""
        ...

    async def states(self, models: Iterable[str]) -> Mapping[str, BreakerState]:
        """How these models were last found by any process."""
        ...

    async def lanes(
        self, worker: str = "", now: Mapping[str, int] | None = None
    ) -> Mapping[str, int]:
        """How many lanes of all workers ask a model or wait for it, by state.

        With a `worker`, first how many of its own do so `now`; forgotten after half a minute.
        """
        ...

    async def first(self, name: str, *, within_s: int) -> bool:
        """True for the first process that asks for this name in that time."""
        ...
