"""A server's own time, which tests put ahead instead of waiting."""

import time
from collections.abc import Callable


class Timepiece:
    """Seconds since the epoch as the platform counts them."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._ahead_s = 0.0

    def now(self) -> float:
        """The current moment there."""
        return self._clock() + self._ahead_s

    def stop(self) -> None:
        """From now on only `skip` puts it ahead."""
        at = self._clock()
        self._clock = lambda: at

    def skip(self, seconds: float) -> None:
        """So much time passes at once, there and nowhere else."""
        self._ahead_s += seconds
