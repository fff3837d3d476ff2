"""Options of forms that a read tool lists: filled in when the form's card is opened."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cards.markdown import format_value
from cards.model import Card, Choice, Field
from engine.errors import ToolError, ToolFailed
from engine.frames.ends import fail_run
from engine.frames.leaves import value_of
from engine.frames.outcome import StepContext, StepOutcome, Suspend
from engine.frames.tool_values import values_for_tool
from engine.playbooks.checks.fields import MAX_OPTIONS
from engine.playbooks.leaf import Leaf, OptionsFrom

_VALUE_CHARS = 75
"""A longer value fits no menu."""

_Options = dict[str, str]


async def fill_options(outcome: StepOutcome, context: StepContext) -> StepOutcome:
    """The outcome whose new cards' forms have the options that read tools list.

    The run fails where a tool cannot say: nobody shall be asked to choose from nothing.
    """
    if not isinstance(outcome, Suspend):
        return outcome
    read: dict[str, _Options] = {}
    try:
        cards = tuple([await _fill_card(card, context, read) for card in outcome.cards])
    except ToolError as error:
        return fail_run(context.run, error.text(context.run.lang), str(error))
    return replace(outcome, cards=cards)


async def list_early(fields: Sequence[Field], context: StepContext) -> list[Field]:
    """The fields, with the options that tools list, so that a text can be read for them.

    Without options is one whose tool needs what is not known yet, or cannot say now.
    """
    read: dict[str, _Options] = {}
    found: list[Field] = []
    for field in fields:
        leaf = context.playbook.definition.leaf(field.name)
        source = leaf.options_from if leaf else None
        if source is None or _waits(source, context):
            found.append(field)
            continue
        try:
            found.append(await _fill_field(field, context, read))
        except ToolError:
            found.append(field)
    return found


def _waits(source: OptionsFrom, context: StepContext) -> bool:
    """Whether what the tool is asked with is not known yet."""
    given = [value for value in source.arguments.values() if value is not None]
    return any(_argument(value, context) is None for value in given)


async def _fill_card(card: Card, context: StepContext, read: dict[str, _Options]) -> Card:
    choices: list[Choice] = []
    for choice in card.choices:
        form = tuple([await _fill_field(field, context, read) for field in choice.form])
        choices.append(choice.model_copy(update={"form": form}) if choice.form else choice)
    known = tuple([await _fill_field(field, context, read) for field in card.known])
    return card.model_copy(update={"choices": tuple(choices), "known": known})


async def _fill_field(field: Field, context: StepContext, read: dict[str, _Options]) -> Field:
    leaf = context.playbook.definition.leaf(field.name)
    if leaf is None or leaf.options_from is None or field.options:
        return field
    if field.name not in read:
        read[field.name] = await _read_options(leaf, leaf.options_from, context)
    options = read[field.name]
    update = {"options": tuple(options), "labels": _distinct(options), "listed": True}
    return field.model_copy(update=update)


def _distinct(options: _Options) -> dict[str, str]:
    """The labels that are not the values themselves; of several alike, each with its value."""
    times = Counter(options.values())
    return {
        value: label if times[label] == 1 else f"{label} ({value})"
        for value, label in options.items()
        if label != value
    }


async def _read_options(leaf: Leaf, source: OptionsFrom, context: StepContext) -> _Options:
    """What people read for each value, in the tool's order. Raises ToolError."""
    arguments = {name: _argument(value, context) for name, value in source.arguments.items()}
    tool = context.find_tool(source.tool)
    result = await context.services.call(tool, arguments, context.tool_context())
    rows = result.get("rows", ()) if isinstance(result, Mapping) else ()
    options: _Options = {}
    for row in rows if isinstance(rows, list | tuple) else ():
        value = _cell(row, source.value)
        if value and len(value) <= _VALUE_CHARS:
            options.setdefault(value, _cell(row, source.label) or value)
    name = leaf.label(context.run.lang)
    if not options:
        raise ToolFailed("form.no_options", name=name)
    if len(options) > MAX_OPTIONS:
        raise ToolFailed("form.many_options", name=name, limit=MAX_OPTIONS)
    return options


def _argument(value: Any, context: StepContext) -> Any:
    if isinstance(value, str) and value.startswith("$"):
        found = value_of(value[1:], context.run.state)
        return values_for_tool({"": value}, context).get("") if found is None else found
    return value


def _cell(row: Any, column: str) -> str:
    value = row.get(column) if isinstance(row, Mapping) else None
    return "" if value is None else " ".join(format_value(value).split())
