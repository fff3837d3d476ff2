"""Tools of a project folder as tools that can be called (design §11)."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from jmespath.exceptions import JMESPathError
from pydantic import AfterValidator, BaseModel, Field, JsonValue, create_model
from pydantic_core import to_jsonable_python

from cards.clipping import shorten
from cards.markdown import format_value, literal
from cards.model import Lang
from cards.texts import say
from engine.errors import ToolFailed
from engine.playbooks.leaf import Leaf, value_faults
from engine.playbooks.tool import MAX_ROWS, ResultColumn, ToolDefinition, compile_path
from engine.ports.systems.connections import PreparedCall
from engine.text.template import BadTemplate, NoValue, parse_template
from engine.tools.arguments import Arguments, Day
from engine.tools.model import Tool, ToolContext
from engine.tools.remote import schema_arguments

TOLD_ROWS = 20
TOLD_CHARS = 2000
CELL_CHARS = 300
MISSING = "–"
_PYTHON: Mapping[str, Any] = {
    "integer": int,
    "number": float,
    "boolean": bool,
    "date": Day,
    "money": dict,
}


def connect_tool(
    name: str, definition: ToolDefinition, call: PreparedCall, project: str
) -> Tool[Any]:
    """The tool of a project, which asks its system by that call."""

    async def run(args: BaseModel, ctx: ToolContext) -> dict[str, Any]:
        given = to_jsonable_python(args, exclude_none=True)
        return shape_result(name, definition, await call({**given, **_context(ctx)}, key=ctx.key))

    return Tool(
        name=name,
        description=definition.description,
        arguments=_arguments(name, definition),
        readonly=definition.writes is None,
        run=run,
        tell=lambda result, lang: tell_result(definition, result, lang),
        examples=definition.examples,
        cues=definition.cued,
        labels=tuple(
            column.label(lang) for column in definition.columns.values() for lang in ("zh", "en")
        ),
        needs=tuple(n for n, leaf in definition.arguments.items() if leaf.required),
        keyed=call.keyed,
        timeout_s=definition.timeout_s,
        roles=definition.roles,
        project=project,
    )


def _context(ctx: ToolContext) -> dict[str, JsonValue]:
    """What every call may name beside its arguments."""
    return {
        "requester": ctx.person.id if ctx.person else "",
        "approver": ctx.by,
        "project": ctx.project,
        "today": ctx.today.isoformat(),
    }


def _arguments(name: str, definition: ToolDefinition) -> type[BaseModel]:
    if definition.arguments_schema is not None:
        return schema_arguments(definition.arguments_schema)
    fields: dict[str, Any] = {
        argument: _field(leaf) for argument, leaf in definition.arguments.items()
    }
    return create_model(name, __base__=Arguments, __doc__="", **fields)


def _field(leaf: Leaf) -> tuple[Any, Any]:
    kind: Any = _PYTHON.get(leaf.type, str)
    if leaf.type == "choice":
        kind = Literal[leaf.options]
    elif leaf.type == "list":
        kind = list[dict[str, JsonValue]]

    def check(value: Any) -> Any:
        if faults := value_faults(leaf, to_jsonable_python(value)):
            raise ValueError(faults[0][1])
        return value

    kind = Annotated[kind, AfterValidator(check)]
    words = " ".join(filter(None, (leaf.label("en"), leaf.hint("en") if leaf.hint else "")))
    more: dict[str, Any] = {"unit": leaf.unit} if leaf.unit else {}
    more |= {"entity": leaf.entity} if leaf.entity else {}
    more["said"] = [leaf.label("zh"), leaf.label("en"), *leaf.cues]
    more["option_words"] = [
        [option, label(lang)] for option, label in leaf.labels.items() for lang in ("zh", "en")
    ]
    if leaf.required:
        return kind, Field(description=words, json_schema_extra=more)
    return kind | None, Field(default=None, description=words, json_schema_extra=more)


def shape_result(name: str, definition: ToolDefinition, answer: JsonValue) -> dict[str, Any]:
    """What a system answered, as the tool declares it. Raises ToolFailed where it is otherwise."""
    match definition.result:
        case "text":
            text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
            return {"text": text}
        case "one":
            if isinstance(answer, list):
                if len(answer) > 1:
                    raise _undeclared(name, f"{len(answer)} rows instead of one")
                answer = answer[0] if answer else None
            return {"found": answer is not None} | (
                {} if answer is None else _row(name, definition, answer)
            )
        case "many":
            rows = _search(name, definition.rows, answer) if definition.rows else answer
            if rows is None:
                rows = []
            if not isinstance(rows, list):
                raise _undeclared(name, "no list of rows")
            if len(rows) > MAX_ROWS:
                raise _undeclared(name, f"{len(rows)} rows")
            return {"rows": [_row(name, definition, row) for row in rows]}


def _row(name: str, definition: ToolDefinition, row: JsonValue) -> dict[str, JsonValue]:
    if not isinstance(row, dict):
        raise _undeclared(name, f"a row that is no object but {type(row).__name__}")
    if not definition.columns:
        return row
    return {
        column: _cell(name, column, shape, _search(name, shape.at or _quoted(column), row))
        for column, shape in definition.columns.items()
    }


def _quoted(column: str) -> str:
    return json.dumps(column)


def _search(name: str, path: str, data: JsonValue) -> JsonValue:
    try:
        found: JsonValue = compile_path(path).search(data)
    except JMESPathError as error:
        raise _undeclared(name, f"nothing that {path} can read") from error
    return found


def _cell(name: str, column: str, shape: ResultColumn, value: JsonValue) -> JsonValue:
    if value is None:
        return None
    leaf = Leaf(label=shape.label, type=shape.type)
    if shape.type == "text" and not isinstance(value, str):
        value = format_value(value) if isinstance(value, int | float) else json.dumps(value)
    if faults := value_faults(leaf, value):
        raise _undeclared(name, f"{column} {faults[0][1]}")
    return value


def _undeclared(name: str, why: str) -> ToolFailed:
    return ToolFailed("tool.undeclared", name=name, why=shorten(why, 200))


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
        f"- {literal(label)}: {_show(value)}"
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
    lines += [[_show(value) for _, value in _labelled(definition, row, lang)] for row in rows]
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
        return template.fill({n: MISSING if v is None else v for n, v in row.items()}, _show)
    except (NoValue, BadTemplate):
        return "\n".join(
            f"- {literal(label)}: {_show(value)}"
            for label, value in _labelled(definition, row, lang)
        )


def _show(value: Any) -> str:
    if value is None:
        return MISSING
    text = value if isinstance(value, str) else format_value(value)
    return literal(shorten(text, CELL_CHARS))


def _with_unit(value: Any, unit: str) -> Any:
    return f"{format_value(value)} {unit}" if unit and value is not None else value
