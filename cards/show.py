"""A card as people see it: pending with its buttons, or resolved with its outcome."""

from datetime import datetime
from zoneinfo import ZoneInfo

from cards.buttons import Button
from cards.model import Card, Choice, Decision, Lang
from cards.texts import say
from cards.view import ButtonView, CardView, Tone

_TONES: dict[str, Tone] = {
    "approve": "good",
    "confirm": "good",
    "submit": "good",
    "ok": "good",
    "reject": "bad",
}


def button(card: Card, choice: Choice) -> ButtonView:
    """The button of a choice, as packed for every platform."""
    data = Button(token=card.token, choice=choice.id, revision=card.revision).pack()
    return ButtonView(
        data=data,
        label=choice.label,
        style=choice.style,
        form=choice.form,
        final=_final(card, choice),
    )


def _final(card: Card, choice: Choice) -> bool:
    """Whether a tap alone does what nobody can undo: what warns, or an approver's yes."""
    if choice.form:
        return False
    reviewed = card.kind == "confirm" and bool(card.review.roles)
    return choice.style == "danger" or (reviewed and choice.style == "primary")


def show(card: Card, zone: str, *, origin: str = "") -> CardView:
    """The card's view; `zone` (IANA) is for the times shown, `origin` for where it comes from."""
    closed = card.status != "open"
    tone = _TONES.get(card.decision.choice, "neutral") if card.decision else "neutral"
    return CardView(
        token=card.token,
        kind=card.kind,
        title=card.title,
        text=card.text,
        problems=() if closed else card.problems,
        rows=card.rows,
        note="" if closed else _note(card),
        origin=origin,
        buttons=() if closed else tuple(button(card, choice) for choice in card.choices),
        outcome=outcome(card, zone) if closed else "",
        tone=tone if closed else "open",
    )


def outcome(card: Card, zone: str) -> str:
    """One line on how a closed card ended: what, by whom, when, and the reason given."""
    if card.decision is None:
        return say(f"card.{card.status}", card.lang)
    return decided(card, card.decision, zone)


def decided(card: Card, decision: Decision, zone: str, lang: Lang | None = None) -> str:
    """Who chose what, and when; in the card's language unless the reader has another."""
    lang = lang or card.lang
    choice = card.choice(decision.choice)
    line = say(
        "card.outcome",
        lang,
        name=decision.name,
        choice=choice.label if choice else decision.choice,
        when=local(decision.at, zone),
    )
    reason = decision.values.get("reason")
    return f"{line} {say('card.reason', lang, reason=reason)}" if reason else line


def local(moment: datetime, zone: str) -> str:
    """A moment as `MM-DD HH:MM` in that zone."""
    return moment.astimezone(ZoneInfo(zone)).strftime("%m-%d %H:%M")


def _note(card: Card) -> str:
    if not card.waiting_for:
        return ""
    if card.review.roles:
        note = say(
            "card.waits_for_role",
            card.lang,
            who=card.waiting_for,
            requester=card.requester_name,
        )
    else:
        note = say("card.waits_for", card.lang, who=card.waiting_for)
    if card.votes:
        names = say("list.items", card.lang).join(vote.name for vote in card.votes)
        of = card.review.quorum
        note += " · " + say("card.votes", card.lang, n=len(card.votes), of=of, names=names)
    return note
