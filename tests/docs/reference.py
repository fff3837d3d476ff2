"""Writes the pages of reference out of the models that read files (`make reference`)."""

import inspect
import re
import types
import typing
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import BaseModel, JsonValue, SecretStr
from pydantic.fields import FieldInfo

from bot.definitions.mcp_servers import ServersFile
from bot.people.file import people_model
from bot.project import ProjectFile
from bot.testing.files.model import PersonAction, ScenarioFile, ScenarioHead, WrittenStep
from bot.wiring.connections import KINDS
from bot.wiring.platforms import PLATFORMS
from cards.forms import MAX_LIST as FORM_LIST
from cards.forms import MAX_TEXT as FORM_TEXT
from cards.policy import Seconds
from engine.playbooks import conditions
from engine.playbooks.answer import AnswerDefinition
from engine.playbooks.leaf import MAX_DIGITS, MAX_ROWS, MAX_TEXT
from engine.playbooks.legacy import Legacy
from engine.playbooks.model import PlaybookFile
from engine.playbooks.skill import ERROR_END, FILES, RETRIEVAL, Skill
from engine.playbooks.tool import ToolDefinition
from engine.rules.budget import MAX_WORK
from engine.rules.check import MAX_DEPTH, MAX_NODES, OPERATORS
from engine.rules.hard import Logic
from engine.text.language import LocalizedText
from engine.understanding.learned.talk import Talk
from tests.docs.reading import ROOT

PAGE = ROOT / "docs" / "playbook-reference.md"
FOLDER_PAGE = ROOT / "docs" / "folder-reference.md"
FILES_READ: tuple[tuple[str, type[BaseModel]], ...] = (
    ("playbook.yaml", PlaybookFile),
    ("skills/*.yaml", Skill),
    ("answers.yaml", AnswerDefinition),
    ("talk.yaml", Talk),
    ("legacy.yaml", Legacy),
)
_PEOPLE = people_model({name: room.settings.accounts for name, room in PLATFORMS.items()})
FOLDER_FILES: tuple[tuple[str, tuple[type[BaseModel], ...]], ...] = (
    ("signoff.yaml", (ProjectFile,)),
    ("people.yaml", (_PEOPLE,)),
    ("connections.yaml", tuple(kind.settings for kind in KINDS.values())),
    ("mcp.yaml", (ServersFile,)),
    ("tools.yaml", (ToolDefinition,)),
    ("Calls of tools", tuple(kind.call for kind in KINDS.values())),
    ("tests/*.yaml", (ScenarioFile, ScenarioHead, WrittenStep, PersonAction)),
)
_FOLDER_HEAD = """# Folder reference

Every key of `signoff.yaml`, `people.yaml`, `connections.yaml`, `mcp.yaml`, `tools.yaml` and of
files of tests, as the models read them; those of playbooks, skills, answers and talk are in the
[playbook reference](playbook-reference.md). Made by `make reference`; a test fails when it is not
as they are. How it all works together: [the folder](project.md), [people](people.md),
[tools and connections](tools.md), [tests](testing.md).

A key without a default is required; any other key is an error, with file and line.
`connections.yaml` is a mapping from names to connections, each of a `kind`; `tools.yaml` one from
names to tools, which `reads` or `writes` over a `connection` with the keys of a call of its kind.
"""
_HEAD = """# Playbook reference

Every key that the files of the playbooks folder may have, as the models of `engine/playbooks/` read
them; the files around them are in the [folder reference](folder-reference.md). Made by
`make reference`; a test fails when it is not as they are. How it all works together:
[playbooks](playbooks.md), [SOPs](sop.md), [reviews](reviews.md), [tool plans](tool-plans.md),
[job graphs](jobs.md).

A key without a default is required; any other key is an error, with file and line. *Text in zh and
en* is a mapping of these two, `{zh: 审核, en: Review}`. A *duration* is `90s`, `30m`, `4h`, `2d`,
`1d 12h`, or whole seconds. A *path* is `profile.x`, `decisions.x`, or a data field's bare name.
"""
_NAMES: dict[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    type(None): "null",
    Any: "any value",
    JsonValue: "any value",
    LocalizedText: "text, or a text for each language",
    SecretStr: "secret: `$NAME` of a variable",
    Path: "path of a file",
    date: "day, as in 2026-01-31",
}
_LIMITS: dict[Any, tuple[str, str]] = {
    Ge: ("ge", "at least {}"),
    Gt: ("gt", "more than {}"),
    Le: ("le", "at most {}"),
    Lt: ("lt", "less than {}"),
    MinLen: ("min_length", "{} or more"),
    MaxLen: ("max_length", "at most {} of them"),
}
_CONDITIONS = get_args(conditions.AnyCondition)
_LINK = re.compile(r"\]\(#([a-z-]+)\)")
_SPEC = re.compile(r"\s*\((?:spec|design|\d{3}|SOP)[^()]*\)")


