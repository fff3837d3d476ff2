"""What is found when a connection to the outside is looked at (`signoff doctor`)."""

from collections.abc import Sequence
from typing import Literal, Protocol

from cards.frozen import Frozen


class Diagnosis(Frozen):
    """One thing that was looked at: how it is, and what mends it.

    `unknown` is what could not be asked now, `off` what the settings leave out.
    """

    check: str
    state: Literal["ok", "wrong", "unknown", "off"]
    told: str = ""
    fix: str = ""


class Doctor(Protocol):
    """Looks at one connection, and changes nothing."""

    async def findings(self) -> Sequence[Diagnosis]:
        """What was found, in order; does not raise for what is wrong outside."""
        ...
