"""Leaves of the state as people see them, in forms and on cards, and read back (spec 003)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from json import dumps
from typing import Any

from cards.fields.readers import option_label
from cards.fields.table import options_of, read_value
from cards.forms import NO_FACTS, FormFacts, range_text, read_rows, with_detail
from cards.markdown import format_value, literal
from cards.model import Field, Lang, Row
from cards.texts import say
from cards.values import NO, YES, BadValue, Value, is_money
from cards.visible import in_row, in_text, visible
from engine.frames.outcome import StepContext
from engine.frames.state import AgentState, LeafValue, Rows, Scalar
from engine.playbooks.leaf import Column, Leaf, TypedValue
from engine.playbooks.nesting import split_path

SHOWN_ROWS = 30
NO_DIGEST = ""
"""The digest of what is not there."""
_YES_NO = {True: "choice.yes", False: "choice.no"}
_EMPTY: dict[tuple[int, str, Lang], tuple[Leaf, Field]] = {}
_MOST_EMPTY = 1024


def value_of(path: str, state: AgentState) -> Any:
    """The value at a path as playbooks write it; None when there is none."""
    group, name = split_path(path)
    groups: dict[str, Mapping[str, Any]]
    groups = {"": state.data, "profile": state.profile, "decisions": state.decisions}
    values = groups[group]
    if name in values:
        return values[name]
    whole, _, part = name.rpartition(".")
    money = values.get(whole)
    return money.get(part) if is_money(money) else None


def value_digest(value: Any) -> str:
    """A short digest of a JSON value, `NO_DIGEST` for None."""
    if value is None:
        return NO_DIGEST
    text = dumps(value, sort_keys=True, ensure_ascii=False)
    return sha256(text.encode()).hexdigest()[:8]


def form_field(path: str, leaf: Leaf, lang: Lang, state: AgentState) -> Field:
    """The form's field for a leaf, filled in with the value that it has."""
    value = value_of(path, state)
    if leaf.type == "file" and value is None and len(state.attachments) == 1:
        # The one file that came with the request is likely meant; the person sees it and sends it.
        name = state.attachments[0].name
        value = None if name in state.data.values() else name
    empty = _empty_field(path, leaf, lang)
    text = _form_text(leaf, value, lang)
    if leaf.type == "entity" and (told := state.labels.get(path, {}).get(text)):
        return empty.model_copy(update={"value": text, "labels": {text: told}})
    return empty.model_copy(update={"value": text})


def _empty_field(path: str, leaf: Leaf, lang: Lang) -> Field:
    """The field without a value, which every step that reads a form asks for."""
    key = (id(leaf), path, lang)
    if (kept := _EMPTY.get(key)) is None:
        if len(_EMPTY) >= _MOST_EMPTY:
            _EMPTY.clear()
        # It holds its leaf, so that nothing else gets that id.
        kept = _EMPTY[key] = leaf, _make_empty(path, leaf, lang)
    return kept[1]


def _make_empty(path: str, leaf: Leaf, lang: Lang) -> Field:
    hint = leaf.hint(lang) if leaf.hint else ""
    if leaf.type == "list":
        columns = " | ".join(_column_head(column, lang) for column in leaf.columns.values())
        hint = hint or say("form.rows", lang, columns=columns)
    return _typed_field(path, leaf, lang).model_copy(
        update={
            "type": "text" if leaf.type == "list" else leaf.type,
            "required": leaf.required,
            "unit": leaf.unit(lang),
            "value": "",
            "hint": hint,
            "cues": leaf.cues,
            "identity": leaf.identity,
            "of_no_kind": leaf.identity and not leaf.entity,
            "pair_with": leaf.pair_with,
            "multiline": leaf.multiline or leaf.type == "list",
            "columns": _columns(leaf, lang),
        }
    )


