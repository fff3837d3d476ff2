"""A scripted server and the model adapter on it, with a clock and pauses of the test's own."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from adapters.openai import OpenAIModel
from engine.ports.storage.model_numbers import Attempt, BreakerState
from tests.fakes.model_server import API_KEY, ModelServer, Reply

Connect = Callable[..., Awaitable[tuple[ModelServer, OpenAIModel]]]


@dataclass
class Clock:
    """Stands still unless a test moves it, or the model pauses."""

    now: float = 1000.0
    pauses: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


@dataclass
class Observed:
    """What the adapter told its observer."""

    attempts: list[Attempt] = field(default_factory=list)
    changes: list[tuple[str, BreakerState]] = field(default_factory=list)

    def record_attempt(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)

    def changed(self, model: str, state: BreakerState) -> None:
        self.changes.append((model, state))

    def outcomes(self) -> list[str]:
        return [attempt.outcome for attempt in self.attempts]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def observed() -> Observed:
    return Observed()


@pytest.fixture
async def connect(clock: Clock, observed: Observed) -> AsyncIterator[Connect]:
    async with AsyncExitStack() as stack:

        async def connected(
            *script: Reply, served: dict[str, Any] | None = None, **chosen: Any
        ) -> tuple[ModelServer, OpenAIModel]:
            server = await stack.enter_async_context(ModelServer(script, **served or {}))
            # Text of a model that is unknown would wait for its end.
            known = {"thoughts": {"first": "apart", "second": "apart"}}
            given = {"api_key": API_KEY, "base_url": server.base_url, **known, **chosen}
            model = OpenAIModel(
                model=given.pop("model", "first"),
                now=clock,
                pause=clock.pause,
                observer=observed,
                **given,
            )
            stack.push_async_callback(model.close)
            return server, model

        yield connected
