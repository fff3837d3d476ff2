"""Leaves of the state as people and models see them: in forms, on cards, and back (spec 003)."""

from collections.abc import Mapping
from typing import Any

from cards.forms import check_form
from cards.markdown import literal, written
from cards.model import Field, Lang, Row
from cards.texts import say
from engine.frames.outcome import StepContext
from engine.frames.state import AgentState, LeafValue, Rows, Scalar
from engine.playbooks.leaf import Leaf
from engine.playbooks.leaf_faults import MAX_ROWS

SHOWN_ROWS = 30
_YES_NO = {True: "choice.yes", False: "choice.no"}


def value_of(path: str, state: AgentState) -> Any:
    """What stands at a path as playbooks write it; None when nothing does."""
    group, _, name = path.rpartition(".")
    groups: dict[str, Mapping[str, Any]]
    groups = {"": state.data, "profile": state.profile, "decisions": state.decisions}
    return groups[group].get(name)


def form_field(path: str, leaf: Leaf, lang: Lang, state: AgentState) -> Field:
    """The form's question for a leaf, filled in with what stands."""
    value = value_of(path, state)
    options = leaf.options
    if leaf.type == "boolean":
        options = (say("choice.yes", lang), say("choice.no", lang))
    hint = leaf.hint(lang) if leaf.hint else ""
    if leaf.type == "list":
        columns = " | ".join(column.label(lang) for column in leaf.columns.values())
        hint = hint or say("form.rows", lang, columns=columns)
    return Field(
        name=path,
        label=leaf.label(lang),
        type={"boolean": "choice", "list": "text"}.get(leaf.type, leaf.type),
        required=leaf.required,
        unit=leaf.unit,
        options=options,
        value=_in_form(leaf, value, lang),
        hint=hint,
        cues=leaf.cues,
        identity=leaf.identity,
    )


def _in_form(leaf: Leaf, value: Any, lang: Lang) -> str:
    if value is None:
        return ""
    if leaf.type == "boolean":
        return say(_YES_NO[bool(value)], lang)
    if leaf.type == "list":
        rows = (" | ".join(written(row.get(c) or "") for c in leaf.columns) for row in value)
        return "\n".join(rows)
    return written(value)


def from_form(leaf: Leaf, value: Any, lang: Lang) -> LeafValue:
    """A form's typed value as the leaf keeps it; raises ValueError with a sentence for the person.

    Rows come a line each, their columns separated by `|`.
    """
    if leaf.type == "boolean":
        return bool(value == say("choice.yes", lang))
    if leaf.type != "list":
        typed: LeafValue = value
        return typed
    lines = [line for line in str(value).splitlines() if line.strip()]
    if len(lines) > MAX_ROWS:
        raise ValueError(say("form.many_rows", lang, limit=MAX_ROWS))
    return tuple(_row(line, leaf, lang) for line in lines)


def _row(line: str, leaf: Leaf, lang: Lang) -> dict[str, Scalar]:
    cells = dict(zip(leaf.columns, (cell.strip() for cell in line.split("|")), strict=False))
    fields = [
        Field(name=n, label=c.label(lang), type=c.type, required=False, options=c.options)
        for n, c in leaf.columns.items()
    ]
    typed, faults = check_form(fields, cells, lang)
    if faults:
        name, fault = next(iter(faults.items()))
        label = leaf.columns[name].label(lang)
        raise ValueError(f"{label}{say('list.colon', lang)}{fault}")
    return dict(typed)


def rows(paths: tuple[str, ...], context: StepContext) -> tuple[Row, ...]:
    """Leaves as labelled values with their units; what was left out is said to be so."""
    run, definition = context.run, context.playbook.definition
    return tuple(
        Row(label=leaf.label(run.lang), value=_shown(path, leaf, context))
        for path in paths
        if (leaf := definition.leaf(path)) and leaf.type != "list"
    )


def _shown(path: str, leaf: Leaf, context: StepContext) -> str:
    lang, value = context.run.lang, value_of(path, context.run.state)
    if value is None or value == "":
        return say("card.blank", lang)
    if leaf.type == "boolean":
        return say(_YES_NO[bool(value)], lang)
    return f"{written(value)} {leaf.unit}".strip()


def tables(paths: tuple[str, ...], context: StepContext) -> tuple[str, ...]:
    """The list leaves among these as Markdown tables under their label, of 30 rows at most."""
    definition, lang = context.playbook.definition, context.run.lang
    told = []
    for path in paths:
        leaf = definition.leaf(path)
        if leaf is not None and leaf.type == "list":
            told.append(_table(leaf, value_of(path, context.run.state) or (), lang))
    return tuple(told)


def _table(leaf: Leaf, listed: Rows, lang: Lang) -> str:
    head = f"**{literal(leaf.label(lang))}**"
    if not listed:
        return f"{head}{say('list.colon', lang)}{say('card.blank', lang)}"
    lines = [
        _line([column.label(lang) for column in leaf.columns.values()]),
        _line(["---"] * len(leaf.columns)),
    ]
    for row in listed[:SHOWN_ROWS]:
        lines.append(
            _line(
                [literal(written(v)) if (v := row.get(c)) is not None else "" for c in leaf.columns]
            )
        )
    more = len(listed) - SHOWN_ROWS
    tail = "\n\n" + say("card.more_rows", lang, n=more) if more > 0 else ""
    return f"{head}\n\n" + "\n".join(lines) + tail


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