def _typed_field(name: str, spec: TypedValue, lang: Lang) -> Field:
    """A field for values of a leaf or a column."""
    options = options_of(spec)
    labels = {option: option_label(spec, option, lang) for option in options}
    return Field(
        name=name,
        label=spec.label(lang),
        type=spec.type,
        options=options,
        labels={option: label for option, label in labels.items() if label != option},
        minimum=spec.minimum,
        maximum=spec.maximum,
        pattern=spec.pattern,
        currencies=spec.currencies,
        kinds=spec.kinds,
        entity=spec.entity,
        names=tuple(each for each in spec.label.texts if each != spec.label(lang)),
        option_names={
            word: option
            for option in options
            if option in spec.labels
            for word in spec.labels[option].texts
            if word not in (option, labels[option])
        },
    )


def _column_head(column: Column, lang: Lang) -> str:
    return with_detail(column.label(lang), range_text(column.minimum, column.maximum, lang), lang)


def _form_text(leaf: Leaf, value: Any, lang: Lang) -> str:
    if value is None:
        return ""
    if leaf.type == "boolean":
        return YES if value else NO
    if leaf.type == "list":
        rows = (" | ".join(_form_cell(row.get(c)) for c in leaf.columns) for row in value)
        return "\n".join(rows)
    return format_value(value)


def _form_cell(value: Scalar) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return YES if value else NO
    return " ".join(format_value(value).replace("\\", "\\\\").replace("|", "\\|").split())


def from_form(leaf: Leaf, value: Any, lang: Lang, facts: FormFacts = NO_FACTS) -> LeafValue:
    r"""A form's typed value as the leaf keeps it; raises ValueError with a sentence for the person.

    Rows come a line each, their columns separated by `|`; a cell's own bar is written `\\|`.
    """
    if leaf.type == "boolean":
        # What was stored by earlier versions has the word that was shown.
        return value if isinstance(value, bool) else value in (YES, say("choice.yes", lang))
    if leaf.type != "list":
        typed: LeafValue = value
        return typed
    try:
        return read_rows(_columns(leaf, lang), str(value), lang, facts)
    except BadValue as fault:
        raise ValueError(say(fault.key, lang, **fault.values)) from None


def _columns(leaf: Leaf, lang: Lang) -> tuple[Field, ...]:
    return tuple(
        _typed_field(name, column, lang).model_copy(update={"required": column.required})
        for name, column in leaf.columns.items()
    )


def option_value(leaf: Leaf, text: str) -> Value:
    """What a leaf takes when the option of that text is chosen; the text itself if it is none."""
    # A choice is judged against its options by who knows them.
    if options_of(leaf):
        return text
    try:
        return read_value(leaf, text, "en")
    except BadValue:
        return text


def label_of(name: str, context: StepContext) -> str:
    """What people call the leaf at a path, or the one that it is a part of; else the path."""
    definition = context.playbook.definition
    leaf = definition.leaf(name) or definition.leaf(name.rpartition(".")[0])
    return leaf.label(context.run.lang) if leaf else name


