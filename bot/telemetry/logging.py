"""Log lines: one JSON object each, on stderr."""

import logging
import sys
from collections.abc import Collection
from typing import Any

import structlog

_SHARED: tuple[structlog.typing.Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
    structlog.processors.format_exc_info,
)


def configure_logging(
    process: str, *, least: int = logging.INFO, without: Collection[str] = ()
) -> None:
    """Send our log and that of libraries to stderr; `process` is in every line of ours.

    Lines below the level `least` are left out, and those of the events `without`.
    """

    def drop(
        logger: Any, name: str, event: structlog.typing.EventDict
    ) -> structlog.typing.EventDict:
        if event.get("event") in without:
            raise structlog.DropEvent
        return event

    structlog.configure(
        processors=[drop, *_SHARED, structlog.processors.JSONRenderer(ensure_ascii=False)],
        wrapper_class=structlog.make_filtering_bound_logger(least),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    structlog.contextvars.bind_contextvars(process=process)
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
            foreign_pre_chain=_SHARED,
        )
    )
    # Not below: HTTP clients log whole addresses at INFO, and Telegram's contain the token.
    logging.basicConfig(level=logging.WARNING, handlers=[lines], force=True)
