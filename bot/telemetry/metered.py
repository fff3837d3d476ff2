"""The intake, counted and timed: what came in, what was answered, how fast it was durable."""

from typing import Final, assert_never

import structlog

from bot.telemetry.spans import Spans
from engine.events import (
    Accepted,
    Answered,
    CardTapped,
    CommandGiven,
    ConfirmWanted,
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
from engine.ports.clock import Clock
from engine.ports.meter import Meter
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


class Metered:
    """An Intake that counts and logs; with `texts` also what people wrote."""

    def __init__(
        self, intake: Intake, meter: Meter, clock: Clock, *, spans: Spans, texts: bool
    ) -> None:
        self._intake = intake
        self._meter = meter
        self._clock = clock
        self._spans = spans
        self._texts = texts

    async def __call__(self, update: Update) -> Outcome:
        """What the intake answers; raises what it raises."""
        since_s, platform = self._clock.elapsed_s(), update.actor.platform
        kind, ids = _NAMES[type(update)], {"conversation": update.conversation}
        with self._spans.span(f"take {kind}", update.id, update=update.id, **ids):
            outcome = await self._intake(update)
        told = _told(outcome)
        text = {"text": update.text} if self._texts and isinstance(update, _WRITTEN) else {}
        log.info("taken", update=update.id, kind=kind, outcome=told, **ids, **text)
        self._meter.count("updates", platform, kind, told)
        if not isinstance(outcome, NotRecorded):
            self._meter.took("ack", self._clock.elapsed_s() - since_s, platform)
        return outcome


def _told(outcome: Outcome) -> str:
    match outcome:
        case Accepted(duplicate=duplicate):
            return "duplicate" if duplicate else "accepted"
        case Answered(stranger=True):
            return "stranger"
        case Answered(ok=ok):
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
