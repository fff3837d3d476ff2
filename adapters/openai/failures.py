"""Why an attempt gave no answer, without the server's words, which may quote the key."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import openai

from engine.errors import BadModelOutput, ModelError, ModelRefused
from engine.ports.storage.model_numbers import AttemptOutcome

_DENIED = frozenset({401, 403, 404})
_PASSING = frozenset({408, 409, 429})


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong. `again` when the same request may go well later.

    `wait_s` is how long the server asks to wait; `fatal` is raised as no other model would help;
    `blamed` when it counts against the model.
    """

    outcome: AttemptOutcome
    why: str
    again: bool = False
    wait_s: float | None = None
    fatal: type[ModelError] | None = None
    blamed: bool = True

    @property
    def answered(self) -> bool:
        """Whether the model is there, and only what it was asked is at fault."""
        return self.outcome in ("rejected", "refused")


GARBLED = Failure("bad", "the model server's answer is not a chat completion", fatal=BadModelOutput)
CUT_OFF = Failure("no_connection", "the answer broke off", again=True)
REFUSED = Failure("refused", "the model declined to answer", fatal=ModelRefused)
RESTING = Failure("left_alone", "left alone for now after failures")


def failure_of(error: openai.APIError) -> Failure:
    """Return the library's error as a failure, without the server's words."""
    if isinstance(error, openai.APIStatusError):
        return _status_failure(error)
    if isinstance(error, openai.APITimeoutError):
        return Failure("timeout", "time-out", again=True)
    if isinstance(error, openai.APIConnectionError):
        return Failure("no_connection", "no connection", again=True)
    return Failure("failed", "an error in the middle of the answer", again=True)


def _status_failure(error: openai.APIStatusError) -> Failure:
    status = error.status_code
    why = f"status {status}"
    if status in _DENIED:
        return Failure("denied", why)
    if 300 <= status < 400:
        return Failure("denied", f"{why}: its redirect is not followed")
    if status in _PASSING or status >= 500:
        outcome: AttemptOutcome = "limited" if status == 429 else "failed"
        return Failure(outcome, why, again=True, wait_s=wait_s(error.response.headers))
    if error.code == "content_filter":
        return Failure("refused", "the provider's content filter declined", fatal=ModelRefused)
    why = f"the model server rejects the request ({status})"
    return Failure("rejected", why, fatal=ModelError)


def wait_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that an answer asks to wait, None when it names none."""
    millis = _number(headers.get("retry-after-ms"))
    if millis is not None:
        return millis / 1000
    after = headers.get("retry-after")
    seconds = _number(after)
    return _until(after, headers.get("date")) if seconds is None else seconds


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(after: str | None, date: str | None) -> float | None:
    """Return the seconds from the server's own date, as its clock may differ from ours."""
    try:
        apart = parsedate_to_datetime(after or "") - parsedate_to_datetime(date or "")
    except (ValueError, TypeError):
        return None
    return max(0.0, apart.total_seconds())
