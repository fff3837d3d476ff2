"""Runs the tests of a project folder, and says how each went."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.settings import Settings
from bot.testing.folder import PlayedFolder, load_folder
from bot.testing.play import PlayedTest, play
from bot.testing.scenario import Scenario, read_scenarios
from bot.testing.stage import open_theatre
from engine.yaml.source import Problems


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """Which tests to play: those whose name or file has the `word`; each `repeat` times."""

    word: str = ""
    repeat: int = 1

    def has(self, scenario: Scenario) -> bool:
        """Whether the test is one of them."""
        word = self.word.casefold()
        return word in scenario.name.casefold() or word in scenario.source.file.casefold()


def load_tests(settings: Settings) -> tuple[PlayedFolder, list[Scenario]]:
    """The folder and its tests. Raises DefinitionError with every problem of either."""
    folder = load_folder(settings)
    problems = Problems()
    playbooks = folder.definitions.playbooks
    found = read_scenarios(settings.playbooks, folder.people, playbooks, problems)
    problems.raise_if_any()
    return folder, found


async def play_all(
    folder: PlayedFolder,
    scenarios: Sequence[Scenario],
    wanted: PlayOptions,
    tell: Callable[[PlayedTest], None],
) -> list[PlayedTest]:
    """Play the tests one after the other; `tell` hears of each when it is over."""
    chosen = [each for each in scenarios if wanted.has(each)]
    played: list[PlayedTest] = []
    if not chosen:
        return played
    async with open_theatre(folder) as theatre:
        for scenario in chosen:
            for _ in range(wanted.repeat):
                played.append(await play(scenario, theatre))
                tell(played[-1])
    return played
