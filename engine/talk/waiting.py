"""What waits for a person, a page at a time: for `/pending`, the web page and operators alike."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from cards.deciding.inbox import names_of, waits_for
from cards.model import Card, Principal
from engine.ports.storage.inbox import Inbox

PAGE = 10
LOOKED_AT = 1_000
"""So many cards are looked at for a page; most of what is listed for a person waits for them."""

_AT_ONCE = 50


Voter = Callable[[Card | None], Principal]
"""The person as they may act on that card, or on any, with those whose seat they may take."""


@dataclass(frozen=True, slots=True)
class Page:
    """Cards from the `first` (counted from 1) on, the oldest first, out of `total` at most.

    `more` when there may be a next page.
    """

    cards: tuple[Card, ...]
    first: int
    more: bool
    total: int


async def page_of(
    inbox: Inbox, voter: Voter, now: datetime, *, number: int = 1, size: int = PAGE
) -> Page:
    """Page `number` of what this person may decide now, by the roles they hold now."""
    listed = await inbox.listed(names_of(voter(None)))
    wanted = number * size
    found: list[Card] = []
    tokens = listed.tokens[:LOOKED_AT]
    for start in range(0, len(tokens), _AT_ONCE):
        cards = await inbox.cards(tokens[start : start + _AT_ONCE])
        found += [card for card in cards if waits_for(card, voter(card), now)]
        if len(found) > wanted:
            break
    more = len(found) > wanted or len(listed.tokens) > LOOKED_AT
    first = wanted - size
    return Page(tuple(found[first:wanted]), first + 1, more, max(listed.total, len(found)))
