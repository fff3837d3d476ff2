"""What `signoff test` prints."""

from collections.abc import Iterator, Sequence

from bot.testing.play import PlayedTest


def lines_of(played: PlayedTest) -> Iterator[str]:
    """A line for the test, and what differed."""
    mark = "ok  " if played.passed else "FAIL"
    yield f"{mark} {played.scenario.place} {played.scenario.name} ({played.took_s * 1000:.0f} ms)"
    for fault in played.faults:
        yield f"  {fault.text}"
        yield from (f"      {line}" for line in fault.around)


def summary(played: Sequence[PlayedTest]) -> str:
    """How many passed, in how long."""
    failed = sum(not each.passed for each in played)
    took_s = sum(each.took_s for each in played)
    each_ms = 1000 * took_s / len(played) if played else 0
    told = f"{len(played)} tests, {len(played) - failed} passed, {failed} failed"
    return f"{told}, {took_s:.1f} s ({each_ms:.0f} ms each)"
