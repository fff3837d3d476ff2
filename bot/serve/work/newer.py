"""What a newer build wrote is left to a newer process for a while: processes are being replaced."""

from collections.abc import Callable

WAIT_S = 300.0
"""For so long; then it is told as what nobody here can read."""

AGAIN_S = 2.0
"""So often a worker that cannot read it looks whether another one has taken it."""

_MOST = 10_000


class Patience:
    """For how long lanes have stood at something that this process cannot read."""

    def __init__(self, wait_s: float, clock: Callable[[], float]) -> None:
        self._wait_s = wait_s
        self._clock = clock
        self._since: dict[str, float] = {}

    def waits(self, lane: str) -> bool:
        """Whether the lane may stand still some more, from the first time on that this is asked."""
        now_s = self._clock()
        if len(self._since) >= _MOST:
            self._since.clear()
        if now_s - self._since.setdefault(lane, now_s) < self._wait_s:
            return True
        del self._since[lane]
        return False
