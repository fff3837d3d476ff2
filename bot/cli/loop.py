"""The event loop that the commands run on: uvloop where it is installed."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """The result of the work, on a loop of its own."""
    with asyncio.Runner(loop_factory=_factory()) as runner:
        return runner.run(work)


def _factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
