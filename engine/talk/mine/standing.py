"""How a request stands, in a line: what it waits for, or who decided what, and why (Markdown)."""

from cards.deciding.names import decider_names
from cards.markdown import literal
from cards.model import REJECT, Card, Decision, Lang
from cards.moments import local_time
from cards.showing.show import describe_decision
from cards.texts import say
from cards.translation import label_in
from cards.visible import visible
from engine.ports.people import People
from engine.reviews.awaited import awaited_text
from engine.reviews.edits import edit_texts
from engine.talk.mine.summary import RunSummary, state_text

_BLANK = frozenset((say("card.blank", "en"), say("card.blank", "zh")))


def standing(
    summary: RunSummary, lang: Lang, zone: str, people: People, *, with_times: bool
) -> str:
    """How it stands; `with_times`, when it ended."""
    decision = summary.verdict.decision if summary.verdict else None
    if summary.end is None:
        told: tuple[str, ...] = (_waits(summary, lang, zone, people),)
    elif summary.verdict is None or decision is None:
        told = (state_text(summary, lang, zone, people),)
    else:
        told = (_verdict(summary, summary.verdict, decision, lang),)
        at = summary.ended_at if with_times else None
        told += (local_time(at, zone),) if at else ()
        told += (*filled_texts(summary, lang), *changes_text(summary, lang))
        told += (summary.reason,) if summary.end in ("refused", "failed", "expired") else ()
    told += _choices(summary, lang, zone)
    return " ".join(" · ".join(filter(None, told)).split())


def changes_text(summary: RunSummary, lang: Lang) -> tuple[str, ...]:
    """What reviewers changed before they decided; what they filled in is a value by itself."""
    card = summary.verdict
    if card is None:
        return ()
    edits = tuple(each for each in card.edits if each.before not in _BLANK)
    return edit_texts(card.model_copy(update={"edits": edits}), lang)


def filled_texts(summary: RunSummary, lang: Lang) -> tuple[str, ...]:
    """What reviewers filled in that nobody had said before: the newest of each."""
    card = summary.verdict
    filled = {e.name: e for e in card.edits if e.before in _BLANK and e.after} if card else {}
    newest = {e.name: e for e in card.edits if e.name in filled} if card else {}
    return tuple(
        say("work.value", lang, label=literal(each.label), value=literal(each.after))
        for each in newest.values()
    )


def _waits(summary: RunSummary, lang: Lang, zone: str, people: People) -> str:
    if summary.run.status == "blocked" or not summary.open_cards:
        return state_text(summary, lang, zone, people)
    who = dict.fromkeys(awaited_text(card, people, lang) for card in summary.open_cards)
    return say("mine.waits", lang, waits=say("list.items", lang).join(who))


def _verdict(summary: RunSummary, card: Card, decision: Decision, lang: Lang) -> str:
    """How it ended and who decided so, with the reason where that is a refusal."""
    name, end = literal(decider_names(card, lang)), say(f"end.{summary.end}", lang)
    if decision.choice != REJECT:
        choice = literal(label_in(card, decision.choice, lang))
        return say("fit.chosen", lang, end=end, who=name, choice=choice)
    told = say("fit.decided", lang, end=end, who=name)
    reason = decision.values.get("reason")
    return (
        say("fit.because", lang, told=told, reason=literal(visible(str(reason), lines=True)))
        if reason
        else told
    )


def _choices(summary: RunSummary, lang: Lang, zone: str) -> tuple[str, ...]:
    """What people chose on its cards that are no reviews, and on reviews before the last."""
    told = summary.verdict if summary.end else None
    return tuple(
        f"{literal(card.title)}: {literal(describe_decision(card, card.decision, zone, lang))}"
        for card in summary.cards
        if card.decision and card.kind in ("confirm", "select") and card is not told
    )
