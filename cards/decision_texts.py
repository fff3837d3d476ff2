"""Which sentence a tapper is told when a tap does not count (design §7)."""

from datetime import datetime, tzinfo

from cards.decision import Refused, votes_needed
from cards.model import Card, Lang
from cards.texts import say


def refusal_text(refused: Refused, lang: Lang, *, tz: tzinfo) -> str:
    """One sentence for the tapper's eyes; times are told in `tz`, choices by the card's labels."""
    card = refused.card
    if refused.reason == "already_voted":
        vote = next(v for v in card.votes if v.person == refused.person)
        return say(
            "refused.already_voted",
            lang,
            when=_when(vote.at, tz),
            label=_label(card, vote.choice),
            needed=votes_needed(card),
        )
    if refused.reason == "not_open":
        return _closed(refused, lang, tz)
    if refused.reason == "expired":
        return _expired(card, lang, tz)
    return say(f"refused.{refused.reason}", lang)


def _closed(refused: Refused, lang: Lang, tz: tzinfo) -> str:
    card, decision = refused.card, refused.card.decision
    match card.status:
        case "decided" if decision is not None:
            own = decision.person == refused.person
            return say(
                "refused.decided_by_you" if own else "refused.decided",
                lang,
                name=decision.name,
                when=_when(decision.at, tz),
                label=_label(card, decision.choice),
            )
        case "expired":
            return _expired(card, lang, tz)
        case "cancelled" | "superseded":
            return say(f"refused.{card.status}", lang)
    return say("refused.not_open", lang)


def _expired(card: Card, lang: Lang, tz: tzinfo) -> str:
    if card.deadline is None:
        return say("refused.not_open", lang)
    return say("refused.expired", lang, when=_when(card.deadline, tz))


def _label(card: Card, choice_id: str) -> str:
    choice = card.choice(choice_id)
    return choice.label if choice else choice_id


def _when(at: datetime, tz: tzinfo) -> str:
    return f"{at.astimezone(tz):%m-%d %H:%M}"
