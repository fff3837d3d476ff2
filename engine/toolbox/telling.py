"""A tool's result as people read it; whatever a system says stands in it as plain words."""

from collections.abc import Mapping, Sequence
from typing import Any

from cards.clipping import shorten
from cards.markdown import format_value, literal
from cards.model import Lang
from cards.texts import say
from engine.playbooks.tool import ToolDefinition
from engine.text.template import BadTemplate, NoValue, parse_template

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
            return _tell_rows(definition, result["rows"], lang)


def _tell_row(definition: ToolDefinition, row: Mapping[str, Any], lang: Lang) -> str:
    if definition.tell is not None:
        return _fill(definition, row, lang)
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
    if definition.tell is not None:
        text = "\n".join(f"- {_fill(definition, row, lang)}" for row in shown)
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
        (shape.label(lang), _with_unit(row.get(name), shape.unit))
        for name, shape in definition.columns.items()
    ]


def _fill(definition: ToolDefinition, row: Mapping[str, Any], lang: Lang) -> str:
    assert definition.tell is not None
    try:
        template = parse_template(definition.tell(lang))
        known = {n: MISSING if v is None else v for n, v in row.items()}
        return template.fill(known, lambda value: _show(value, lang))
    except (NoValue, BadTemplate):
        return "\n".join(
            f"- {literal(label)}: {_show(value, lang)}"
            for label, value in _labelled(definition, row, lang)
        )


def _show(value: Any, lang: Lang) -> str:
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return say("choice.yes" if value else "choice.no", lang)
    text = value if isinstance(value, str) else format_value(value)
    return literal(shorten(text, CELL_CHARS))


def _with_unit(value: Any, unit: str) -> Any:
    return f"{format_value(value)} {unit}" if unit and value is not None else value
