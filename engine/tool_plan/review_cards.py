"""Cards about writes, and how a call is shown on them."""

import json
from typing import Any

from cards.markdown import format_value, literal, quote
from cards.model import Card, Choice
from cards.texts import say
from cards.visible import visible
from engine.frames.leaves import label_of
from engine.frames.outcome import StepContext
from engine.reviews.approvers import Approvers
from engine.reviews.policy import approver_card_fields, requester_card_fields
from engine.tool_plan.calls import Call

LINE_CHARS = 80


def review_card(
    approvers: Approvers | None, context: StepContext, *, choices: tuple[Choice, ...], **shown: Any
) -> Card:
    """A card for these approvers, or the requester; `shown` are its other fields."""
    by_policy = approvers and approver_card_fields(approvers, context)
    fields = by_policy or requester_card_fields(context)
    return Card(**{**fields, "kind": "confirm", **shown}, choices=choices)


def call_text(call: Call, context: StepContext, *, number: int = 0) -> str:
    """The tool and every argument, whole, as Markdown that shows just them.

    What is optional and was left out is not told, but where the call is numbered for approval.
    """
    colon = say("list.colon", context.run.lang)
    head = f"**{number}. {literal(call.tool.name)}**" if number else f"**{call.tool.name}**"
    parts = [head]
    if call.tool.of_project:
        label = f"{say('review.project', context.run.lang)}{colon}"
        parts.append(f"{label}{literal(context.tool_context().project)}")
    for name, value in call.arguments.items():
        if value is None and not number:
            continue
        text = value if isinstance(value, str) else _json(value)
        label = f"{literal(label_of(name, context))}{colon}"
        if "\n" in text or len(text) > LINE_CHARS:
            parts.append(f"{label}\n\n{quote(visible(text, lines=True))}")
        else:
            parts.append(f"{label}{literal(visible(text))}")
    return "\n\n".join(parts)


def write_name(call: Call, skill: str, context: StepContext) -> str:
    """What people call the write: as its skill, where that makes no other call."""
    known = context.playbook.skills[skill]
    alone = known.plan is not None and len(known.plan.calls) == 1
    return known.name(context.run.lang) if alone else call.tool.name


def _json(value: Any) -> str:
    simple = isinstance(value, int | float) and not isinstance(value, bool)
    return format_value(value) if simple else json.dumps(value, ensure_ascii=False)
