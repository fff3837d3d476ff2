"""What a request may take: how long a model may be silent, and what is asked for by purpose."""

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

WHOLE_S: Final = 600.0
"""An answer that does not come in pieces says nothing until it is whole."""


class SilentTooLong(TimeoutError):
    """The model said nothing for too long, or took too long altogether; the message says which."""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """How long a model may be silent before its first token, and between two of them.

    `total_s` is for a whole answer, however it goes on; None for no limit.
    """

    first_token_s: float = 90.0
    between_tokens_s: float = 60.0
    total_s: float | None = None


class SilenceTimer:
    """Counts for how long a model says nothing. As a block it raises SilentTooLong."""

    def __init__(self, limits: TimeLimits) -> None:
        self._limits = limits
        self._timeout = asyncio.timeout(None)
        self._ends_s = 0.0
        self._why = ""

    async def __aenter__(self) -> "SilenceTimer":
        total_s = self._limits.total_s
        self._ends_s = math.inf if total_s is None else asyncio.get_running_loop().time() + total_s
        await self._timeout.__aenter__()
        self.expect_first()
        return self

    async def __aexit__(self, *error: Any) -> None:
        try:
            await self._timeout.__aexit__(*error)
        except TimeoutError:
            raise SilentTooLong(self._why) from None

    def expect_whole(self) -> None:
        """The answer comes at once, when it is whole."""
        self._allow(WHOLE_S, f"no answer within {WHOLE_S:g} s")

    def expect_first(self) -> None:
        """The answer comes in pieces, none of which is there."""
        first_s = self._limits.first_token_s
        self._allow(first_s, f"no token within {first_s:g} s")

    def end(self) -> None:
        """Something of the answer came."""
        between_s = self._limits.between_tokens_s
        self._allow(between_s, f"no further token within {between_s:g} s")

    def _allow(self, seconds: float, why: str) -> None:
        until_s = asyncio.get_running_loop().time() + seconds
        if until_s > self._ends_s:
            until_s, why = self._ends_s, f"no whole answer within {self._limits.total_s:g} s"
        self._why = why
        self._timeout.reschedule(until_s)


@dataclass(frozen=True, slots=True)
class RequestFields:
    """Fields of requests, by purpose, over those that stand under `all`."""

    by_purpose: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of(self, purpose: str) -> dict[str, Any]:
        """The fields of a request for that purpose; `max_tokens` is its limit, if set."""
        return {**self.by_purpose.get("all", {}), **self.by_purpose.get(purpose, {})}
