"""Our clock port at a local platform's time, so that both go on when the test puts it ahead."""

from datetime import UTC, date, datetime

from tests.fakes.platforms.timepiece import Timepiece


class ServerClock:
    """A Clock whose now is the server's."""

    def __init__(self, time: Timepiece) -> None:
        self._time = time

    def now(self) -> datetime:
        return datetime.fromtimestamp(self._time.now(), UTC)

    def today(self) -> date:
        return self.now().date()

    def elapsed_s(self) -> float:
        return self._time.now()
