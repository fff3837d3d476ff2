"""Who asks is told before they fill in a form that nobody could approve what comes of it."""

from collections.abc import Iterator
from dataclasses import replace

from cards.model import Card
from cards.texts import say
from engine.frames.outcome import StepContext, StepOutcome, Suspend
from engine.playbooks.review import ReviewPolicy
from engine.reviews.approvers import foresee_shortage

MOST_TOLD = 3


async def tell_missing_approvers(outcome: StepOutcome, context: StepContext) -> StepOutcome:
    """The outcome whose new forms say what is known by now to keep a later review from deciding."""
    if not isinstance(outcome, Suspend) or not any(
        card.kind == "clarify" for card in outcome.cards
    ):
        return outcome
    found = [await foresee_shortage(policy, context) for policy in _reviews_ahead(context)]
    reasons = [reason for reason in dict.fromkeys(found) if reason][:MOST_TOLD]
    if not reasons:
        return outcome
    lang = context.run.lang
    note = say("approver.foreseen", lang, reasons=say("list.clauses", lang).join(reasons))
    return replace(outcome, cards=tuple(_with_note(card, note) for card in outcome.cards))


def _with_note(card: Card, note: str) -> Card:
    if card.kind != "clarify":
        return card
    return card.model_copy(update={"text": "\n\n".join(filter(None, (card.text, note)))})


def _reviews_ahead(context: StepContext) -> Iterator[ReviewPolicy]:
    """The reviews that the run's request may come to, and that have not been decided."""
    run, playbook = context.run, context.playbook
    names = [
        n for phase in playbook.definition.phases_of(run.request) for n in phase.allowed_skills
    ]
    for skill in (playbook.skills[name] for name in dict.fromkeys(names)):
        nodes = skill.sop.nodes.values() if skill.sop and not skill.sop.batch else ()
        for node in nodes:
            is_review = node.kind.judge == "people" and node.review is not None
            if is_review and node.decision not in run.state.decisions:
                assert node.review is not None
                yield node.review
        for planned in (skill.planner, skill.jobs):
            if planned and planned.review:
                yield planned.review
        card = skill.card
        if card and card.review and card.decision not in run.state.decisions:
            yield card.review
