"""`signoff pending`: what waits for whom, for operators."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from bot.operate.people import nobody
from bot.people.directory import load_people
from bot.settings import Settings
from bot.terminal.tables import headed
from bot.wiring.clock import open_clock
from bot.wiring.people import PeopleAccess, open_desk
from cards.deciding.inbox import EVERYBODY
from cards.model import Card
from engine.talk.pending import read_pending_page

MOST = 200
"""So many cards are printed."""


async def show_pending(settings: Settings, person_id: str | None, *, as_json: bool) -> int:
    """Prints what waits for a person, or for anybody, the oldest first; 1 for nobody of that id."""
    people = load_people(settings.people, settings.accounts)
    if person_id and all(person.id != person_id for person in people.people):
        return nobody(people, person_id)
    async with open_desk(settings, people) as desk:
        cards, total = await _cards(desk, person_id, settings)
    if as_json:
        print(json.dumps([_as_json(card) for card in cards], ensure_ascii=False))
    elif cards:
        heads = ("card", "title", "asked for by", "where", "waits for")
        print(headed([heads, *map(_row, cards)]))
        if total > len(cards):
            print(f"the oldest {len(cards)} of at most {total}")
    else:
        print(f"nothing waits for {person_id or 'anybody'}")
    return 0


async def _cards(
    desk: PeopleAccess, person_id: str | None, settings: Settings
) -> tuple[Sequence[Card], int]:
    person = desk.people.person(person_id) if person_id else None
    if person is None:
        listed = await desk.inbox.listed([EVERYBODY])
        return await desk.inbox.cards(listed.tokens[:MOST]), listed.total
    clock = open_clock(settings)
    voter = partial(desk.people.as_voter, person, today=clock.today())
    page = await read_pending_page(desk.inbox, voter, clock.now(), size=MOST)
    return page.cards, page.total if page.more else len(page.cards)


def _row(card: Card) -> tuple[str, ...]:
    rows = " ".join(row.value for row in card.rows[:2])
    title = " ".join(f"{card.title} {rows}".split())
    who = ", ".join((*card.review.roles, *card.review.persons))
    return (card.token, title, card.requester, card.conversation, who)


def _as_json(card: Card) -> dict[str, Any]:
    return {
        "card": card.token,
        "kind": card.kind,
        "title": card.title,
        "run": card.run,
        "conversation": card.conversation,
        "requester": card.requester,
        "roles": card.review.roles,
        "persons": card.review.persons,
        "votes": [vote.person for vote in card.votes],
        "deadline": card.deadline.isoformat() if card.deadline else None,
    }
