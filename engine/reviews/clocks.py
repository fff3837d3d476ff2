"""Reminders and escalation of open reviews (runs-and-reviews §1.10).

Neither decides anything or advances the run: the card changes, and people are told.
"""

import json
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, Literal

from cards.deciding import lapsed
from cards.deciding.needed import adds_vote, votes_given_by_id
from cards.deciding.seats import is_own_request
from cards.model import Card
from cards.texts import say
from engine.frames.audit import CLOCK, card_facts
from engine.mail import CardExpired, ReviewDue
from engine.ports.people import People
from engine.ports.storage.store import CardWrite, Effects, Post, Timer

_CLOCKS = ("expire", "remind", "escalate")


def card_timers(card: Card, now: datetime) -> tuple[Timer, ...]:
    """The timers of a card that opens now, as mail to its lane."""
    review, found = card.review, list[Timer]()
    if card.deadline:
        expired = CardExpired(card=card.token).stored()
        found.append(Timer(card.lane, f"expire:{card.token}", card.deadline, expired))
    if review.remind:
        found.append(_review_timer(card, "remind", review.remind.first_at(now)))
    if review.escalate:
        found.append(
            _review_timer(card, "escalate", now + timedelta(seconds=review.escalate.after_s))
        )
    return tuple(found)


def stop_timers(token: str, lane: str) -> tuple[Timer, ...]:
    """Removes every timer of a card."""
    return tuple(Timer(lane, f"{clock}:{token}", None) for clock in _CLOCKS)


def apply_clock(
    mail: ReviewDue, card: Card, people: People, *, now: datetime, today: date
) -> Effects:
    """What a timer that came due changes; nothing once the card is closed or expired.

    `today` is the day where the service is.
    """
    late = card.deadline is not None and now >= card.deadline
    if card.status != "open" or late:
        return Effects()
    act = _remind if mail.what == "remind" else _escalate
    return act(people.with_valid_votes(card, now), people, now, today)


def clock_entry(card: Card, event: str, now: datetime, **more: Any) -> tuple[str, str]:
    """A log entry of what the service does with a card on its own; `card` is as it is then."""
    told = {"at": now.isoformat(), "event": event, "card": card.token, "by": CLOCK, **more}
    if fallen := lapsed.describe_lapsed_votes(card, now):
        told["lapsed"] = fallen
    told["changed_cards"] = [card_facts(card)]
    return card.run or card.token, json.dumps(told, ensure_ascii=False)


def close_card(card: Card, status: Literal["expired", "superseded"]) -> CardWrite:
    """The end of an open card that nobody decided."""
    after = card.model_copy(update={"status": status, "version": card.version + 1})
    return CardWrite(after, expect=card.version)


def supersede(cards: Sequence[Card]) -> tuple[CardWrite, ...]:
    """The end of those of the cards that are open, because something else is asked."""
    return tuple(close_card(card, "superseded") for card in cards if card.status == "open")


def replace_cards(others: Sequence[Card], opened: Sequence[Card], now: datetime) -> Effects:
    """The run's other open cards that a new one of the same semantic key replaces (spec 003)."""
    keys = {card.task_key for card in opened} - {""}
    return close_replaced([card for card in others if card.task_key in keys], now)


def close_replaced(cards: Sequence[Card], now: datetime) -> Effects:
    """The end of those of the cards that are open, with their timers and log entries."""
    closed = supersede(cards)
    return Effects(
        cards=closed,
        timers=tuple(timer for card in cards for timer in stop_timers(card.token, card.lane)),
        log=tuple(clock_entry(write.card, "superseded", now) for write in closed),
    )


def awaited_voters(card: Card) -> tuple[str, ...]:
    """Who can still vote (principal ids): holders of open seats, and who was given one."""
    voted = {vote.seat_owner for vote in card.votes} | {vote.person for vote in card.votes}
    asked = {card.requester, *card.requester_accounts} if card.review.four_eyes else set()
    held = (*(card.review.approvers or ()), *card.review.persons)
    seats = [person for person in held if person not in voted | asked]
    seats = [each for each in seats if adds_vote(card, votes_given_by_id(card, each))]
    given = [each.to for each in card.handed if each.by in seats and each.to not in voted]
    return tuple(dict.fromkeys((*seats, *given)))


def _review_timer(card: Card, what: Literal["remind", "escalate"], at: datetime) -> Timer:
    mail = ReviewDue(card=card.token, what=what)
    return Timer(card.lane, f"{what}:{card.token}", at, mail.stored())


def _remind(card: Card, people: People, now: datetime, today: date) -> Effects:
    """One ping to each home, the card edited in place, and the next timer."""
    remind = card.review.remind
    if remind is None or card.reminded >= remind.at_most:
        return Effects()
    if remind.hours and (opens := remind.hours.next_open(now)) > now:
        # It came due outside of working hours, as after a stop of the service.
        return Effects(timers=(_review_timer(card, "remind", opens),))
    number = card.reminded + 1
    update = {"reminded": number, "version": card.version + 1}
    after = card.model_copy(update=update)
    following = remind.next_at(number, now)
    places = people.person_homes(awaited_voters(card), today)
    body = json.dumps({"number": number})
    return Effects(
        cards=(CardWrite(after, expect=card.version),),
        posts=tuple(
            Post(f"{card.token}/{number}@{place}", place, "ping", card.token, body=body)
            for place in places
        ),
        timers=(_review_timer(card, "remind", following),) if following else (),
        log=(
            clock_entry(after, "reminded", now, number=number, of=remind.at_most, to=list(places)),
        ),
    )


def _escalate(card: Card, people: People, now: datetime, today: date) -> Effects:
    """The role's holders may decide as well, and see the card; every button stays valid."""
    review = card.review
    if review.escalate is None or card.escalated:
        return Effects()
    role, before = review.escalate.role, review.approvers or ()
    holders = people.holders((role,))
    added = [
        each.id
        for each in holders
        if each.ids.isdisjoint(before) and not is_own_request(card, each)
    ]
    name = people.role_name(role, card.lang)
    wider: dict[str, Any] = {"roles": (*review.roles, role), "approvers": (*before, *added)}
    wider["needed"] = tuple(
        each.model_copy(
            update={"roles": (*each.roles, role), "approvers": (*each.approvers, *added)}
        )
        for each in review.needed
    )
    update = {
        "review": review.model_copy(update=wider),
        "waiting_for": say("list.items", card.lang).join(filter(None, (card.waiting_for, name))),
        "escalated": name,
        "version": card.version + 1,
    }
    after = card.model_copy(update=update)
    return Effects(
        cards=(CardWrite(after, expect=card.version),),
        posts=posts_at(after, people.person_homes(added, today)),
        log=(clock_entry(after, "escalated", now, role=role, added=added),),
    )


def posts_at(card: Card, places: Sequence[str]) -> tuple[Post, ...]:
    """Posts of the card at these places, but for its own conversation, which has it already."""
    return tuple(
        Post(f"{card.token}@{place}", place, "card", card.token)
        for place in dict.fromkeys(places)
        if place != card.conversation
    )
