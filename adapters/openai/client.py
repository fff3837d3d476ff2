"""The model port over any OpenAI-compatible chat-completions server."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import openai

from adapters.breaker import Breaker, Permit
from adapters.openai.endpoint import ModelEndpoint, ModelRequest
from adapters.openai.failures import REFUSED, RESTING, Failure, failure_of
from adapters.openai.limits import RequestFields, SilenceTimer, SilentTooLong, TimeLimits
from adapters.openai.responses import ChatResponse, Price
from engine.errors import AnswerBroken, ModelUnavailable
from engine.ports.model import Completion, Message, Purpose, ThoughtWay, ToolOffer
from engine.ports.storage.model_numbers import Attempt, BreakerState, ModelObserver

TRIES: Final = 3
FIRST_BACKOFF_S: Final = 0.5
LONGEST_WAIT_S: Final = 20.0
MORE_ROOM: Final = 4
"""So many times its limit of tokens an answer gets that was cut off before it had any text."""


class _NoObserver:
    def record_attempt(self, attempt: Attempt) -> None:
        pass

    def changed(self, model: str, state: BreakerState) -> None:
        pass


class OpenAIModel:
    """A Model: asks `model`, then each of `fallbacks` when the one before is away.

    `limits` are of one of them, and begin once it has one of `concurrency` places. `prices` are per
    million tokens. `thoughts` says of models how they give theirs; of others their first answer
    tells it, and is handed over whole. With `streams` answers are asked for in pieces, so that
    silence is heard; a server that sends none is asked for whole ones. `now` (monotonic) and
    `pause` are for tests.
    """

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        model: str,
        fallbacks: Sequence[str] = (),
        limits: TimeLimits = TimeLimits(),  # noqa: B008
        fields: RequestFields = RequestFields(),  # noqa: B008
        streams: bool = True,
        thoughts: Mapping[str, ThoughtWay] | None = None,
        concurrency: int = 8,
        prices: Mapping[str, Price] | None = None,
        observer: ModelObserver | None = None,
        now: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._server = ModelEndpoint(
            api_key=api_key,
            base_url=base_url,
            fields=fields,
            streams=streams,
            thoughts=thoughts,
        )
        self._models = tuple(dict.fromkeys((model, *fallbacks)))
        self._limits = limits
        self._places = asyncio.Semaphore(concurrency)
        self._prices = prices or {}
        self._observer = observer or _NoObserver()
        self._pause = pause
        self._breakers = {
            name: Breaker(now, partial(self._observer.changed, name)) for name in self._models
        }

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1000,
        heard: Callable[[str], None] | None = None,
        purpose: Purpose = "",
    ) -> Completion:
        """One answer; `schema` asks for a JSON object of that schema, `heard` for its pieces.

        An answer that its limit cut off before it had any text is asked for once more, with more
        room; both are counted. Raises ModelUnavailable when every model is away, at once while all
        are left alone, and AnswerBroken when an answer breaks off whose text was handed over in
        part: nothing is asked again then, since `heard` would get the beginning twice. Raises
        ModelRefused, BadModelOutput, and ModelError for a request that the server rejects.
        """
        ask = ModelRequest(messages, tools, schema, max_tokens, heard, purpose)
        answer = await self._ask_models(ask)
        if not answer.has_no_room:
            return answer
        ask.room = MORE_ROOM
        again = await self._ask_models(ask)
        return replace(
            again,
            tokens=answer.tokens + again.tokens,
            prompt_tokens=answer.prompt_tokens + again.prompt_tokens,
            completion_tokens=answer.completion_tokens + again.completion_tokens,
            cost=answer.cost + again.cost,
        )

    async def _ask_models(self, ask: ModelRequest) -> Completion:
        """Return the answer of the first model that gives one."""
        away = []
        for name in self._models:
            found = await self._ask_model(name, ask)
            if isinstance(found, Completion):
                return found
            if found.fatal:
                raise found.fatal(found.why)
            if ask.spoken:
                raise AnswerBroken(
                    f"{name}: the answer broke off after {ask.spoken} letters ({found.why})"
                )
            away.append(f"{name}: {found.why}")
        rest_s = min(self._breakers[name].rest_s for name in self._models)
        raise ModelUnavailable(f"no model answers ({'; '.join(away)})", rest_s=rest_s)

    async def close(self) -> None:
        """Give the connections back."""
        await self._server.close()

    async def _ask_model(self, name: str, ask: ModelRequest) -> Completion | Failure:
        """Return one model's answer, with retries of passing failures while there is time."""
        longest_s = min(LONGEST_WAIT_S, self._limits.total_s or LONGEST_WAIT_S)
        last: Failure | None = None
        for tries in range(1, TRIES + 1):
            found = await self._attempt(name, ask, final=tries == TRIES)
            if isinstance(found, Completion):
                return found
            if found is RESTING and last:
                return last
            last = found
            # Full jitter: those who failed together do not come back together.
            wait_s = random.uniform(0, FIRST_BACKOFF_S * 2 ** (tries - 1))  # noqa: S311
            wait_s = max(wait_s, found.wait_s or 0.0)
            if not found.again or ask.spoken or tries == TRIES or wait_s > longest_s:
                break
            if not self._breakers[name].admits():
                break
            await self._pause(wait_s)
        assert last is not None
        return last

    async def _attempt(self, name: str, ask: ModelRequest, *, final: bool) -> Completion | Failure:
        """Make one request, when the breaker admits it and a place is free."""
        breaker = self._breakers[name]
        if not breaker.admits():
            return self._report_skipped(name, ask)
        async with self._places:
            # It may have opened in the meantime.
            permit = breaker.acquire()
            if permit is None:
                return self._report_skipped(name, ask)
            try:
                found = await self._request(name, ask)
                self._judge(breaker, permit, found, final=final)
                return found
            finally:
                breaker.release(permit)

    def _report_skipped(self, name: str, ask: ModelRequest) -> Failure:
        self._observer.record_attempt(Attempt(name, RESTING.outcome, purpose=ask.purpose))
        return RESTING

    async def _request(self, name: str, ask: ModelRequest) -> Completion | Failure:
        """Make one request and report it to the observer."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        answer: ChatResponse | Failure
        try:
            async with SilenceTimer(self._limits) as silence:
                answer = await self._server.ask(name, ask, silence)
        except SilentTooLong as error:
            answer = Failure("timeout", str(error))
        except openai.APIError as error:
            answer = failure_of(error)
        took_s = loop.time() - began
        if isinstance(answer, Failure):
            self._observer.record_attempt(
                Attempt(name, answer.outcome, took_s, purpose=ask.purpose)
            )
            return answer
        completion = answer.completion(name, self._prices.get(name, (0.0, 0.0)))
        self._observer.record_attempt(
            Attempt(
                model=name,
                outcome="refused" if answer.refused else "ok",
                took_s=took_s,
                prompt_tokens=completion.prompt_tokens,
                completion_tokens=completion.completion_tokens,
                cost=completion.cost,
                purpose=ask.purpose,
            )
        )
        return REFUSED if answer.refused else completion

    def _judge(
        self, breaker: Breaker, permit: Permit, found: Completion | Failure, *, final: bool
    ) -> None:
        """Tell the breaker the result."""
        if isinstance(found, Completion) or found.answered:
            breaker.record_success(permit)
        elif not found.blamed:
            return
        elif (found.wait_s or 0.0) > LONGEST_WAIT_S:
            breaker.record_failure(permit, rest_s=found.wait_s or 0.0)
        elif final or permit.trial or found.outcome != "limited":
            # A pace that is kept again after a pause is no outage.
            breaker.record_failure(permit)