@dataclass(frozen=True, slots=True)
class LabelledValue:
    """A value with what people call it; `path` is where the state has it, "" for nowhere.

    `leaf` is what a playbook says of it, None for a decision or a value of a plan itself. `labels`
    are what people read for values that a tool listed.
    """

    label: str
    value: Any
    leaf: Leaf | None = None
    path: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The name of the file that it is, "" for any other value."""
        is_file = self.leaf is not None and self.leaf.type == "file"
        return str(self.value) if is_file and self.value else ""

    @property
    def needs_room(self) -> bool:
        """Whether it does not fit a row: a list, or a text that has or may have several lines."""
        if self.leaf is not None and (self.leaf.type == "list" or self.leaf.multiline):
            return True
        return isinstance(self.value, str) and "\n" in self.value


def values_at(paths: Iterable[str], context: StepContext) -> tuple[LabelledValue, ...]:
    """The value at each path: leaves by their labels, decisions by their names."""
    run, definition = context.run, context.playbook.definition
    return tuple(
        LabelledValue(
            label=leaf.label(run.lang) if leaf else path.rpartition(".")[2],
            value=_named(leaf, value_of(path, run.state), context),
            leaf=leaf,
            path=path,
            labels=run.state.labels.get(path, {}),
        )
        for path, leaf in ((path, definition.leaf(path)) for path in paths)
    )


def _named(leaf: Leaf | None, value: Any, context: StepContext) -> Any:
    """The value, and of a person what people call them."""
    if leaf is None or leaf.type != "person":
        return value
    everybody = context.services.people.everybody
    return next((person.name for person in everybody if person.id == value), value)


def value_rows(values: Iterable[LabelledValue], lang: Lang) -> tuple[Row, ...]:
    """Labelled values with their units, but for those that need room (`value_tables`).

    What was left out is said to be so. Behind them come the files of lists.
    """
    listed = list(values)
    short = (
        Row(label=each.label, value=_row_text(each, lang), file=each.file)
        for each in listed
        if not each.needs_room
    )
    return (*short, *(row for each in listed for row in _file_rows(each, lang)))


def _file_rows(labelled: LabelledValue, lang: Lang) -> tuple[Row, ...]:
    """The files of the rows that are shown, each once: a link belongs to a row of the card."""
    leaf, rows = labelled.leaf, labelled.value
    if leaf is None or leaf.type != "list" or not isinstance(rows, list | tuple):
        return ()
    found = {
        (name, str(row[name])): Row(
            label=f"{leaf.label(lang)} · {column.label(lang)}",
            value=in_row(str(row[name]), "", lang),
            file=str(row[name]),
        )
        for row in rows[:SHOWN_ROWS]
        for name, column in leaf.columns.items()
        if column.type == "file" and row.get(name)
    }
    return tuple(found.values())


def _row_text(labelled: LabelledValue, lang: Lang) -> str:
    value = labelled.value
    if isinstance(value, bool):
        return say(_YES_NO[value], lang)
    if isinstance(value, dict | list | tuple) and not is_money(value):
        value = dumps(value, ensure_ascii=False)
    elif isinstance(value, str):
        own = labelled.leaf.label_of(value, lang) if labelled.leaf else value
        value = labelled.labels.get(value) or own
    return in_row(value, labelled.leaf.unit(lang) if labelled.leaf else "", lang)


def value_tables(
    values: Iterable[LabelledValue], lang: Lang, *, most: int = SHOWN_ROWS
) -> tuple[str, ...]:
    """The values that need room, as Markdown under their labels.

    These are texts of several lines, and lists as tables of at most `most` rows.
    """
    texts = []
    for each in values:
        if each.leaf is not None and each.leaf.type == "list":
            texts.append(_table_text(each, each.leaf, lang, most))
        elif each.needs_room:
            texts.append(in_text(each.label, str(each.value or ""), lang))
    return tuple(texts)


def _table_text(labelled: LabelledValue, leaf: Leaf, lang: Lang, most: int) -> str:
    listed: Rows | None = labelled.value
    head = f"**{literal(leaf.label(lang))}**"
    if not listed:
        # An empty list says that there is none; no list, that nobody said.
        none = say("card.blank" if listed is None else "card.no_rows", lang)
        return f"{head}{say('list.colon', lang)}{none}"
    lines = [
        _table_line([column.label(lang) for column in leaf.columns.values()]),
        _table_line(["---"] * len(leaf.columns)),
        *(
            _table_line(
                [
                    _table_cell(column, row.get(name), labelled.labels, lang)
                    for name, column in leaf.columns.items()
                ]
            )
            for row in listed[:most]
        ),
    ]
    more = len(listed) - most
    tail = "\n\n" + say("card.more_rows", lang, n=more) if more > 0 else ""
    return f"{head}\n\n" + "\n".join(lines) + tail


def _table_cell(column: Column, value: Scalar, labels: Mapping[str, str], lang: Lang) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return say(_YES_NO[value], lang)
    shown: Scalar = value
    if isinstance(value, str):
        named = labels.get(value) if column.entity else None
        shown = named or column.label_of(value, lang)
    return literal(visible(format_value(shown)))


def _table_line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
