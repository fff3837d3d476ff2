"""What commands share: the settings, the event loop and types of arguments."""

import argparse
import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from bot.project import NO_PROJECT
from bot.settings import Settings
from engine.errors import DefinitionError

T = TypeVar("T")


class CommandParser(argparse.ArgumentParser):
    """Reads options wherever they stand, also before the folder: `call NAME --arg a=b DIR`."""

    _is_mixing = False

    # Typed as the library's own, which has overloads.
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return the namespace, and what is left."""
        if self._is_mixing or "--" in (args or ()) or not self._can_mix():
            return super().parse_known_args(args, namespace)
        self._is_mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._is_mixing = False

    def _can_mix(self) -> bool:
        """Whether the library can: not beside commands of its own, nor before a rest of all."""
        whole = (argparse.PARSER, argparse.REMAINDER)
        return all(action.nargs not in whole for action in self._get_positional_actions())


def folder_argument(parser: argparse.ArgumentParser) -> None:
    """The project folder that the command works in."""
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="DIR", help="project folder (default: this one)"
    )


def load_settings() -> Settings:
    """The settings of this process. Raises DefinitionError with a line for each wrong variable."""
    # Rooms of platforms are loaded only by commands that do something.
    from bot.wiring import platforms

    return platforms.load_settings()


def load_project() -> Settings:
    """The settings of a command that reads a project folder. Raises DefinitionError without one."""
    settings = load_settings()
    if not settings.model_fields_set & {"playbooks", "people"} and not settings.playbooks.exists():
        raise DefinitionError(NO_PROJECT)
    return settings


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run the work on an event loop of its own: uvloop where it is installed."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(work)


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes event loops; None for asyncio's own."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def positive_count(most: int) -> Callable[[str], int]:
    """A type for argparse: a whole number above 0 of at most `most`."""

    def count(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and 0 < int(text) <= most):
            raise argparse.ArgumentTypeError(f"should be a whole number from 1 to {most}")
        return int(text)

    return count


def positive_number(most: float) -> Callable[[str], float]:
    """A type for argparse: a number above 0 of at most `most`."""

    def number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value <= most:
            raise argparse.ArgumentTypeError(f"should be a number above 0, at most {most:g}")
        return value

    return number
