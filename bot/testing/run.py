"""Runs the tests of a project folder, and prints how each went."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.settings import Settings
from bot.testing.files.model import ScenarioSetup
from bot.testing.files.scenario import Scenario, read_scenarios
from bot.testing.harness.folder import PlayedFolder, load_folder
from bot.testing.harness.service import open_harness
from bot.testing.play import PlayedTest, play
from bot.testing.reach import points_of, reach_line, unreached
from bot.testing.report import lines_of, shares, summary, write_junit
from engine.yaml.source import Problems


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """Which tests to play, those whose name or file has the `word`, each `repeat` times.

    With `reach`, what no test reached is listed; the `junit` file is written.
    """

    word: str = ""
    repeat: int = 1
    reach: bool = False
    junit: Path | None = None

    def has(self, scenario: Scenario) -> bool:
        """Whether the test is one of them."""
        word = self.word.casefold()
        return word in scenario.name.casefold() or word in scenario.source.file.casefold()


async def run_tests(settings: Settings, options: PlayOptions) -> int:
    """Play the tests and print what came of them; the exit status, 0 when all passed.

    Raises DefinitionError with every problem of the folder and of its tests.
    """
    with tempfile.TemporaryDirectory(prefix="signoff-test-") as data:
        folder, scenarios = load_tests(settings, Path(data))
        chosen = [scenario for scenario in scenarios if options.has(scenario)]
        if not chosen:
            print(_none_there(scenarios, options))
            return 1
        played = await play_all(folder, chosen, options.repeat, _print_test)
    if options.repeat > 1:
        print("\n".join(shares(played)))
    if options.junit is not None:
        write_junit(played, options.junit)
    points, reached = points_of(folder), {key for each in played for key in each.reached}
    if options.reach and (missed := unreached(points, reached)):
        print("No test reached:", *missed, sep="\n  ")
    print(f"{summary(played)}; {reach_line(points, reached)}")
    return 0 if all(each.passed for each in played) else 1


def load_tests(settings: Settings, data: Path) -> tuple[PlayedFolder, list[Scenario]]:
    """The folder and its tests, which keep what they need for a while in `data`.

    Raises DefinitionError with every problem of either.
    """
    folder = load_folder(settings, data)
    problems = Problems()
    playbooks = folder.definitions.playbooks
    found = read_scenarios(settings.playbooks, folder.people, playbooks, problems)
    problems.raise_if_any()
    return folder, found


async def play_all(
    folder: PlayedFolder,
    scenarios: Sequence[Scenario],
    repeat: int,
    tell: Callable[[PlayedTest], None],
) -> list[PlayedTest]:
    """Play the tests one after the other; `tell` hears of each when it is over."""
    played: list[PlayedTest] = []
    async with open_harness(folder) as harness:
        # Once for all tests, the router learns the examples.
        async with harness.serve(ScenarioSetup()):
            pass
        for scenario in scenarios:
            for _ in range(repeat):
                played.append(await play(scenario, harness))
                tell(played[-1])
    return played


def _print_test(played: PlayedTest) -> None:
    print("\n".join(lines_of(played)), flush=True)


def _none_there(scenarios: Sequence[Scenario], options: PlayOptions) -> str:
    if scenarios:
        return f"none of {len(scenarios)} tests has {options.word!r} in its name or file"
    return "there are no tests: write some in playbooks/<id>/tests/*.yaml"
