"""Spans, logs and counts around the intake, the handling of mail, and calls of the model."""

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import Any, Final, Protocol, assert_never

import structlog
from structlog.contextvars import bound_contextvars

from engine.events import (
    Accepted,
    CardTapped,
    CommandGiven,
    ConfirmWanted,
    DirectAnswer,
    FormRefused,
    FormSubmitted,
    FormWanted,
    MessageEdited,
    MessageReceived,
    NotForUs,
    NotRecorded,
    Outcome,
    Update,
)
from engine.mail import CommandArrived, Mail, MessageArrived
from engine.ports.clock import Clock
from engine.ports.meter import Meter
from engine.ports.model import Completion, Message, Model, Purpose, ToolOffer
from engine.ports.platform import Intake

log = structlog.get_logger()
_WRITTEN = (MessageReceived, CommandGiven)
_NAMES: Final = {
    MessageReceived: "message",
    CommandGiven: "command",
    MessageEdited: "edit",
    CardTapped: "tap",
    FormSubmitted: "form",
}
EXPORT_S = 5.0


class Spans(Protocol):
    """Where OpenTelemetry spans go: nowhere without OTEL_EXPORTER_OTLP_ENDPOINT."""

    def span(self, name: str, of: str, **attributes: str) -> AbstractContextManager[None]:
        """A span over the block, in the trace of the update or run whose id is `of`.

        With "" it is in the trace that is open.
        """
        ...

    async def flush(self) -> None:
        """Send what is left, for a few seconds at most."""
        ...

    async def close(self) -> None:
        """Send what is left, and no more."""
        ...


class NoSpans:
    """Spans that go nowhere."""

    def span(self, name: str, of: str, **attributes: str) -> AbstractContextManager[None]:
        """No span."""
        return nullcontext()

    async def flush(self) -> None:
        """Nothing is left."""

    async def close(self) -> None:
        """Nothing is left."""


NO_SPANS: Final[Spans] = NoSpans()


class OtlpSpans:
    """Spans sent in batches over HTTP to a collector, by a thread.

    A trace's id is made of the id of the update or run, so that what web and worker processes do
    for one update is one trace.
    """

    def __init__(self, endpoint: str, process: str) -> None:
        # Loaded only here: most services send none.
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        about = Resource.create({"service.name": "signoff", "service.instance.id": process})
        exporter = OTLPSpanExporter(f"{endpoint}/v1/traces", timeout=EXPORT_S)
        self._provider: TracerProvider = TracerProvider(resource=about, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("signoff")

    @contextmanager
    def span(self, name: str, of: str, **attributes: str) -> Iterator[None]:
        """A span below the open one of the same trace, else below the trace's root."""
        from opentelemetry import trace
        from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags

        open_now = trace.get_current_span().get_span_context()
        digest = hashlib.sha256(of.encode()).digest()
        number = int.from_bytes(digest[:16], "big")
        context = None
        if of and open_now.trace_id != number:
            root = SpanContext(
                trace_id=number,
                span_id=int.from_bytes(digest[16:24], "big"),
                is_remote=True,
                trace_flags=TraceFlags(TraceFlags.SAMPLED),
            )
            context = trace.set_span_in_context(NonRecordingSpan(root))
        with self._tracer.start_as_current_span(name, context, attributes=attributes):
            yield

    async def flush(self) -> None:
        """Send what is left, for a few seconds at most."""
        await asyncio.to_thread(self._provider.force_flush, int(EXPORT_S * 1000))

    async def close(self) -> None:
        """Send what is left, and no more."""
        await self.flush()
        await asyncio.to_thread(self._provider.shutdown)


def open_spans(endpoint: str | None, process: str) -> Spans:
    """Spans to that address, or none."""
    return OtlpSpans(endpoint.rstrip("/"), process) if endpoint else NO_SPANS


class MeteredIntake:
    """An Intake that counts, times and logs; with `texts` also what people wrote."""

    def __init__(
        self, intake: Intake, meter: Meter, clock: Clock, *, spans: Spans, texts: bool
    ) -> None:
        self._intake = intake
        self._meter = meter
        self._clock = clock
        self._spans = spans
        self._texts = texts

    async def __call__(self, update: Update) -> Outcome:
        """The outcome of the intake; raises as it does."""
        since_s, platform = self._clock.elapsed_s(), update.actor.platform
        kind, ids = _NAMES[type(update)], {"conversation": update.conversation}
        with self._spans.span(f"take {kind}", update.id, update=update.id, **ids):
            outcome = await self._intake(update)
        result = _outcome_name(outcome)
        text = {"text": update.text} if self._texts and isinstance(update, _WRITTEN) else {}
        log.info("taken", update=update.id, kind=kind, outcome=result, **ids, **text)
        self._meter.count("updates", platform, kind, result)
        if not isinstance(outcome, NotRecorded):
            self._meter.took("ack", self._clock.elapsed_s() - since_s, platform)
        return outcome


def _outcome_name(outcome: Outcome) -> str:
    match outcome:
        case Accepted(duplicate=duplicate):
            return "duplicate" if duplicate else "accepted"
        case DirectAnswer(stranger=True):
            return "stranger"
        case DirectAnswer(ok=ok):
            return "recorded" if ok else "refused"
        case FormWanted():
            return "form_shown"
        case ConfirmWanted():
            return "confirm_shown"
        case FormRefused():
            return "form_refused"
        case NotRecorded():
            return "not_recorded"
        case NotForUs():
            return "not_for_us"
        case _:
            assert_never(outcome)


def _log_ids(lane: str, mail: Mail) -> dict[str, str]:
    """The run or conversation, and the update, that stand in each log line."""
    kind, _, rest = lane.partition(":")
    ids = {"run" if kind == "run" else "conversation": rest}
    return (
        {**ids, "update": mail.update.id}
        if isinstance(mail, MessageArrived | CommandArrived)
        else ids
    )


@contextmanager
def log_handling(lane: str, mail: Mail, spans: Spans, clock: Clock) -> Iterator[None]:
    """Put the ids of the mail into every log line of the block, and log and time the whole."""
    ids, since_s = _log_ids(lane, mail), clock.elapsed_s()
    of = ids.get("update") or lane.partition(":")[2]
    with bound_contextvars(**ids), spans.span(f"handle {mail.kind}", of, **ids):
        yield
        log.info("handled", mail=mail.kind, took_s=round(clock.elapsed_s() - since_s, 4))


class TimedModel:
    """A Model whose calls are spans with the project, and whose answers say how long they took.

    `project` gives the project of what is handled now, "" for none.
    """

    def __init__(
        self, model: Model, spans: Spans, clock: Clock, *, project: Callable[[], str] = str
    ) -> None:
        self._model = model
        self._spans = spans
        self._clock = clock
        self._project = project

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
        """The model's answer with its seconds; raises as the model does."""
        since_s = self._clock.elapsed_s()
        with self._spans.span("model", "", purpose=purpose, project=self._project()):
            answer = await self._model.complete(
                messages,
                tools=tools,
                schema=schema,
                max_tokens=max_tokens,
                heard=heard,
                purpose=purpose,
            )
        return replace(answer, seconds=round(self._clock.elapsed_s() - since_s, 3))
