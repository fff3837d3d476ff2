"""A tool's result as people read it; whatever a system says stands in it as plain words."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from cards.clipping import shorten
from cards.markdown import format_value, literal
from cards.model import Lang
from cards.texts import say
from cards.values import is_money
from engine.playbooks.tool import SINCE, UNTIL, ResultColumn, ToolDefinition
from engine.text.language import LocalizedText
from engine.text.template import BadTemplate, Hole, NoValue, parse_template, written

TOLD_ROWS = 20
TOLD_CHARS = 2000
CELL_CHARS = 300
MISSING = "–"


def tell_result(definition: ToolDefinition, result: Mapping[str, Any], lang: Lang) -> str:
    """The result as Markdown; whatever a system says stands in it as plain words."""
    match definition.result:
        case "text":
            return literal(shorten(str(result["text"]), TOLD_CHARS))
        case "one":
            if not result["found"]:
                return say("tool.nothing_found", lang)
            return _tell_row(definition, result, lang)
        case "many":
            told = {name: result.get(name) for name in definition.told_arguments}
            text = _tell_rows(definition, [{**told, **row} for row in result["rows"]], lang)
            return _tell_period(result, lang) + text if definition.period else text


def _tell_period(result: Mapping[str, Any], lang: Lang) -> str:
    """The days to which the rows were narrowed, as people have to see how a period was taken."""
    since, until = (literal(str(result.get(name) or "")) for name in (SINCE, UNTIL))
    if not (since or until):
        return ""
    if since == until:
        return f"{say('tool.day', lang, since=since)}\n\n"
    key = "tool.period" if since and until else "tool.since" if since else "tool.until"
    return f"{say(key, lang, since=since, until=until)}\n\n"


def _tell_row(definition: ToolDefinition, row: Mapping[str, Any], lang: Lang) -> str:
    if (text := _template(definition, row)) is not None:
        return _fill(definition, text, row, lang)
    lines = (
        f"- {literal(label)}: {_show(value, lang)}"
        for label, value in _labelled(definition, row, lang)
        if value is not None
    )
    return "\n".join(lines)


def _tell_rows(definition: ToolDefinition, rows: Sequence[Mapping[str, Any]], lang: Lang) -> str:
    if not rows:
        return say("tool.nothing_found", lang)
    shown = rows[:TOLD_ROWS]
    if definition.tell is not None or definition.tell_when:
        text = "\n".join(f"- {_tell_row(definition, row, lang)}" for row in shown)
    else:
        text = _table(definition, shown, lang)
    if len(rows) > len(shown):
        text += "\n\n" + say("tool.more_rows", lang, number=len(rows) - len(shown))
    return text


def _table(definition: ToolDefinition, rows: Sequence[Mapping[str, Any]], lang: Lang) -> str:
    heads = [literal(label) for label, _ in _labelled(definition, rows[0], lang)]
    lines = [heads, ["---"] * len(heads)]
    lines += [[_show(value, lang) for _, value in _labelled(definition, row, lang)] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _labelled(
    definition: ToolDefinition, row: Mapping[str, Any], lang: Lang
) -> list[tuple[str, Any]]:
    if not definition.columns:
        return [(name, value) for name, value in row.items() if name != "found"]
    return [
        (shape.label(lang), _shown_value(shape, row.get(name), lang))
        for name, shape in definition.columns.items()
    ]


def _shown_value(shape: ResultColumn, value: Any, lang: Lang) -> Any:
    """The value with its unit, or what stands for none."""
    if value is None and shape.missing:
        return shape.missing(lang)
    return _with_unit(value, shape.unit(lang))


def _template(definition: ToolDefinition, row: Mapping[str, Any]) -> LocalizedText | None:
    """The template for the row, if there is one."""
    cases = (case.text for case in definition.tell_when if case.fits(row))
    return next(cases, definition.tell)


def _fill(
    definition: ToolDefinition, text: LocalizedText, row: Mapping[str, Any], lang: Lang
) -> str:
    try:
        template = parse_template(text(lang))
        named = {hole.root for hole in template.holes} & row.keys()
        known = {name: _or_missing(definition, name, row[name], lang) for name in named}
        return template.fill(known, lambda value: _show(value, lang, most=TOLD_CHARS))
    except (NoValue, BadTemplate):
        return "\n".join(
            f"- {literal(label)}: {_show(value, lang)}"
            for label, value in _labelled(definition, row, lang)
        )


def _or_missing(definition: ToolDefinition, name: str, value: Any, lang: Lang) -> Any:
    if value is not None:
        return value
    shape = definition.columns.get(name)
    return shape.missing(lang) if shape and shape.missing else MISSING


def fill_text(text: str, values: Mapping[str, JsonValue], lang: Lang = "") -> str:
    """A template with values; a hole that cannot be filled is a dash.

    For people who read `lang` values are plain words; without one they are as they come.
    """
    return "".join(
        part if isinstance(part, str) else _fill_hole(part, values, lang)
        for part in parse_template(text).parts
    )


def _fill_hole(hole: Hole, values: Mapping[str, JsonValue], lang: Lang) -> str:
    try:
        value = hole.value(values)
        if isinstance(value, list | dict) and not is_money(value):
            value = written(value)
        return _show(value, lang) if lang else format_value(value)
    except (NoValue, BadTemplate):
        return MISSING


def _show(value: Any, lang: Lang, *, most: int = CELL_CHARS) -> str:
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return say("choice.yes" if value else "choice.no", lang)
    text = value if isinstance(value, str) else format_value(value)
    return literal(shorten(text, most))


def _with_unit(value: Any, unit: str) -> Any:
    return f"{format_value(value)} {unit}" if unit and value is not None else value
