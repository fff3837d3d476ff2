"""What `given.tools` says of a tool, as cases of what it gives."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import JsonValue

from bot.testing.files.model import Fault, StubCase
from engine.playbooks.leaf import value_faults
from engine.playbooks.tool import ToolDefinition
from engine.yaml.faults import Path as YamlPath
from engine.yaml.faults import suggestion
from engine.yaml.source import Problems, Source, try_build

REAL = "real"
_FAULTS = get_args(Fault)
_CASE_KEYS = frozenset({"with", "gives", "fault", "says", "times", "refused_when"})
_MARKS = frozenset({"gives", "fault", "refused_when"})


def read_cases(
    source: Source, at: YamlPath, tool: ToolDefinition | None, problems: Problems
) -> tuple[StubCase, ...] | None:
    """The cases, in the order in which they are tried; None for a tool that asks its own system.

    A result by itself is one case; what is wrong is in `problems`.
    """
    data: Any = source.data
    for key in at:
        data = data[key]
    if data == REAL:
        if tool is not None and tool.writes:
            problems.add(source.problem(at, "writes, so that no test may have the real one"))
        return None
    if data in _FAULTS:
        return (StubCase(fault=data),)
    if isinstance(data, list) and data and all(_is_case(each) for each in data):
        paths: list[YamlPath] = [(*at, number) for number in range(len(data))]
    elif _is_case(data):
        paths = [at]
    else:
        _check_result(source, at, data, tool, problems)
        return (StubCase(gives=data),)
    found = []
    for path, case in ((path, try_build(StubCase, source, problems, at=path)) for path in paths):
        if case is None:
            continue
        refusals = len(tool.refused_when) if tool else 0
        if case.refused_when is not None and case.refused_when > refusals:
            fault = f"the tool has {refusals} refusals in its `refused_when`"
            problems.add(source.problem((*path, "refused_when"), fault))
        elif case.fault is None and case.refused_when is None:
            _check_result(source, (*path, "gives"), case.gives, tool, problems)
        for key, fault in _mixed(case):
            problems.add(source.problem((*path, key), fault))
        _check_arguments(source, path, case, tool, problems)
        found.append(case)
    return tuple(found)


def _mixed(case: StubCase) -> Iterator[tuple[str, str]]:
    """What says two things at once, of which one would not count."""
    if case.fault is not None and case.refused_when is not None:
        told = "is the tool's own refusal, with its text; leave out `fault`, which is the system's"
        yield "refused_when", told
    if case.says and case.fault != "refuses":
        yield "says", "is what a system says with `fault: refuses`"


def _is_case(data: object) -> bool:
    return isinstance(data, Mapping) and bool(_MARKS & data.keys()) and data.keys() <= _CASE_KEYS


def _check_arguments(
    source: Source,
    path: YamlPath,
    case: StubCase,
    tool: ToolDefinition | None,
    problems: Problems,
) -> None:
    if tool is None or tool.arguments_schema is not None:
        return
    for name in case.with_:
        if name not in tool.arguments:
            hint = suggestion(name, tool.arguments)
            at = (*path, "with", name)
            problems.add(source.problem(at, f"the tool has no such argument; {hint}"))


def _check_result(
    source: Source,
    at: YamlPath,
    result: JsonValue,
    tool: ToolDefinition | None,
    problems: Problems,
) -> None:
    """What the tool can never give is a fault of the test."""
    if tool is None:
        return
    for path, message in _result_faults(result, tool):
        problems.add(source.problem((*at, *path), message))


def _result_faults(result: JsonValue, tool: ToolDefinition) -> Iterator[tuple[YamlPath, str]]:
    match tool.result:
        case "text":
            if not isinstance(result, str):
                yield (), "should be text, as the tool's result is"
        case "many":
            if result is not None and not isinstance(result, list):
                yield (), "should be a list of rows, as the tool's result is `many`"
            for number, row in enumerate(result if isinstance(result, list) else ()):
                yield from ((((number, *path)), fault) for path, fault in _row_faults(row, tool))
        case "one":
            if result is not None:
                yield from _row_faults(result, tool)


def _row_faults(row: JsonValue, tool: ToolDefinition) -> Iterator[tuple[YamlPath, str]]:
    if not isinstance(row, Mapping):
        yield (), "should be a mapping from columns to values"
        return
    for name, value in row.items() if tool.columns else ():
        column = tool.columns.get(name)
        if column is None:
            hint = suggestion(name, tool.columns)
            yield (name,), f"the tool has no such column; {hint}"
        elif value is not None:
            yield from (((name, *path), fault) for path, fault in value_faults(column.leaf, value))
