"""`/handover PERSON`: the one card of the conversation on which the giver has a vote (1.9)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from bot.tapping import Formed, Tapping, Told
from cards.handover import may_hand_over
from cards.markdown import literal
from cards.model import Lang, Principal
from cards.texts import say
from engine.errors import StaleWrite, StoreUnavailable
from engine.events import CommandGiven, FormRefused
from engine.language import detect
from engine.ports.store import CardNow, Decisions

NAME = "handover"
_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Handing:
    """Carries the command out at once; what it says is said in the conversation."""

    decisions: Decisions
    tapping: Tapping

    async def told(self, update: CommandGiven, giver: Principal) -> tuple[str, Lang]:
        """What is said (Markdown), and in which language. Raises StoreUnavailable."""
        for _ in range(_ATTEMPTS):
            found = await self._givable(update.conversation, giver)
            try:
                return await self._told(update, giver, found)
            except StaleWrite:
                continue
        raise StoreUnavailable(f"the cards of {update.conversation} kept changing")

    async def _told(
        self, update: CommandGiven, giver: Principal, found: Sequence[CardNow]
    ) -> tuple[str, Lang]:
        lang = found[0].card.lang if found else detect(update.text or update.said)
        if not update.text.strip():
            people = self.tapping.people.about(update.conversation)
            names = [each.name for each in people.everybody if each.id != giver.id]
            return say("handover.usage", lang, example=literal((names or ["Ana"])[0])), lang
        if len(found) != 1:
            key = "handover.several" if found else "handover.nothing"
            return say(key, lang, n=len(found)), lang
        judged = self.tapping.given(update, found[0], giver, update.text)
        match judged:
            case Told():
                return literal(await self._stored(update, found[0], judged)), lang
            case Formed(shown=FormRefused(errors=errors)):
                return literal(" ".join(errors.values())), lang
        raise AssertionError("a name was given, so no form is wanted")

    async def _stored(self, update: CommandGiven, found: CardNow, told: Told) -> str:
        """What holds: a repeat of the update hears the first answer again."""
        answer = json.dumps({"text": told.text, "ok": told.ok}, ensure_ascii=False)
        held = await self.decisions.decide(
            found.card.token, update_id=update.id, answer=answer, effects=told.effects
        )
        return str(json.loads(held)["text"])

    async def _givable(self, conversation: str, giver: Principal) -> Sequence[CardNow]:
        """The open cards of the conversation on which the giver has a vote to give."""
        cards = await self.decisions.open_cards(conversation)
        found = [await self.decisions.card(card.token) for card in cards if card.review.roles]
        return [each for each in found if each and not may_hand_over(each.card, giver, each.now)]
