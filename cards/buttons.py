"""What buttons and links carry: a card's token, choice and revision in 64 bytes (design §7)."""

import re

from cards.frozen import Frozen

CARD, RUN = "c", "r"
"""What a link's payload begins with: for a card's token, for a run's id."""
CANCEL_RUN = "cancel_run"
"""The choice of a button that is of no card: its token is the id of the run that it cancels."""
WHOLE_CASE = "whole_case"
"""The same of a reply: it tells all that the case has of which the reply tells a little."""

MAX_BYTES = 64
_FORM = re.compile(
    r"s1:(?P<token>[0-9a-f]{1,4}-[A-Za-z0-9_-]{6,32}):(?P<choice>[a-z0-9_]{1,16}):(?P<rev>0|[1-9][0-9]{0,3})"
)


class BadButton(ValueError):
    """The data was not packed by us."""


class Button(Frozen):
    """What a tap means. It carries no authority: the store decides what it is worth."""

    token: str
    choice: str
    revision: int

    def pack(self) -> str:
        """The button's data, at most 64 ASCII bytes; raises BadButton for parts that do not fit."""
        data = f"s1:{self.token}:{self.choice}:{self.revision}"
        if not _FORM.fullmatch(data) or len(data) > MAX_BYTES:
            raise BadButton(f"not a button: {data!r}")
        return data

    @classmethod
    def unpack(cls, data: str) -> "Button":
        """The button behind `data`; raises BadButton for anything that pack did not write."""
        match = _FORM.fullmatch(data) if len(data) <= MAX_BYTES else None
        if match is None:
            raise BadButton("not a button of ours")
        return cls(token=match["token"], choice=match["choice"], revision=int(match["rev"]))


def card_payload(token: str) -> str:
    """Return what a link to a card carries: up to 64 of A-Z, a-z, 0-9, _ and -; "" if too long."""
    return _payload(CARD, token)


def run_payload(run: str) -> str:
    """Return what a link to a run carries, in the same way."""
    return _payload(RUN, run)


def _payload(kind: str, name: str) -> str:
    payload = f"{kind}_{name}"
    return payload if len(payload) <= 64 and payload.isascii() else ""
