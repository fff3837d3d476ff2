"""What goes wrong on demand: how the next calls of a method fail, on every platform alike."""

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Literal, Self

Kind = Literal["rate_limited", "broken", "refused", "dropped", "garbled"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One way for a call to fail. Make it by name, as in `Fault.rate_limited(2)`."""

    kind: Kind
    retry_after_s: float = 1
    told: str = ""
    status: int = 400

    @classmethod
    def rate_limited(cls, retry_after_s: float = 1) -> Self:
        """429, with the seconds to wait where the platform says them. Nothing is carried out."""
        return cls("rate_limited", retry_after_s)

    @classmethod
    def broken(cls) -> Self:
        """500. Nothing is carried out."""
        return cls("broken")

    @classmethod
    def refused(cls, told: str, status: int = 400) -> Self:
        """The platform says no: Slack's error code, or Telegram's description and HTTP status."""
        return cls("refused", told=told, status=status)

    @classmethod
    def dropped(cls) -> Self:
        """The call is carried out, and the connection ends before its answer."""
        return cls("dropped")

    @classmethod
    def garbled(cls, body: str, status: int = 200) -> Self:
        """The call is carried out, and this is its answer. Telegram alone does so here."""
        return cls("garbled", told=body, status=status)


class FaultPlan:
    """The faults to come, by method; upper and lower case of its name are one."""

    def __init__(self) -> None:
        self._planned: dict[str, deque[Fault | None]] = defaultdict(deque)

    def add(self, method: str, fault: Fault, *, times: int = 1, after: int = 0) -> None:
        """`times` calls fail, once `after` others went well; what is added later comes later."""
        planned = self._planned[method.lower()]
        planned.extend([None] * after)
        planned.extend([fault] * times)

    def take(self, method: str) -> Fault | None:
        """The fault of the call that is made now; None when it goes well."""
        planned = self._planned[method.lower()]
        return planned.popleft() if planned else None

    def clear(self) -> None:
        """Everything goes well from now on."""
        self._planned.clear()