def written() -> str:
    """The whole page."""
    parts, done = [_HEAD], set[type[BaseModel]]()
    for file, root in FILES_READ:
        parts.append(f"## {file}\n")
        parts += [_section(model) for model in _below(root, done)]
    return "\n".join([*parts, _words()])


def folder_written() -> str:
    """The whole page of the files around the playbooks."""
    done = {model for _, root in FILES_READ for model in _below(root, set())}
    others = {model.__name__.lower() for model in done}
    parts = [_FOLDER_HEAD]
    for file, roots in FOLDER_FILES:
        parts.append(f"## {file}\n")
        parts += [_section(model) for root in roots for model in _below(root, done)]
    return _LINK.sub(
        lambda link: f"](playbook-reference.md#{link[1]})" if link[1] in others else link[0],
        "\n".join(parts),
    )


def _below(model: type[BaseModel], done: set[type[BaseModel]]) -> Iterator[type[BaseModel]]:
    """The model and those that its fields hold, each once; conditions have a part of their own."""
    if model in done or model is LocalizedText or model in _CONDITIONS:
        return
    done.add(model)
    yield model
    for field in model.model_fields.values():
        for inner in _models(field.annotation):
            yield from _below(inner, done)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


def _section(model: type[BaseModel]) -> str:
    rows = [_row(model, name, field) for name, field in model.model_fields.items()]
    table = "| key | is | default | limits |\n|---|---|---|---|\n" + "".join(rows)
    return f"### {model.__name__}\n\n{_told(model)}\n\n{table}"


def _told(model: type[BaseModel]) -> str:
    doc = next((each.__doc__ for each in model.__mro__ if each.__doc__), "")
    text = _SPEC.sub("", inspect.cleandoc(doc))
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _row(model: type[BaseModel], name: str, field: FieldInfo) -> str:
    hint = typing.get_type_hints(model, include_extras=True)[name]
    key = f"`{field.alias or name}`" + (
        f", `{name}`" if field.alias and model.model_config.get("validate_by_name") else ""
    )
    limits = ", ".join(_limits(field)) or " "
    return f"| {key} | {_type(hint)} | {_default(field)} | {limits} |\n"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "**required**"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, BaseModel) or value is None or value in ((), {}, ""):
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`[{', '.join(map(str, value))}]`" if isinstance(value, tuple) else f"`{value}`"


def _limits(field: FieldInfo) -> Iterator[str]:
    for limit in field.metadata:
        for kind, (name, told) in _LIMITS.items():
            if isinstance(limit, kind):
                yield told.format(getattr(limit, name))
        if pattern := getattr(limit, "pattern", None):
            yield f"`{pattern}`".replace("|", "\\|")


def _type(hint: Any) -> str:
    args = get_args(hint)
    if hint == Seconds:
        return "duration"
    if hint == Logic:
        return "[JSON Logic](#json-logic)"
    if hint in _NAMES:
        return _NAMES[hint]
    if set(_CONDITIONS) == set(args) - {type(None)}:
        return "[condition](#conditions)"
    match get_origin(hint):
        case typing.Annotated:
            return _type(args[0])
        case origin if origin is Literal:
            return " / ".join(f"`{value}`".replace("\t", "\\t") for value in args)
        case origin if origin is tuple:
            return f"list: {_type(args[0])}"
        case origin if origin is dict:
            clears = ", or null" if type(None) in get_args(args[1]) else ""
            return f"by name: {_type(args[1])}{clears}"
        case origin if origin in (Union, types.UnionType):
            return _either(args)
    return f"[{hint.__name__}](#{hint.__name__.lower()})"


def _either(args: tuple[Any, ...]) -> str:
    told = [_type(each) for each in args if each is not type(None)]
    # That None may be left out is said by the default.
    return ", ".join(told[:-1]) + " or " + told[-1] if told[1:] else told[0]


def _words() -> str:
    checks = inspect.cleandoc(conditions.__doc__ or "").split("\n\n", 1)[1].replace("\n", " ")
    operators = " ".join(sorted(OPERATORS)).replace("|", "\\|")
    return f"""## Conditions

One of `{{field: PATH, check: CHECK}}`, `{{all: [...]}}`, `{{any: [...]}}`, `{{logic: {{...}}}}`.

{checks}

## JSON Logic

What it means: [rules](rules.md). At most {MAX_DEPTH} levels deep and {MAX_NODES} parts; inside of
list operators at most {MAX_WORK:,} parts are evaluated. Operators: `{operators}`.

## Other limits

- A list of the state has at most {MAX_ROWS:,} rows, a text {MAX_TEXT:,} characters, a number
  {MAX_DIGITS} digits. A list typed into a form has {FORM_LIST:,} characters, any other text
  {FORM_TEXT:,}.
- Names of SOP targets that begin with `end` are ends; `{ERROR_END}` is where errors go.
- Skills of the category `{RETRIEVAL}` answer questions about a run, those of `{FILES}` read
  attachments.
"""


if __name__ == "__main__":
    PAGE.write_text(written(), "utf-8")
    FOLDER_PAGE.write_text(folder_written(), "utf-8")
