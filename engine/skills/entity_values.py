"""What an answered form names of a listed kind, looked up again by the worker that takes it."""

from dataclasses import replace
from typing import Any

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from cards.values import BadValue
from engine.errors import ToolFailed
from engine.frames.outcome import StepContext
from engine.playbooks.leaf import Leaf
from engine.reviews.form_facts import entity_id, entity_title
from engine.tools.arguments import Arguments
from engine.tools.model import Tool, ToolContext


class _Named(Arguments):
    kind: str
    text: str


async def _find(args: _Named, ctx: ToolContext) -> dict[str, Any]:
    try:
        found = entity_id(ctx.entities, args.kind, args.text)
    except BadValue as fault:
        return {"id": "", "fault": fault.key}
    return {"id": found, "names": list(ctx.entities.names_of(args.kind, found)), "fault": ""}


def _tell(result: dict[str, Any], lang: Lang) -> str:
    return literal(result["id"])


_FIND = Tool("entity__find", "Finds what is named.", _Named, True, _find, _tell)
"""A tool, so that a replay of the run knows what was listed then."""


async def find_listed(leaf: Leaf, text: str, person: str, context: StepContext) -> tuple[str, str]:
    """The id of what the text names, by the list of the leaf's kind, and what people read for it.

    That is "" where the list has no name for it, and for a kind without a list. The list is that
    which the person of this id may read. Raises ToolFailed, with a sentence.
    """
    entity = context.playbook.definition.entities.get(leaf.entity)
    if entity is None or not entity.tool or leaf.options or leaf.options_from:
        return text, ""
    services, run = context.services, context.run
    people = services.people.scope_to(run.conversation, run.project or None).everybody
    who = next(
        (each for each in people if each.id == person), services.people.refresh(run.requester)
    )
    known = services.entities(run.conversation, who, context.playbook.definition.pattern_kinds)
    where = replace(services.tool_context(run.conversation, who), entities=known)
    found = await services.call(_FIND, {"kind": leaf.entity, "text": text}, where)
    if found["fault"]:
        fault = say(found["fault"], run.lang, name=text[:60])
        label = literal(leaf.label(run.lang))
        raise ToolFailed("form.cell", label=label, fault=literal(fault))
    id_ = str(found["id"])
    return id_, entity_title(found.get("names", ()), id_, run.lang)
