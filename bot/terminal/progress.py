"""A progress bar for work on many things: on the error stream, and only if that is a terminal."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from bot.terminal.colours import coloured

T = TypeVar("T")


def tracked(things: Iterable[T], what: str, total: int) -> Iterator[T]:
    """The things, one after the other; a terminal shows how many of `total` are done."""
    if total < 2 or not sys.stderr.isatty():
        yield from things
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True, no_color=not coloured(sys.stderr), highlight=False)
    # What was begun is taken from the screen again, so that only the outcome stays.
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        for thing in things:
            yield thing
            progress.advance(task)
