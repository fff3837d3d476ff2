"""What `signoff test` prints and writes."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

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


def shares(played: Sequence[PlayedTest]) -> Iterator[str]:
    """How often each test passed of the times that it was played."""
    for place in dict.fromkeys(each.scenario.place for each in played):
        mine = [each for each in played if each.scenario.place == place]
        passed = sum(each.passed for each in mine)
        yield f"passed {passed} of {len(mine)}: {place} {mine[0].scenario.name}"


def write_junit(played: Sequence[PlayedTest], path: Path) -> None:
    """Write the results as JUnit's XML, as build servers read it. Raises OSError."""
    suite = ElementTree.Element(
        "testsuite",
        name="signoff test",
        tests=str(len(played)),
        failures=str(sum(not each.passed for each in played)),
        time=f"{sum(each.took_s for each in played):.3f}",
    )
    for each in played:
        scenario = each.scenario
        file, _, line = scenario.place.rpartition(":")
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=file,
            name=_printable(scenario.name),
            file=file,
            line=line,
            time=f"{each.took_s:.3f}",
        )
        for fault in each.faults:
            failure = ElementTree.SubElement(case, "failure", message=_printable(fault.text))
            failure.text = _printable("\n".join(fault.around))
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def _printable(text: str) -> str:
    """The text without what XML cannot hold."""
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)
