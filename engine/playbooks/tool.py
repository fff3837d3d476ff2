"""Tools as a project folder says them: `tools.yaml` (design §11)."""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal, Self

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult
from pydantic import (
    AfterValidator,
    BeforeValidator,
    GetJsonSchemaHandler,
    JsonValue,
    StringConstraints,
    model_validator,
)
from pydantic import Field as Key
from pydantic.json_schema import JsonSchemaValue, SkipJsonSchema
from pydantic_core import CoreSchema

from cards.frozen import Frozen
from cards.values import FieldType
from engine.playbooks.leaf import Leaf
from engine.text.language import NO_TEXT, LocalizedText
from engine.text.template import BadTemplate, holes_in, parse_template

MAX_ROWS = 100_000
"""A result of more rows is refused."""

TOOLS_FILE = "tools.yaml"

ResultKind = Literal["one", "many", "text"]
ToolName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,59}$")]


SINCE, UNTIL = "since", "until"
PERIOD_ARGUMENTS = frozenset({SINCE, UNTIL})
"""What a tool with a `period` may be asked for beside its own arguments: days, both included."""


def _listed(given: Any) -> Any:
    """One name as a list of it; a list of YAML is no tuple."""
    if isinstance(given, list):
        return tuple(given)
    return (given,) if isinstance(given, str) else given


def _path(text: str) -> str:
    if text:
        compile_path(text)
    return text


@lru_cache(maxsize=2048)
def compile_path(text: str) -> ParsedResult:
    """The JMESPath of a column. Raises ValueError."""
    try:
        return jmespath.compile(text)
    except JMESPathError as error:
        raise ValueError(f"is no JMESPath: {str(error).splitlines()[0]}") from error


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """What checks need to know of a tool; `arguments` are None where its system has them.

    `columns` are the types of the columns of what it gives, None where they are not declared.
    It `lists` unless it is known to give one thing. `types` are those of arguments that are known.
    """

    writes: bool
    arguments: frozenset[str] | None = None
    columns: Mapping[str, str] | None = None
    required: frozenset[str] = frozenset()
    lists: bool = True
    types: Mapping[str, str] = field(default_factory=dict)


class ResultColumn(Frozen):
    """A column of a result: `at` is its JMESPath in a row, by default the column's own name."""

    label: LocalizedText
    type: FieldType = "text"
    at: Annotated[str, AfterValidator(_path)] = ""
    unit: LocalizedText = NO_TEXT
    missing: LocalizedText | None = None
    """What is told where there is no value; a dash without it."""

    @cached_property
    def leaf(self) -> Leaf:
        """What its values have to be."""
        return Leaf(label=self.label, type=self.type)


class ConnectedCall(Frozen):
    """Which connection is called; what else stands there is the `call`, in its own words."""

    connection: str
    call: dict[str, JsonValue] = {}

    @model_validator(mode="before")
    @classmethod
    def _take_apart(cls, given: Any) -> Any:
        if not isinstance(given, dict) or given.keys() <= {"connection", "call"}:
            return given
        call = {name: each for name, each in given.items() if name != "connection"}
        return {name: given[name] for name in given.keys() & {"connection"}} | {"call": call}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """As files write it: what the kind of connection takes stands beside its name."""
        found = handler.resolve_ref_schema(handler(schema))
        del found["properties"]["call"]
        return {**found, "additionalProperties": True}


class ToldCase(Frozen):
    """A template for results of a kind: `when` has columns with the value that each must have.

    A list of values stands for any of them, null for a value that is missing.
    """

    when: dict[str, JsonValue] = {}
    text: LocalizedText

    def fits(self, row: Mapping[str, JsonValue]) -> bool:
        """Whether the row is of that kind."""
        return all(
            _is_one_of(row.get(name), value if isinstance(value, list) else [value])
            for name, value in self.when.items()
        )


def _is_one_of(value: JsonValue, wanted: list[JsonValue]) -> bool:
    # Most rows are of another kind.
    return value in wanted and any(
        value == each and isinstance(value, bool) is isinstance(each, bool) for each in wanted
    )


class CallRefusal(Frozen):
    """Why a tool cannot do its work: the `text`, where what it `finds` is there, or `lacks` is not.

    That is a template over the arguments and what was found.
    """

    finds: ConnectedCall | None = None
    lacks: ConnectedCall | None = Key(default=None, exclude_if=lambda lacks: lacks is None)
    text: LocalizedText

    @property
    def key(self) -> Literal["finds", "lacks"]:
        """What the file calls its call."""
        return "finds" if self.finds else "lacks"

    @property
    def call(self) -> ConnectedCall:
        """The call that looks for it."""
        call = self.finds or self.lacks
        assert call is not None, "one of them is given"
        return call

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.finds is None) is (self.lacks is None):
            raise ValueError("should have either `finds` or `lacks`")
        return self


