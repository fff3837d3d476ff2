"""What a button carries: card token, choice, content revision; at most 64 bytes (design §7)."""

import re

from cards.frozen import Frozen

CARD, RUN = "c", "r"
"""What the payload of a link names: a card by its token, a run by its id."""
MAX_BYTES = 64
_FORM = re.compile(
    r"s1:(?P<token>[0-9a-f]{1,4}-[A-Za-z0-9_-]{6,32}):(?P<choice>[a-z0-9_]{1,16}):(?P<rev>0|[1-9][0-9]{0,3})"
)


def card_payload(token: str) -> str:
    """The payload that opens a card, at most 64 of A-Z, a-z, 0-9, _ and -; "" for no such token."""
    payload = f"{CARD}_{token}"
    return payload if len(payload) <= 64 and payload.isascii() else ""


class BadButton(ValueError):
    """The data was not packed by us; the tapper is told that the card is not known here."""


class Button(Frozen):
    """A tap's meaning. It holds no authority: the store decides what it is worth."""

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
