"""What operators are told of work as it is done: a log line and a span for each piece of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import structlog
from structlog.contextvars import bound_contextvars

from bot.telemetry.spans import Spans
from engine.mail import CommandArrived, Mail, MessageArrived
from engine.ports.clock import Clock
from engine.ports.model import Completion, Message, Model, ToolOffer

log = structlog.get_logger()


def _ids(lane: str, mail: Mail) -> dict[str, str]:
    """Run or conversation, and the update, by which its lines are found again."""
    kind, _, rest = lane.partition(":")
    ids = {"run" if kind == "run" else "conversation": rest}
    return (
        {**ids, "update": mail.update.id}
        if isinstance(mail, MessageArrived | CommandArrived)
        else ids
    )


@contextmanager
def handling(lane: str, mail: Mail, spans: Spans, clock: Clock) -> Iterator[None]:
    """Every log line of the block names what it is about; one says that it was handled."""
    ids, since_s = _ids(lane, mail), clock.elapsed_s()
    of = ids.get("update") or lane.partition(":")[2]
    with bound_contextvars(**ids), spans.span(f"handle {mail.kind}", of, **ids):
        yield
        log.info("handled", mail=mail.kind, took_s=round(clock.elapsed_s() - since_s, 4))


class WatchedModel:
    """A Model whose calls are spans of what they are made for, and say how long they took."""

    def __init__(self, model: Model, spans: Spans, clock: Clock) -> None:
        self._model = model
        self._spans = spans
        self._clock = clock

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1000,
        heard: Callable[[str], None] | None = None,
    ) -> Completion:
        """The model's answer; raises as it does."""
        since_s = self._clock.elapsed_s()
        with self._spans.span("model", ""):
            answer = await self._model.complete(
                messages, tools=tools, schema=schema, max_tokens=max_tokens, heard=heard
            )
        return replace(answer, seconds=round(self._clock.elapsed_s() - since_s, 3))
