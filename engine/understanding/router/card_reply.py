"""A text that answers an open card of the conversation (design §7)."""

from cards.deciding.seats import may_answer
from cards.model import Card
from engine.frames.intents import Intent
from engine.ports.model import Model
from engine.text.entities import fold
from engine.understanding.context import RouteContext, Tried
from engine.understanding.router.deterministic import intents, read

# A stray number must not end a run; only the button does.
_BUTTON_ONLY = ("withdraw",)


async def card_reply(text: str, context: RouteContext, model: Model | None) -> Tried:
    """All intents of a message that answers an open card this person may answer, among others."""
    if not context.open_cards:
        return Tried((), "no card is open")
    numbered = [
        intent
        for card in context.open_cards
        if card.status == "open" and may_answer(card, context.principal)
        for intent in (_by_number(card, text),)
        if intent is not None
    ]
    pieces = read(text, context)
    if any(piece.kind == "card_reply" or piece.told for piece in pieces):
        return Tried(intents(pieces), "; ".join(piece.why for piece in pieces))
    if len(numbered) > 1:
        return Tried((), f"it could answer {len(numbered)} open cards")
    if numbered:
        return Tried((numbered[0],), numbered[0].why)
    return Tried((), "it answers no open card")


def _by_number(card: Card, text: str) -> Intent | None:
    """`2` is the second choice of a card whose choices are numbered."""
    said = fold(text).strip()
    if card.traits.text != "number" or not (said.isascii() and said.isdigit() and len(said) < 3):
        return None
    number = int(said)
    if not 1 <= number <= len(card.choices) or card.choices[number - 1].form:
        return None
    choice = card.choices[number - 1].id
    if choice in _BUTTON_ONLY:
        return None
    why = f"choice {number} of the open card"
    return Intent(kind="card_reply", text=text.strip(), card=card.token, choice=choice, why=why)
