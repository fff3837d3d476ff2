"""The one way for every answer to a card: tap, form, typed text, hand-over, page (design §7).

It decides on the card as it was read, by the people that there are today; it writes nothing, and
says nothing to anybody. Who calls it tells the person, and logs where the answer came from.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from cards.deciding.decision import Recorded, Refused, Verdict, Won, decide
from cards.deciding.handover import Handed, NotHanded, hand_over, may_hand_over
from cards.deciding.seats import free, seats
from cards.editing.editing import Edited, EditVerdict, edit
from cards.model import Card, Principal
from engine.frames.outcome import People
from engine.mail import CardDecided, CardExpired
from engine.ports.storage.store import CardNow, CardWrite, Effects
from engine.runs.clocks import handed


@dataclass(frozen=True, slots=True)
class CardAnswer:
    """What a person chose on a card, at which revision; `values` when a form was sent with it."""

    choice: str
    revision: int
    values: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the answer comes to, for this person as they are today, on the card as it counts today.

    `effects` are all that it changes, but for the log.
    """

    card: Card
    person: Principal
    verdict: Verdict | EditVerdict
    effects: Effects


@dataclass(frozen=True, slots=True)
class CardJudge:
    """Judges by these people; `zone` (IANA) is where the service's days are."""

    people: People
    zone: str

    def as_today(self, found: CardNow, person: Principal) -> tuple[CardNow, Principal]:
        """The card with the votes that count now, and the person with the seats they may take."""
        card = self.people.counted(found.card, found.now)
        standing = self.people.standing(person, card, self._today(found.now))
        return CardNow(card, found.now), standing

    def judge(self, found: CardNow, person: Principal, answer: CardAnswer) -> Judgement:
        """What the answer means for the card."""
        today, person = self.as_today(found, person)
        verdict = self._verdict(today, person, answer)
        return Judgement(today.card, person, verdict, _effects(today.card, verdict))

    def may_give(self, found: CardNow, giver: Principal) -> NotHanded | None:
        """Why this person has no seat on the card to give away; None when they have."""
        today, giver = self.as_today(found, giver)
        return may_hand_over(today.card, giver, found.now)

    def give(
        self, found: CardNow, giver: Principal, receiver: Principal, *, ordered: bool = False
    ) -> tuple[Handed | NotHanded, Effects]:
        """The giver's seat goes to the receiver.

        `ordered` when an operator has it done: then the receiver has to be able to approve by it.
        """
        today, giver = self.as_today(found, giver)
        receiver = self.people.about(today.card.conversation).known(receiver)
        verdict = hand_over(today.card, giver, receiver, found.now, ordered=ordered)
        if isinstance(verdict, NotHanded):
            return verdict, Effects()
        if ordered and not self._may_approve(verdict.card, receiver, found.now):
            return NotHanded("to_requester"), Effects()
        people, day = self.people.about(today.card.conversation), self._today(found.now)
        effects = Effects(
            cards=(CardWrite(verdict.card, expect=today.card.version),),
            posts=handed(verdict, people.reached([receiver.id], day)),
        )
        return verdict, effects

    def _may_approve(self, card: Card, person: Principal, now: datetime) -> bool:
        """Whether there is a seat for them, and nothing of theirs among what is to be approved."""
        wrote = card.review.four_eyes and not person.ids.isdisjoint(card.authors.values())
        standing = self.people.standing(person, card, self._today(now))
        return not wrote and free(card, seats(card, standing)) is not None

    def _verdict(
        self, found: CardNow, person: Principal, answer: CardAnswer
    ) -> Verdict | EditVerdict:
        card, choice, values = found.card, answer.choice, answer.values
        chosen = card.choice(choice)
        if chosen is None or not chosen.edits:
            return decide(card, person, choice, found.now, revision=answer.revision, values=values)
        here, named = self.people.about(card.conversation), card.review.persons
        persons = (p for p in here.everybody if not p.ids.isdisjoint(named))
        return edit(
            card,
            person,
            choice,
            found.now,
            revision=answer.revision,
            values=values,
            approvers=(*here.holders(card.review.roles), *persons),
        )

    def _today(self, now: datetime) -> date:
        return now.astimezone(ZoneInfo(self.zone)).date()


def _effects(card: Card, verdict: Verdict | EditVerdict) -> Effects:
    match verdict:
        case Won(card=after, decision=decision):
            mail = CardDecided(card=card.token, decision=decision).stored()
            write = CardWrite(after, expect=card.version)
            return Effects(cards=(write,), mails=((card.lane, mail),))
        case Recorded(card=after) | Edited(card=after):
            return Effects(cards=(CardWrite(after, expect=card.version),))
        case Refused(reason="expired"):
            return _expired(card)
        case _:
            return Effects()


def _expired(card: Card) -> Effects:
    """The end of a card whose time is over, before its timer has come: the answer does its work.

    A card of a talk turn is left to the timer, for its turn has more to say.
    """
    if not card.run or card.status != "open":
        return Effects()
    after = card.model_copy(update={"status": "expired", "version": card.version + 1})
    mail = CardExpired(card=card.token).stored()
    return Effects(cards=(CardWrite(after, expect=card.version),), mails=((card.lane, mail),))
