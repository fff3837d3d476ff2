"""How long tests wait, and how they wait for what sets no event of theirs."""

import asyncio
from collections.abc import Callable
from inspect import isawaitable
from typing import Any

PATIENCE_S = 90.0
"""For what has to come: longer than it takes on a machine that is busy with something else."""
_AGAIN_S = 0.02


async def until(ask: Callable[[], Any]) -> Any:
    """The first true answer, of a function or of a coroutine; TimeoutError after PATIENCE_S."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            answer = ask()
            if isawaitable(answer):
                answer = await answer
            if answer:
                return answer
            await asyncio.sleep(_AGAIN_S)