class ToolDefinition(Frozen):
    """A tool of a project folder.

    It `reads` or `writes`. `arguments` are fields as those of a form; `message` is the one that
    takes a question as it stands. Rows of `many` are narrowed to the days that a question names by
    the date column in `period`, or by two, from when and until when; the tool lists all days. The
    `result` is `one` thing, `many` or a `text`, of which
    `columns` are kept; `rows` is the JMESPath of the rows of `many`. `tell` is a template over the
    columns of one, or of each row; `tell_when` has some for certain results, the first that fits
    counts. Without a model it answers questions like `examples` that have one of its `cues`; a cue
    may imply arguments. With `for_questions: false` only runs use it. `refused_when` says why a
    write is not done, and why a read finds nothing. `roles` are those of which whoever uses it must
    hold one.
    """

    description: str = Key(min_length=1, max_length=1000)
    reads: ConnectedCall | None = None
    writes: ConnectedCall | None = None
    arguments: dict[str, Leaf] = {}
    result: ResultKind = "one"
    rows: Annotated[str, AfterValidator(_path)] = ""
    columns: dict[str, ResultColumn] = {}
    tell: LocalizedText | None = None
    tell_when: tuple[ToldCase, ...] = Key(default=(), max_length=50)
    refused_when: tuple[CallRefusal, ...] = Key(default=(), max_length=20)
    message: str = ""
    period: Annotated[tuple[str, ...], BeforeValidator(_listed), Key(max_length=2)] = ()
    for_questions: bool = True
    examples: tuple[str, ...] = ()
    cues: tuple[str, ...] | dict[str, dict[str, JsonValue]] = ()
    roles: tuple[str, ...] = ()
    timeout_s: float = Key(default=20.0, ge=0.1, le=600)
    arguments_schema: SkipJsonSchema[dict[str, Any] | None] = None
    """What the system itself says of the arguments, where the file does not; filled in at load."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.reads is None) is (self.writes is None):
            raise ValueError("should have either `reads` or `writes`")
        if self.result == "text" and (self.columns or self.rows):
            raise ValueError("a result that is `text` has neither columns nor rows")
        if self.result != "many" and self.rows:
            raise ValueError("`rows` belongs to a result that is `many`")
        if self.period and (self.writes or self.result != "many"):
            raise ValueError("`period` belongs to a tool that reads `many`")
        for name in self.period:
            if name not in self.columns or self.columns[name].type != "date":
                raise ValueError(f"`period`: {name} is no column that is a date")
        if self.period and not PERIOD_ARGUMENTS.isdisjoint(self.arguments):
            raise ValueError("`period` brings the arguments `since` and `until` itself")
        if self.message and self.message not in self.arguments:
            raise ValueError(f"`message`: {self.message} is none of its arguments")
        return self

    @cached_property
    def names_project(self) -> bool:
        """Whether its call may name the project for which it is made."""
        return "project" in json.dumps(self.call.call)

    @property
    def call(self) -> ConnectedCall:
        """The call, of either kind."""
        made = self.reads or self.writes
        assert made is not None
        return made

    @property
    def cued(self) -> Mapping[str, Mapping[str, JsonValue]]:
        """Its cues, each with the arguments that it implies."""
        return self.cues if isinstance(self.cues, dict) else {cue: {} for cue in self.cues}

    @property
    def facts(self) -> ToolFacts:
        """What checks need to know."""
        arguments = None if self.arguments_schema else frozenset(self.arguments)
        columns = {name: str(column.type) for name, column in self.columns.items()}
        required = frozenset(name for name, leaf in self.arguments.items() if leaf.required)
        if self.arguments_schema:
            required = frozenset(self.arguments_schema.get("required", ()))
        lists = self.result == "many"
        types = {} if self.arguments_schema else {n: a.type for n, a in self.arguments.items()}
        return ToolFacts(
            self.writes is not None, arguments, columns or None, required, lists, types
        )

    @property
    def told_arguments(self) -> frozenset[str]:
        """The arguments that are told of beside the columns of a result."""
        return self._named & (self.arguments.keys() - self.columns.keys())

    @property
    def _named(self) -> frozenset[str]:
        """Every name of its templates and of their conditions; a faulty template has none."""
        told = [*([self.tell] if self.tell else ()), *(case.text for case in self.tell_when)]
        names = {name for case in self.tell_when for name in case.when}
        return frozenset(names.union(*map(names_in, told)))

    def tell_faults(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What keeps its templates from being filled in, and where that stands."""
        known = tuple(dict.fromkeys((*self.columns, *self.arguments)))
        templates: list[tuple[tuple[str | int, ...], LocalizedText, Collection[str]]] = [
            (("tell_when", i, "text"), case.text, known) for i, case in enumerate(self.tell_when)
        ]
        if self.tell:
            templates.append((("tell",), self.tell, known))
        for at, text, names in templates:
            yield from ((at, fault) for fault in _bad_templates(text))
            yield from ((at, fault) for fault in name_faults(text, names))
        for i, refusal in enumerate(self.refused_when):
            # What is found may be named too, which ToolCheck knows where the call says it.
            yield from ((("refused_when", i, "text"), f) for f in _bad_templates(refusal.text))
        for i, case in enumerate(self.tell_when):
            for name in case.when.keys() - set(known):
                yield ("tell_when", i, "when"), f"names {name}; there are {', '.join(known)}"


def names_in(text: LocalizedText) -> frozenset[str]:
    """What its templates name; a faulty one names nothing."""
    found: set[str] = set()
    for each in text.texts:
        with suppress(BadTemplate):
            found |= _roots(each)
    return frozenset(found)


def _roots(template: str) -> set[str]:
    return {hole.root for hole in holes_in(parse_template(template))}


def _bad_templates(text: LocalizedText) -> Iterator[str]:
    for each in text.texts:
        try:
            parse_template(each)
        except BadTemplate as error:
            yield str(error)


def name_faults(text: LocalizedText, known: Collection[str]) -> Iterator[str]:
    """Which names of a template, that can be read, are none of these."""
    for each in text.texts:
        with suppress(BadTemplate):
            if unknown := sorted(_roots(each) - set(known)):
                yield f"names {', '.join(unknown)}; there are {', '.join(known)}"
