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
