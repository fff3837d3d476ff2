"""What an answered form names of a listed kind, looked up again by the worker that takes it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cards.markdown import literal
from cards.model import Field, Lang
from cards.texts import say
from cards.values import BadValue
from engine.errors import ToolFailed
from engine.frames.outcome import StepContext
from engine.frames.state import LeafValue, Rows
from engine.playbooks.leaf import Leaf, TypedValue
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


def _title_of(kind: str, id_: str, context: StepContext) -> str:
    return entity_title(context.entities.names_of(kind, id_), id_, context.run.lang)


def labels_of(
    values: Mapping[str, LeafValue], asked: Sequence[Field], context: StepContext
) -> dict[str, dict[str, str]]:
    """What people call the values that are chosen from a list, or that a list has a name for."""
    labels: dict[str, dict[str, str]] = {}
    for each in (f for f in asked if f.name in values):
        rows = values[each.name]
        if isinstance(rows, tuple):
            cells = {(c.entity, str(r.get(c.name))) for c in each.columns if c.entity for r in rows}
            titles = {id_: _title_of(kind, id_, context) for kind, id_ in cells}
            labels[each.name] = {id_: title for id_, title in titles.items() if title}
            continue
        value = str(rows)
        label = each.labels.get(value, "") if each.listed else ""
        if label := label or _title_of(each.entity, value, context):
            labels[each.name] = {value: label}
    return labels


async def find_cells(
    leaf: Leaf, rows: Rows, person: str, context: StepContext
) -> tuple[Rows, dict[str, str]]:
    """The rows of a list with ids for what its columns name, and what people read for these.

    Raises ToolFailed, with a sentence, as `find_listed` does.
    """
    labels: dict[str, str] = {}
    ids: dict[tuple[str, str], str] = {}
    for name, column in leaf.columns.items():
        if not column.entity:
            continue
        for text in dict.fromkeys(str(row[name]) for row in rows if row.get(name)):
            id_, label = await find_listed(column, text, person, context)
            ids[name, text] = id_
            labels |= {id_: label} if label else {}
    found = tuple({n: ids.get((n, str(cell)), cell) for n, cell in row.items()} for row in rows)
    return found, labels


async def find_listed(
    leaf: TypedValue, text: str, person: str, context: StepContext
) -> tuple[str, str]:
    """The id of what the text names, by the list of the leaf's kind, and what people read for it.

    That is "" where the list has no name for it, and for a kind without a list. The list is that
    which the person of this id may read. Raises ToolFailed, with a sentence.
    """
    entity = context.playbook.definition.entities.get(leaf.entity)
    listed = isinstance(leaf, Leaf) and leaf.options_from
    if entity is None or not entity.tool or leaf.options or listed:
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
