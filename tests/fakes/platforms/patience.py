"""How long tests wait, and how for what sets no event of theirs; what they say after that."""

import asyncio
import inspect
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol

SLOWER = 4 if os.environ.get("CI") == "true" else 1
"""Nobody sits and waits for a builder, which may be far slower than one's own machine."""
PATIENCE_S = 80.0
"""For what a service that is up has to do, also on a machine that is busy with something else."""
START_S = 80.0
"""For processes that start, restart or end."""
SAID_AFTER_S = 20.0
"""Who waits longer says after so long what for, while the wait goes on."""
_AGAIN_S = 0.02
_say_to: list[int] = []


def say_long_waits_to(file: int) -> None:
    """From now on, lines about waits that take long go to that file descriptor."""
    _say_to[:] = [file]


def say_long_wait(told: str) -> None:
    """A line about a wait that goes on, with the test that waits."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "")
    line = f"\n{test}: still waiting after {SAID_AFTER_S:g} s: {told}\n"
    for file in _say_to:
        os.write(file, line.encode())


async def until(ask: Callable[[], Any], seconds: float = PATIENCE_S) -> Any:
    """The first true answer, of a function or of a coroutine; AssertionError after so long."""
    async with within(seconds, ask):
        while True:
            answer = ask()
            if inspect.isawaitable(answer):
                answer = await answer
            if answer:
                return answer
            await asyncio.sleep(_AGAIN_S)


class Awaited(Protocol):
    """A process that ends some time, however it was started."""

    @property
    def pid(self) -> int:
        """Its number."""

    async def wait(self) -> int:
        """Its exit status, once it has ended."""


async def end_of(process: Awaited) -> int:
    """Its exit status, once it has ended; AssertionError when it does not."""
    async with within(START_S, f"process {process.pid} ends"):
        return await process.wait()


@asynccontextmanager
async def within(
    seconds: float, holds: Callable[[], Any] | str, so_far: Callable[[], str] = str
) -> AsyncIterator[None]:
    """Fails after so long with what had to hold, in words or as source, and how it is `so_far`."""

    def told() -> str:
        wanted = holds if isinstance(holds, str) else inspect.getsource(holds).strip()
        return f"{wanted}\n{so_far()}".strip()

    loop = asyncio.get_running_loop()
    saying = loop.call_later(SAID_AFTER_S, lambda: say_long_wait(told()))
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise AssertionError(f"not within {seconds:g} s: {told()}") from None
    finally:
        saying.cancel()
