"""A card as people see it: pending with its buttons, or resolved; and reminders of it."""

from cards.buttons import Button
from cards.deciding.handover import HAND_OVER, can_hand_over, hand_over_form
from cards.deciding.names import decider_names, voter_name
from cards.deciding.revision import edit_history
from cards.markdown import literal
from cards.model import SUBMIT, Card, Choice, Decision, Lang, Vote
from cards.moments import local_time
from cards.showing.view import (
    ButtonView,
    CardView,
    ConfirmView,
    MessageView,
    PartState,
    PartView,
    Tone,
)
from cards.texts import say
from cards.translation import label_in
from cards.visible import visible

_TONES: dict[str, Tone] = {
    "approve": "good",
    "confirm": "good",
    SUBMIT: "good",
    "ok": "good",
    "reject": "bad",
}


def button_view(card: Card, choice: Choice) -> ButtonView:
    """Return the button of a choice, as packed for every platform."""
    data = Button(token=card.token, choice=choice.id, revision=card.revision).pack()
    return ButtonView(
        data=data,
        label=visible(choice.label),
        style=choice.style,
        form=choice.form,
        edits=choice.edits,
        intro=choice.intro,
        opens=say("choice.fill_in", card.lang) if choice.form and choice.id == SUBMIT else "",
        final=is_final(card, choice),
    )


def confirm_view(card: Card, choice: Choice, lang: Lang) -> ConfirmView:
    """Return the question whether the person is sure of this choice."""
    view = button_view(card, choice)
    return ConfirmView(
        data=view.data,
        lang=lang,
        text=final_text(visible(card.title), lang),
        confirm=say("card.really", lang, label=view.label),
        cancel=say("card.not_now", lang),
        style=view.style,
    )


def final_text(title: str, lang: Lang) -> str:
    """Say that a decision on the card of this title cannot be taken back."""
    return say("card.sure", lang, title=title) if title else say("card.final", lang)


def is_final(card: Card, choice: Choice) -> bool:
    """Whether one tap does what nobody can undo: a choice in warning style, or an approval."""
    if choice.form:
        return False
    approves = card.traits.signs_off and choice.style == "primary"
    decides = approves or card.kind == "select"
    return choice.style == "danger" or (card.review.by_policy and decides)


def _buttons(card: Card) -> tuple[ButtonView, ...]:
    """Return a button for each choice, and one to hand a seat over where seats can be given."""
    choices = tuple(button_view(card, choice) for choice in card.choices)
    if not can_hand_over(card):
        return choices
    data = Button(token=card.token, choice=HAND_OVER, revision=card.revision).pack()
    label = say("choice.hand_over", card.lang)
    return (*choices, ButtonView(data=data, label=label, form=hand_over_form(card)))


def show(card: Card, zone: str, *, origin: str = "", heard: str | None = None) -> CardView:
    """Return the card's view, with times in `zone`; `origin` says where the card comes from.

    `heard` is what a text has to begin with to reach the bot here, None where no text answers.
    """
    closed = card.status not in ("open", "told")
    tone = _TONES.get(card.decision.choice, "neutral") if card.decision else "neutral"
    return CardView(
        token=card.token,
        kind=card.kind,
        title=visible(card.title),
        text="\n\n".join(
            filter(None, (*edit_history(card, zone), card.text, _by_text(card, heard)))
        ),
        problems=() if closed else card.problems,
        rows=card.rows,
        note=_note(card) if card.status == "open" else "",
        origin=origin,
        buttons=_buttons(card) if card.status == "open" else (),
        outcome=outcome(card, zone) if closed else "",
        tone=tone if closed else "open",
    )


def _by_text(card: Card, heard: str | None) -> str:
    if heard is None or not card.by_text or card.status != "open":
        return ""
    example = " ".join(filter(None, (literal(heard), card.by_text)))
    return say("card.by_text", card.lang, example=example)


def outcome(card: Card, zone: str) -> str:
    """Return how a closed card ended: choice, person, time, reason, and all votes of several.

    "" for a card that only informs.
    """
    if card.status == "told":
        return ""
    if card.decision is None:
        return say(f"card.{card.status}", card.lang)
    line = _describe(card, card.decision, voter_name(card.decision, card.lang), zone, card.lang)
    votes = _all_votes(card) if card.votes else ""
    return " ".join(filter(None, (line, votes, *describe_lapsed_votes(card))))


