"""Cards about writes: who decides them, and how a call is shown on them."""

import json
from datetime import timedelta
from typing import Any

from cards.markdown import format_value, literal, quote
from cards.model import Card, Choice, Review
from cards.texts import say
from cards.visible import visible
from engine.frames.leaves import label_of
from engine.frames.outcome import Note, StatusChange, StepContext
from engine.playbooks.review import ReviewPolicy
from engine.reviews.policy import review_of, shortage_text
from engine.tool_plan.calls import Call

LINE_CHARS = 80


def reviewer_names(policy: ReviewPolicy | None, context: StepContext) -> str:
    """The names of those for whom a card waits: the review's roles, else the requester."""
    run, people = context.run, context.services.people
    if policy is None:
        return run.requester.name
    return say("list.items", run.lang).join(people.role_name(r, run.lang) for r in policy.roles)


def block_without_reviewers(
    policy: ReviewPolicy | None, context: StepContext
) -> StatusChange | None:
    """Block the run when there are not enough people who may decide; else None."""
    if policy is None:
        return None
    run, holders = context.run, context.services.people.holders(policy.roles)
    reason = shortage_text(
        policy, holders, run.requester.ids, reviewer_names(policy, context), context
    )
    if not reason:
        return None
    text = say("part.blocked", run.lang, name=run.name, reason=reason)
    return StatusChange("blocked", Note("failed", text), reason)


def review_card(
    policy: ReviewPolicy | None, context: StepContext, *, choices: tuple[Choice, ...], **shown: Any
) -> Card:
    """A card for those whom the policy names, or the requester; `shown` are its other fields."""
    run = context.run
    review = Review(persons=(run.requester.id,))
    if policy is not None:
        review = review_of(policy, context.services.people.holders(policy.roles))
    shown = {"kind": "confirm", **shown}
    return Card(
        token=context.services.new_id(run.conversation),
        run=run.id,
        conversation=run.conversation,
        lang=run.lang,
        choices=choices,
        review=review,
        **run.requester.as_requester(),
        waiting_for=reviewer_names(policy, context),
        **shown,
    )


def deadline_of(policy: ReviewPolicy, context: StepContext) -> Any:
    """The moment until which the review has to be decided; None for ever."""
    return (
        context.services.now + timedelta(seconds=policy.deadline_s) if policy.deadline_s else None
    )


def call_text(call: Call, context: StepContext, *, number: int = 0) -> str:
    """The tool and every argument, whole, as Markdown that shows just them."""
    colon = say("list.colon", context.run.lang)
    head = f"**{number}. {literal(call.tool.name)}**" if number else f"**{call.tool.name}**"
    parts = [head]
    for name, value in call.arguments.items():
        text = value if isinstance(value, str) else _json(value)
        label = f"{literal(label_of(name, context))}{colon}"
        if "\n" in text or len(text) > LINE_CHARS:
            parts.append(f"{label}\n\n{quote(visible(text, lines=True))}")
        else:
            parts.append(f"{label}{literal(visible(text))}")
    return "\n\n".join(parts)


def _json(value: Any) -> str:
    simple = isinstance(value, int | float) and not isinstance(value, bool)
    return format_value(value) if simple else json.dumps(value, ensure_ascii=False)
