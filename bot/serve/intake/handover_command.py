"""`/handover PERSON`: gives away the only card on which the giver has a vote."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.people.directory import Directory
from bot.serve.intake.answer_store import store_answer
from cards.deciding.inbox import inbox_names_of_person
from cards.deciding.seats import may_decide
from cards.markdown import literal
from cards.model import Card, Lang, Principal
from cards.texts import say
from engine.errors import StaleWrite, StoreUnavailable
from engine.events import CommandGiven, DirectAnswer, FormRefused
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.store import CardNow, Decisions
from engine.reviews.answer import hand_over_answer
from engine.reviews.handover import SeatTransfers
from engine.reviews.judge import CardJudge
from engine.talk.pending import MAX_CARDS_READ
from engine.text.language import detect_language

COMMAND = "handover"
_ATTEMPTS = 20
_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class HandOverCommand:
    """Carries the command out at once, on a card of the conversation before those of others.

    `zone` is that of the service.
    """

    decisions: Decisions
    inbox: Inbox
    people: Directory
    zone: str

    async def carry_out(self, update: CommandGiven, giver: Principal) -> tuple[str, Lang]:
        """The reply (Markdown) and its language. Raises StoreUnavailable."""
        for _ in range(_ATTEMPTS):
            found = await self._find_here(update.conversation, giver)
            found = found or await self._find_elsewhere(giver)
            try:
                return await self._give(update, giver, found)
            except StaleWrite:
                continue
        raise StoreUnavailable(f"the cards of {update.conversation} kept changing")

    async def _give(
        self, update: CommandGiven, giver: Principal, found: Sequence[CardNow]
    ) -> tuple[str, Lang]:
        lang = found[0].card.lang if found else detect_language(update.text or update.said)
        if not update.text.strip():
            people = self.people.scope_to(update.conversation)
            names = [each.name for each in people.everybody if each.id != giver.id]
            return say("handover.usage", lang, example=literal((names or ["Ana"])[0])), lang
        if len(found) != 1:
            key = "handover.several" if found else "handover.nothing"
            return say(key, lang, n=len(found)), lang
        card = found[0].card
        answer = hand_over_answer(update, giver, card)
        judgement = CardJudge(self.people, self.zone).judge(found[0], answer)
        if isinstance(judgement.shown, FormRefused):
            # An unclear name stores nothing; the person types the command again.
            return literal(" ".join(judgement.shown.errors.values())), lang
        shown = await store_answer(self.decisions, update, card, judgement)
        assert isinstance(shown, DirectAnswer), "a name was given, so no form is wanted"
        return " ".join(filter(None, (self._card_title(update, card), literal(shown.text)))), lang

    async def _find_here(self, conversation: str, giver: Principal) -> Sequence[CardNow]:
        """The open cards of the conversation on which the giver has a vote to give."""
        return await self._read_transferable(await self.decisions.open_cards(conversation), giver)

    async def _find_elsewhere(self, giver: Principal) -> Sequence[CardNow]:
        """Such cards of any conversation, by the giver's inbox."""
        listed = await self.inbox.find_tokens(inbox_names_of_person(giver))
        tokens, found = listed.tokens[:MAX_CARDS_READ], list[CardNow]()
        for start in range(0, len(tokens), _AT_ONCE):
            cards = await self.inbox.cards(tokens[start : start + _AT_ONCE])
            found += await self._read_transferable(cards, giver)
        return found

    async def _read_transferable(
        self, cards: Sequence[Card], giver: Principal
    ) -> Sequence[CardNow]:
        """Those of the cards that the giver may hand over, as they are now."""
        likely = [
            card
            for card in cards
            if card.review.by_policy and may_decide(card, self.people.scope_of(card).refresh(giver))
        ]
        found = [await self.decisions.card(card.token) for card in likely]
        transfers = SeatTransfers(self.people, self.zone)
        return [each for each in found if each and not transfers.refusal(each, giver)]

    def _card_title(self, update: CommandGiven, card: Card) -> str:
        """The title of a card of another conversation, where everybody here may read it."""
        people, here = self.people, update.conversation
        if here == card.conversation:
            return ""
        own = people.private_place(update.actor, here) == here
        return f"{literal(card.title)}:" if own or people.is_visible_in(card, here) else ""
