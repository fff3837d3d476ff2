"""OpenTelemetry spans of the way of a message; off without OTEL_EXPORTER_OTLP_ENDPOINT."""

import asyncio
import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    pass

EXPORT_S = 5.0


class Spans(Protocol):
    """Where spans go."""

    def span(self, name: str, of: str, **attributes: str) -> AbstractContextManager[None]:
        """What the block does, in the trace of the update or run whose id is `of`.

        With "" in the trace that is open already.
        """
        ...

    async def flush(self) -> None:
        """Send what is left, for a few seconds at most."""
        ...

    async def close(self) -> None:
        """Send what is left, and no more."""
        ...


class NoSpans:
    """Nobody asked for spans."""

    def span(self, name: str, of: str, **attributes: str) -> AbstractContextManager[None]:
        """The block as it is."""
        return nullcontext()

    async def flush(self) -> None:
        """Nothing is left."""

    async def close(self) -> None:
        """Nothing is left."""


NO_SPANS: Final[Spans] = NoSpans()


class OtlpSpans:
    """Spans sent over HTTP to a collector, in batches, by a thread of their own.

    The id of a trace is made of the update's or run's id, so that what web and worker processes do
    about one update is one trace, whoever does it and however late.
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
        """A span beneath what stands open in the same trace, else beneath the trace's root."""
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
