"""A seat on a review goes to somebody else: its holder gives it, or an operator has it given.

No other card can be given away: a question is its person's own. Nobody gets a seat who may not
decide: neither the requester under four eyes, nor whoever changed what is to be approved.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from cards.deciding.codes import hand_over_code
from cards.deciding.handover import (
    HAND_OVER,
    RECEIVER,
    HandedOverCard,
    HandOverRefusal,
    Reason,
    hand_over,
    hand_over_form,
    hand_over_refusal,
)
from cards.deciding.seats import first_free_seat, seats_of
from cards.forms import unknown_fields
from cards.model import Card, Choice, Lang, Principal
from cards.texts import say
from cards.translation import translate_card
from engine.events import DirectAnswer, FormRefused, FormWanted
from engine.frames import audit
from engine.ports.people import People
from engine.ports.storage.store import CardNow, CardWrite, Effects
from engine.reviews.answer import CardAnswer, Judgement, as_today, day_at, form_view
from engine.reviews.clocks import posts_at
from engine.reviews.replacement import can_replace, find_leavers, replace_approver
from engine.text.entities import fold

EVENT: Final = "reassigned"
NotReassigned = Reason | Literal["nobody"]
"""Why an operator cannot give a seat away; `nobody` when it is of nobody, or for nobody."""

# Chosen from a platform's list of its users: people do not know it as a name.
_ACCOUNT: Final = re.compile(r"[a-z]+:[A-Za-z0-9:]+")
_WORD_OF_NAME = re.compile(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff,;:()]+")
_NAME_WORDS, _NAME_CHARS = 6, 200
_LIKE_A_NAME = re.compile(r"[A-Z][^\W\d]+(?:[ '’.-]{1,2}[A-Z][^\W\d]*){0,3}|[\u3400-\u9fff]{2,4}")
_NAME_PARTS: Final = re.compile(r"[\s/,、，()（）]+")


@dataclass(frozen=True, slots=True)
class TransferOptions:
    """Whose seats on a card can be given away, and who could take one of them."""

    givers: tuple[Principal, ...]
    takers: tuple[Principal, ...]


@dataclass(frozen=True, slots=True)
class SeatTransfers:
    """Says who may give whose seat to whom, and what that changes; writes nothing.

    `zone` (IANA) is where the service's days are.
    """

    people: People
    zone: str

    def judge(self, found: CardNow, answer: CardAnswer) -> Judgement:
        """The seat goes to whom the form's name means; a bare tap is asked for a name.

        The card and the giver are as they count today.
        """
        giver, lang = answer.person, answer.lang(found.card)
        if refused := hand_over_refusal(found.card, giver, found.now):
            told = say(f"handover.{refused.reason}", lang)
            code = hand_over_code(refused, found.card)
            shown = DirectAnswer(told, ok=False, code=code)
            return Judgement.of(answer, found, refused.reason, shown)
        if answer.values is None:
            return self._ask_whom(found, answer)
        form = hand_over_form(found.card)
        if unknown := unknown_fields(form, answer.values, lang):
            return Judgement.of(answer, found, "invalid", FormRefused(unknown))
        name = answer.values.get(RECEIVER, "")
        receivers = find_people(self.people.scope_of(found.card), name)
        if len(receivers) != 1:
            return _ask_again(found, answer, _unclear_text(name, receivers, lang))
        verdict, effects = self._transfer(found, giver, receivers[0])
        if isinstance(verdict, HandOverRefusal):
            return _ask_again(found, answer, say(f"handover.{verdict.reason}", lang))
        given = verdict.given
        shown = DirectAnswer(say("handover.done", lang, to=given.to_name), ok=True)
        more = {"to": given.to}
        return Judgement.of(answer, found, "handed_over", shown, effects=effects, more=more)

    def refusal(self, found: CardNow, giver: Principal) -> HandOverRefusal | None:
        """Why this person has no seat on the card to give away; None when they have."""
        found, giver = as_today(found, giver, self.people, self.zone)
        return hand_over_refusal(found.card, giver, found.now)

    def seats(self, cards: Sequence[Card], now: datetime) -> Mapping[str, TransferOptions]:
        """What an operator can give away, by card; none for a card whose seats nobody can take."""
        found = {card.token: self._seats(CardNow(card, now)) for card in cards}
        return {token: each for token, each in found.items() if each.givers and each.takers}

    def reassign(
        self, found: CardNow, giver: str, taker: str, origin: Mapping[str, str]
    ) -> Effects | NotReassigned:
        """What it changes that an operator gives one person's seat to another (principal ids).

        `origin` is who the operator is, and from where, for the run's log.
        """
        people = self.people.scope_of(found.card)
        if giver in find_leavers(found.card, people):
            return self._replace(found, giver, taker, origin)
        gives = next((each for each in self._holders(found.card) if each.id == giver), None)
        takes = next((each for each in people.everybody if each.id == taker), None)
        if gives is None or takes is None:
            return "nobody"
        today, gives = as_today(found, gives, self.people, self.zone)
        verdict, effects = self._transfer(today, gives, takes, ordered=True)
        if isinstance(verdict, HandOverRefusal):
            return verdict.reason
        facts = {**origin, "for": gives.id, "given_to": takes.id}
        entry = audit.card_entry(found.card, found.now, EVENT, facts, after=verdict.card)
        return replace(effects, log=(entry,))

    def _replace(
        self, found: CardNow, leaver: str, taker: str, origin: Mapping[str, str]
    ) -> Effects | NotReassigned:
        """The card names somebody in place of who has left; a hand-over needs a giver."""
        people = self.people.scope_of(found.card)
        takes = next((each for each in people.everybody if each.id == taker), None)
        if takes is None:
            return "nobody"
        if not can_replace(found.card, takes, found.now):
            return "to_requester"
        card = replace_approver(found.card, leaver, takes, people)
        homes = people.person_homes([takes.id], day_at(found.now, self.zone))
        facts = {**origin, "for": leaver, "given_to": takes.id}
        return Effects(
            cards=(CardWrite(card, expect=found.card.version),),
            posts=posts_at(card, homes),
            log=(audit.card_entry(found.card, found.now, EVENT, facts, after=card),),
        )

    def _transfer(
        self, found: CardNow, giver: Principal, receiver: Principal, *, ordered: bool = False
    ) -> tuple[HandedOverCard | HandOverRefusal, Effects]:
        """The card, as it counts today, with the giver's seat given away.

        With `ordered` the receiver has to be able to approve in it.
        """
        people = self.people.scope_of(found.card)
        receiver = people.refresh(receiver)
        verdict = hand_over(found.card, giver, receiver, found.now, ordered=ordered)
        if isinstance(verdict, HandOverRefusal):
            return verdict, Effects()
        if ordered and not self._may_approve(CardNow(verdict.card, found.now), receiver):
            return HandOverRefusal("to_requester"), Effects()
        homes = people.person_homes([receiver.id], day_at(found.now, self.zone))
        effects = Effects(
            cards=(CardWrite(verdict.card, expect=found.card.version),),
            posts=posts_at(verdict.card, homes),
        )
        return verdict, effects

    def _may_approve(self, found: CardNow, person: Principal) -> bool:
        """Whether there is a seat for them, and nothing of theirs among what is to be approved."""
        card, today = found.card, day_at(found.now, self.zone)
        wrote = card.review.four_eyes and not person.ids.isdisjoint(card.authors.values())
        standing = self.people.as_voter(person, card, today)
        return not wrote and first_free_seat(card, seats_of(card, standing)) is not None

    def _ask_whom(self, found: CardNow, answer: CardAnswer) -> Judgement:
        """The form that asks for a name, with the names of those who could take the seat."""
        card, lang = found.card, answer.lang(found.card)
        able = [
            each.name
            for each in self.people.scope_of(card).everybody
            if isinstance(hand_over(card, answer.person, each, found.now), HandedOverCard)
        ]
        card = translate_card(card, lang, self.people.role_name)
        label = say("choice.hand_over", card.lang)
        choice = Choice(id=HAND_OVER, label=label, form=hand_over_form(card, able))
        view = form_view(card, choice, lang, title=say("handover.title", card.lang))
        return Judgement.of(answer, found, "form", FormWanted(view))

    def _holders(self, card: Card) -> Sequence[Principal]:
        people = self.people.scope_of(card)
        return people.deciders(card.review) if card.review.by_policy else ()

    def _seats(self, found: CardNow) -> TransferOptions:
        givers = [each for each in self._holders(found.card) if not self.refusal(found, each)]
        today = [as_today(found, each, self.people, self.zone) for each in givers]
        people = self.people.scope_of(found.card)
        left = [Principal(id=each, name=each) for each in find_leavers(found.card, people)]
        takers = [
            taker
            for taker in people.everybody
            if (left and can_replace(found.card, taker, found.now))
            or any(
                isinstance(self._transfer(card, giver, taker, ordered=True)[0], HandedOverCard)
                for card, giver in today
            )
        ]
        return TransferOptions((*givers, *left), tuple(takers))


def find_people(people: People, text: str) -> Sequence[Principal]:
    """Everybody whom the text may mean: by id or account, by whole name, or by a part of it."""
    typed = fold(text).strip().removeprefix("@")
    for names_of in (_ids, _names, _name_parts):
        found = [person for person in people.everybody if typed and typed in names_of(person)]
        if found:
            return found
    return []


def named_in(people: People, text: str) -> str:
    """The longest stretch of a text that names somebody; "" for none, and where two are named."""
    words = [match.span() for match in _WORD_OF_NAME.finditer(text[:_NAME_CHARS])]
    spans = sorted(
        (first[0] - last[1], first[0], last[1])
        for at, first in enumerate(words)
        for last in words[at : at + _NAME_WORDS]
    )
    found: list[tuple[int, int]] = []
    for _, start, end in spans:
        is_free = all(end <= first or last <= start for first, last in found)
        # "will" and "may" are names of some.
        is_name = end - start > 1 and not text[start].islower()
        if is_free and is_name and find_people(people, text[start:end]):
            found.append((start, end))
    return text[slice(*found[0])] if len(found) == 1 else ""


def looks_like_a_name(text: str) -> bool:
    """Whether a text may be somebody's name: words with capitals, or a few Chinese letters."""
    return bool(_LIKE_A_NAME.fullmatch(text))


def _ids(person: Principal) -> set[str]:
    return {fold(name) for name in person.ids}


def _names(person: Principal) -> set[str]:
    return {fold(person.name), *(fold(part).strip() for part in person.name.split("/"))}


def _name_parts(person: Principal) -> set[str]:
    return {fold(part) for part in _NAME_PARTS.split(person.name) if part}


def _ask_again(found: CardNow, answer: CardAnswer, why: str) -> Judgement:
    return Judgement.of(answer, found, "invalid", FormRefused({RECEIVER: why}))


def _unclear_text(name: str, receivers: Sequence[Principal], lang: Lang) -> str:
    """Why the name does not say who gets the seat."""
    if receivers:
        names = say("list.items", lang).join(each.name for each in receivers)
        return say("handover.ambiguous", lang, names=names)
    if _ACCOUNT.fullmatch(name):
        return say("handover.stranger", lang)
    return say("handover.unknown", lang, name=name.strip()[:60])
