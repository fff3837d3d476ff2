"""The judge of every answer to a card: tap, form, hand-over, command, typed text (design §7)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from cards.deciding.codes import refusal_code
from cards.deciding.decision import (
    DecidedCard,
    DecisionRefusal,
    EditAttempt,
    InvalidForm,
    MissingForm,
    RepeatedVote,
    Verdict,
    VotedCard,
    decide,
)
from cards.deciding.handover import HAND_OVER
from cards.deciding.lapsed import open_seats
from cards.deciding.revision import EditedCard, EditVerdict, UnchangedCard, edit
from cards.deciding.texts import refusal_text, repeated_text
from cards.model import Card, Choice, Lang, Principal
from cards.showing.show import confirm_view, describe_decision, is_final
from cards.texts import say
from cards.translation import label_in, translate_card
from engine.events import ConfirmWanted, DirectAnswer, FormRefused, FormWanted
from engine.mail import CardDecided, CardExpired
from engine.ports.people import People
from engine.ports.storage.store import CardNow, CardWrite, Effects
from engine.reviews.answer import CardAnswer, Judgement, as_today, day_at, form_view
from engine.reviews.awaited import name_awaited
from engine.reviews.clocks import close_card
from engine.reviews.edits import edit_facts, edit_notices, edit_text
from engine.reviews.form_facts import form_facts, with_days
from engine.reviews.handover import SeatTransfers
from engine.text.entity_kinds import NO_ENTITIES, Entities


@dataclass(frozen=True, slots=True)
class CardJudge:
    """Judges answers to a card as it was read, by these people as they are today.

    It writes nothing: whoever asks stores the effects, and then shows the person what it came to.
    `zone` (IANA) is where the service's days are, and that of times for people without their own.
    `entities` are what a form's fields may name there.
    """

    people: People
    zone: str
    entities: Callable[[Card, Principal], Entities] = lambda card, person: NO_ENTITIES

    def judge(self, found: CardNow, answer: CardAnswer) -> Judgement:
        """What the answer comes to."""
        found, person = as_today(found, answer.person, self.people, self.zone)
        answer = replace(answer, person=person)
        if answer.choice == HAND_OVER:
            return SeatTransfers(self.people, self.zone).judge(found, answer)
        verdict = self._verdict(found, answer)
        match verdict:
            case DecidedCard() | VotedCard():
                choice = found.card.choice(answer.choice)
                if choice and not answer.confirmed and is_final(found.card, choice):
                    return self._ask_first(found, answer, choice)
                return self._take_vote(found, answer, verdict)
            case MissingForm(choice=choice):
                return self._open_form(found, answer, choice)
            case EditedCard():
                return self._take_edit(found, answer, verdict)
            case _:
                return self._refuse(found, answer, verdict)

    def _verdict(self, found: CardNow, answer: CardAnswer) -> Verdict | EditVerdict:
        card, person, values = found.card, answer.person, answer.values
        here = self.people.scope_of(card)
        chosen, files = card.choice(answer.choice), answer.files
        if chosen and chosen.edits:
            # What others may have approved in part is not fetched first: it has to stand there.
            files = replace(files, uploads={})
        today, entities = day_at(found.now, self.zone), self.entities(card, person)
        facts = form_facts(here, today, entities, files)
        if chosen and values is not None:
            values = with_days(chosen.form, values, today)
        if chosen is None or not chosen.edits:
            return decide(
                card,
                person,
                answer.choice,
                found.now,
                revision=answer.revision,
                values=values,
                facts=facts,
            )
        return edit(
            card,
            person,
            answer.choice,
            found.now,
            revision=answer.revision,
            values=values,
            approvers=here.deciders(card.review),
            facts=facts,
        )

    def _ask_first(self, found: CardNow, answer: CardAnswer, choice: Choice) -> Judgement:
        """Nothing counts yet: the person is asked whether they are sure."""
        lang = answer.lang(found.card)
        card = translate_card(found.card, lang, self.people.role_name)
        asked = confirm_view(card, card.choice(choice.id) or choice, lang)
        return Judgement.of(answer, found, "confirm", ConfirmWanted(asked))

    def _open_form(self, found: CardNow, answer: CardAnswer, choice: Choice) -> Judgement:
        lang = answer.lang(found.card)
        card = translate_card(found.card, lang, self.people.role_name)
        form = form_view(card, card.choice(choice.id) or choice, lang, title=card.title)
        return Judgement.of(answer, found, "form", FormWanted(form))

    def _take_vote(
        self, found: CardNow, answer: CardAnswer, verdict: DecidedCard | VotedCard
    ) -> Judgement:
        """A vote that counts; with `Won`, the run hears of the decision."""
        card, lang = found.card, answer.lang(found.card)
        write = CardWrite(verdict.card, expect=card.version)
        if isinstance(verdict, DecidedCard):
            decision = verdict.decision
            mail = CardDecided(card=card.token, decision=decision).stored()
            effects = Effects(cards=(write,), mails=((card.lane, mail),))
            result, seat = "decided", decision.seat
            text = describe_decision(verdict.card, decision, answer.person.zone or self.zone, lang)
        else:
            told = name_awaited(verdict.card, self.people)
            effects = Effects(cards=(CardWrite(told, expect=card.version),))
            result, seat = "vote", verdict.card.votes[-1].seat
            text = self._vote_text(verdict, answer.choice, lang)
        more = {"for": seat} if seat else {}
        shown = DirectAnswer(text, ok=True)
        return Judgement.of(
            answer, found, result, shown, effects=effects, verdict=verdict, more=more
        )

    def _vote_text(self, verdict: VotedCard, choice: str, lang: Lang) -> str:
        """How many more votes are needed, and whether too few people are left to give them.

        Nothing is said of the latter while an escalation may still add people.
        """
        card, needed = verdict.card, verdict.votes_needed
        text = say("vote.needed", lang, choice=label_in(card, choice, lang), needed=needed)
        left = open_seats(card, self.people.scope_of(card).deciders(card.review))
        may_escalate = card.review.escalate is not None and not card.escalated
        if may_escalate or len(left) >= needed:
            return text
        return f"{text} {say('vote.too_few', lang, n=len(left))}"

    def _take_edit(self, found: CardNow, answer: CardAnswer, verdict: EditedCard) -> Judgement:
        """A change of what is to be approved: the votes are lost, and whose they were are told."""
        card, lang = found.card, answer.lang(found.card)
        told = name_awaited(verdict.card, self.people)
        effects = Effects(
            cards=(CardWrite(told, expect=card.version),),
            posts=edit_notices(card, verdict, answer.person, self.people),
        )
        text = edit_text(card, verdict, lang)
        return Judgement.of(
            answer,
            found,
            "edited",
            DirectAnswer(text, ok=True, tells=True),
            effects=effects,
            verdict=verdict,
            more=edit_facts(card, verdict),
        )

    def _refuse(
        self,
        found: CardNow,
        answer: CardAnswer,
        verdict: RepeatedVote | InvalidForm | DecisionRefusal | UnchangedCard | EditAttempt,
    ) -> Judgement:
        """Nothing new counts; the person is told why, or what they chose before."""
        lang, zone = answer.lang(found.card), answer.person.zone or self.zone
        judgement = partial(Judgement.of, answer, found, verdict=verdict)
        match verdict:
            case RepeatedVote():
                return judgement(
                    "repeated", DirectAnswer(repeated_text(verdict, lang, zone=zone), ok=True)
                )
            case InvalidForm(errors=errors):
                return judgement("invalid", FormRefused(errors))
            case DecisionRefusal(reason=reason):
                effects = _expiry(found.card) if reason == "expired" else None
                text = refusal_text(verdict, lang, zone=zone)
                shown = DirectAnswer(text, ok=False, code=refusal_code(verdict))
                return judgement(reason, shown, effects=effects)
            case UnchangedCard() | EditAttempt():
                shown = DirectAnswer(say("edit.nothing", lang), ok=False, code="unchanged")
                return judgement("unchanged", shown)


def _expiry(card: Card) -> Effects | None:
    """The end of a card whose time is over before its timer has come; None for one of a turn.

    That is left to the timer, for its turn has more to say.
    """
    if not card.run or card.status != "open":
        return None
    mail = CardExpired(card=card.token).stored()
    return Effects(cards=(close_card(card, "expired"),), mails=((card.lane, mail),))
