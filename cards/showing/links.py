"""What a link that opens a card or a run carries, on platforms that have such links."""

CARD, RUN = "c", "r"
"""What the payload of a link names: a card by its token, a run by its id."""


def card_payload(token: str) -> str:
    """The payload that opens a card, at most 64 of A-Z, a-z, 0-9, _ and -; "" for no such token."""
    payload = f"{CARD}_{token}"
    return payload if len(payload) <= 64 and payload.isascii() else ""