def describe_decision(card: Card, decision: Decision, zone: str, lang: Lang | None = None) -> str:
    """Return who chose what, and when; in the card's language unless the reader has another."""
    lang = lang or card.lang
    return _describe(card, decision, decider_names(card, lang), zone, lang)


def _describe(card: Card, decision: Decision, name: str, zone: str, lang: Lang) -> str:
    line = say(
        "card.outcome",
        lang,
        name=name,
        choice=label_in(card, decision.choice, lang),
        when=local_time(decision.at, zone),
    )
    reason = decision.values.get("reason")
    if not reason:
        return line
    return f"{line} {say('card.reason', lang, reason=visible(str(reason), lines=True))}"


def describe_votes(card: Card) -> str:
    """Return the votes so far, as in "1 of 2 so far: Ana"; "" without any."""
    if not card.votes:
        return ""
    if card.review.decides == "majority":
        votes = _join(card, [_vote(card, vote) for vote in card.votes])
        return say("vote.tally", card.lang, of=card.review.quorum, votes=votes)
    names = _join(card, [voter_name(vote, card.lang) for vote in card.votes])
    return say("card.votes", card.lang, n=len(card.votes), of=card.review.quorum, names=names)


def _all_votes(card: Card) -> str:
    votes: list[Vote | Decision] = [*card.votes]
    votes += [card.decision] if card.decision else []
    return say("vote.all", card.lang, votes=_join(card, [_vote(card, each) for each in votes]))


def _vote(card: Card, vote: Vote | Decision) -> str:
    name = voter_name(vote, card.lang)
    return say("vote.of", card.lang, name=name, choice=label_in(card, vote.choice, card.lang))


def describe_lapsed_votes(card: Card) -> list[str]:
    """Return a sentence for each vote that counts no more, with the reason."""
    return [
        say(f"vote.lapsed.{each.why}", card.lang, vote=_vote(card, each.vote))
        for each in card.lapsed
    ]


def _join(card: Card, texts: list[str]) -> str:
    return say("list.items", card.lang).join(texts)


def _note(card: Card) -> str:
    if not card.waiting_for:
        return ""
    if card.is_own_confirmation:
        note = say("card.waits_for_own", card.lang, who=card.waiting_for)
    elif card.review.by_policy:
        note = say(
            "card.waits_for_role",
            card.lang,
            who=card.waiting_for,
            requester=card.requester_name,
        )
    else:
        note = say("card.waits_for", card.lang, who=card.waiting_for)
    return " · ".join(filter(None, (note, describe_votes(card), *_events_text(card))))


def _events_text(card: Card) -> list[str]:
    """Return what has happened to the card while it waits, a sentence each."""
    events = describe_lapsed_votes(card)
    handed = [("card.reassigned" if h.ordered else "card.handed", h) for h in card.handed]
    events += [say(key, card.lang, by=each.by_name, to=each.to_name) for key, each in handed]
    if card.escalated:
        events.append(say("card.escalated", card.lang, role=card.escalated))
    if card.reminded:
        key = "card.reminded_once" if card.reminded == 1 else "card.reminded"
        events.append(say(key, card.lang, n=card.reminded))
    return events


def reminder_message(card: Card, number: int, zone: str, *, posted: bool) -> MessageView | None:
    """Return what reminder `number` says now (1.10); None when there is nothing to post or change.

    A reminder that was not posted before the next one was due, or before the card closed, is never
    posted: after an outage people get one message and not all that were missed.
    """
    if card.status == "open":
        if number != card.reminded:
            return None
        return _message(card, "needs_you", _reminder_text(card, number))
    if not posted:
        return None
    text = say(
        "ping.closed", card.lang, title=literal(card.title), outcome=literal(outcome(card, zone))
    )
    return _message(card, "answered", text)


def _reminder_text(card: Card, number: int) -> str:
    remind = card.review.remind
    return say(
        "ping.due",
        card.lang,
        n=number,
        of=remind.at_most if remind else number,
        title=literal(card.title),
        requester=literal(card.requester_name),
        votes=literal(describe_votes(card)),
    ).strip()


def _message(card: Card, state: PartState, text: str) -> MessageView:
    part = PartView(number=0, state=state, text=text)
    return MessageView(lang=card.lang, parts=(part,))
