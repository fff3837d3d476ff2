"""A circuit breaker: a model that fails repeatedly gets no requests for a while."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engine.errors import MODEL_REST_S
from engine.ports.storage.model_numbers import BreakerState

FAILURES: Final = 5
OPEN_S: Final = MODEL_REST_S
LONGEST_REST_S: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Permit:
    """Permission for one request; the result of a `trial` opens or closes the breaker."""

    trial: bool


class Breaker:
    """Opens after 5 failures in a row for 30 seconds; then one trial decides.

    While it is not closed, only the trial's result counts: late results of earlier requests say
    nothing about now. `now` is a monotonic clock in seconds.
    """

    def __init__(
        self, now: Callable[[], float], changed: Callable[[BreakerState], None] = lambda state: None
    ) -> None:
        self._now = now
        self._changed = changed
        self._state: BreakerState = "closed"
        self._failures = 0
        self._until = 0.0
        self._trying = False

    def admits(self) -> bool:
        """Whether a request may be made now."""
        return self._state == "closed" or not (self._trying or self._now() < self._until)

    @property
    def rest_s(self) -> float:
        """Seconds until requests are admitted again."""
        return 0.0 if self._state == "closed" else max(0.0, self._until - self._now())

    def acquire(self) -> Permit | None:
        """Return a permit for one request, or None."""
        if not self.admits():
            return None
        if self._state == "closed":
            return Permit(trial=False)
        self._trying = True
        self._become("half_open")
        return Permit(trial=True)

    def record_success(self, permit: Permit) -> None:
        """The model answered."""
        if self._counts(permit):
            self._failures = 0
            self._trying = False
            self._become("closed")

    def record_failure(self, permit: Permit, *, rest_s: float = 0.0) -> None:
        """The model did not answer; with `rest_s` it is left alone at once, an hour at most."""
        if not self._counts(permit):
            return
        self._failures += 1
        if permit.trial or rest_s or self._failures >= FAILURES:
            self._trying = False
            self._until = self._now() + min(max(rest_s, OPEN_S), LONGEST_REST_S)
            self._become("open")

    def release(self, permit: Permit) -> None:
        """The request has ended; a trial without a result gives way to the next."""
        if permit.trial and self._state == "half_open":
            self._trying = False

    def _counts(self, permit: Permit) -> bool:
        return permit.trial or self._state == "closed"

    def _become(self, state: BreakerState) -> None:
        if state != self._state:
            self._state = state
            self._changed(state)
