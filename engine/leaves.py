"""Leaves of the state as people and models see them: in forms, on cards, and back (spec 003)."""

import re
from collections.abc import Mapping
from typing import Any

from cards.forms import check_form
from cards.markdown import literal, written
from cards.model import Field, FieldType, Lang, Row, Value
from cards.texts import say
from cards.values import in_row, in_text
from engine.frames.outcome import StepContext
from engine.frames.state import AgentState, LeafValue, Rows, Scalar
from engine.playbooks.leaf import Leaf
from engine.playbooks.leaf_faults import MAX_ROWS

SHOWN_ROWS = 30
# A choice is judged against its options by who knows them.
_FIELD_TYPES: dict[str, FieldType] = {"integer": "integer", "number": "number", "date": "date"}
_CELLS = re.compile(r"\||\\.|\\|[^\\|]+", re.DOTALL)
_ESCAPED = re.compile(r"\\([\\|])")
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
        multiline=leaf.multiline or leaf.type == "list",
    )


def _in_form(leaf: Leaf, value: Any, lang: Lang) -> str:
    if value is None:
        return ""
    if leaf.type == "boolean":
        return say(_YES_NO[bool(value)], lang)
    if leaf.type == "list":
        rows = (" | ".join(_cell(row.get(c)) for c in leaf.columns) for row in value)
        return "\n".join(rows)
    return written(value)


def _cell(value: Scalar) -> str:
    if value is None:
        return ""
    return " ".join(written(value).replace("\\", "\\\\").replace("|", "\\|").split())


def from_form(leaf: Leaf, value: Any, lang: Lang) -> LeafValue:
    r"""A form's typed value as the leaf keeps it; raises ValueError with a sentence for the person.

    Rows come a line each, their columns separated by `|`; a cell's own bar is written `\\|`.
    """
    if leaf.type == "boolean":
        return bool(value == say("choice.yes", lang))
    if leaf.type != "list":
        typed: LeafValue = value
        return typed
    lines = [line for line in str(value).split("\n") if line.strip()]
    if len(lines) > MAX_ROWS:
        raise ValueError(say("form.many_rows", lang, limit=MAX_ROWS))
    return tuple(_row(line, leaf, lang) for line in lines)


def option_value(leaf: Leaf, text: str) -> Value:
    """What a leaf takes when the option of that text is chosen; the text itself if it is none."""
    field = Field(name="option", label="", type=_FIELD_TYPES.get(leaf.type, "text"))
    typed, _ = check_form([field], {"option": text}, "en")
    return typed.get("option", text)


def _row(line: str, leaf: Leaf, lang: Lang) -> dict[str, Scalar]:
    parts = [_ESCAPED.sub(r"\1", cell.strip()) for cell in _cells(line)]
    if any(parts[len(leaf.columns) :]):
        raise ValueError(say("form.many_columns", lang, limit=len(leaf.columns)))
    cells = dict(zip(leaf.columns, parts, strict=False))
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


def _cells(line: str) -> list[str]:
    cells = [""]
    for part in _CELLS.findall(line):
        if part == "|":
            cells.append("")
        else:
            cells[-1] += part
    return cells


def label_of(name: str, context: StepContext) -> str:
    """What people call a data leaf; of a name that is none, the name."""
    leaf = context.playbook.definition.data_fields.get(name)
    return leaf.label(context.run.lang) if leaf else name


def rows(paths: tuple[str, ...], context: StepContext) -> tuple[Row, ...]:
    """Leaves as labelled values with their units; what was left out is said to be so.

    Lists and texts of several lines are none: `tables` has them.
    """
    run, definition = context.run, context.playbook.definition
    return tuple(
        Row(label=leaf.label(run.lang), value=_shown(path, leaf, context))
        for path in paths
        if (leaf := definition.leaf(path)) and leaf.type != "list" and not leaf.multiline
    )


def _shown(path: str, leaf: Leaf, context: StepContext) -> str:
    lang, value = context.run.lang, value_of(path, context.run.state)
    if leaf.type == "boolean" and value is not None:
        return say(_YES_NO[bool(value)], lang)
    return in_row(value, leaf.unit, lang)


def tables(paths: tuple[str, ...], context: StepContext) -> tuple[str, ...]:
    """What among these needs room of its own, as Markdown under its label: texts of several lines,
    and lists as tables of 30 rows at most."""
    definition, lang = context.playbook.definition, context.run.lang
    told = []
    for path in paths:
        leaf = definition.leaf(path)
        value = value_of(path, context.run.state)
        if leaf is not None and leaf.type == "list":
            told.append(_table(leaf, value, lang))
        elif leaf is not None and leaf.multiline:
            told.append(in_text(leaf.label(lang), str(value or ""), lang))
    return tuple(told)


def _table(leaf: Leaf, listed: Rows | None, lang: Lang) -> str:
    head = f"**{literal(leaf.label(lang))}**"
    if not listed:
        # An empty list says that there is none; no list, that nobody said.
        none = say("card.blank" if listed is None else "card.no_rows", lang)
        return f"{head}{say('list.colon', lang)}{none}"
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
