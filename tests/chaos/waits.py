"""How long processes waited for a processor, as Linux counts it: what a busy machine costs."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

NANOS = 1_000_000_000


@dataclass
class Waits:
    """Samples of each process's time in the run queue; none where the system does not count it."""

    samples: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))

    def note(self, name: str, pid: int | str, now: float) -> None:
        """Take a sample of the process's main thread, if it lives."""
        with suppress(OSError, ValueError, IndexError):
            waited = int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / NANOS
            self.samples[name].append((now, waited))

    def within(self, name: str, begun: float, end: float) -> float:
        """Seconds it was ready to run and did not, from the sample before to the one after."""
        samples = self.samples.get(name, [])
        if not samples:
            return 0.0
        moments = [at for at, _ in samples]
        first = max(0, bisect_right(moments, begun) - 1)
        last = min(len(samples) - 1, bisect_left(moments, end))
        return samples[last][1] - samples[first][1]
