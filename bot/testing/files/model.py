"""What a file of tests says: what is given, the steps of a conversation, what is expected."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    JsonValue,
    model_validator,
)
from pydantic import Field as Key
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from bot.api.bodies import RefusalWord
from bot.setting_rules import ProjectName
from cards.frozen import Frozen
from cards.model import CardKind
from cards.policy import Written
from cards.showing.view import PartState
from engine.playbooks.end_kinds import RunEnd
from engine.ports.model import Purpose
from engine.runs.skill_output import NextAction

SYNC: Final = "sync"
"""What tests call the system of record that a playbook's `sync` names."""

MOST_STEPS = 200
MOST_TESTS = 500

Fault = Literal["fails", "slow", "lost answer", "refuses"]
Scalar = str | int | float | bool


def _as_list(given: Any) -> Any:
    # What passes through here is no JSON any more, where lists stand for tuples.
    return tuple(given) if isinstance(given, list | tuple) else (given,)


def _without_zone(text: str) -> str:
    try:
        has_zone = datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        has_zone = True
    if has_zone:
        raise ValueError("should be a day and a time without a zone, as in 2026-03-02T09:00")
    return text


def _as_text(given: Any) -> Any:
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    return str(given) if is_number else given


_Written = BeforeValidator(_as_text, json_schema_input_type=str | int | float)
_Text = Annotated[str, Key(min_length=1, max_length=2000), _Written]
Texts = Annotated[
    tuple[_Text, ...],
    Key(max_length=50),
    BeforeValidator(_as_list, json_schema_input_type=_Text | tuple[_Text, ...]),
]
"""One text or several."""

Names = Annotated[
    tuple[str, ...],
    Key(max_length=100),
    BeforeValidator(_as_list, json_schema_input_type=str | tuple[str, ...]),
]
"""One name or several."""

Numbers = Annotated[
    tuple[float, ...],
    Key(max_length=50),
    BeforeValidator(_as_list, json_schema_input_type=float | tuple[float, ...]),
]
"""One number or several."""

_NumbersOf = Annotated[
    dict[Annotated[str, Key(min_length=1, max_length=100, pattern=r"\S")], Numbers],
    Key(max_length=50),
]

Moment = Annotated[str, AfterValidator(_without_zone), Key(max_length=32)]
"""A day and a time by the folder's clocks."""

_Call = str | dict[str, dict[str, JsonValue]]
Calls = Annotated[
    tuple[_Call, ...],
    Key(max_length=50),
    BeforeValidator(_as_list, json_schema_input_type=_Call | tuple[_Call, ...]),
]
"""Tools by name, or with arguments that they have to have."""


class _WithShortForm(Frozen):
    """What a file may also write in a short form: one of the schemas `SHORT`."""

    SHORT: ClassVar[tuple[JsonSchemaValue, ...]] = ({"type": "string"},)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """The schema of either form."""
        return {"anyOf": [*cls.SHORT, handler(schema)]}


class StubCase(Frozen):
    """What a tool does where it has the arguments `with`, at most `times`.

    It `gives` that, by columns; or there is a `fault`, and a system that `refuses` may say why; or
    the tool's own refusal of that number in `refused_when` holds, which may name what it `gives`,
    and is no `fault`.
    """

    with_: dict[str, JsonValue] = Key(default={}, alias="with")
    gives: JsonValue = None
    fault: Fault | None = None
    says: str = Key(default="", max_length=300)
    times: int | None = Key(default=None, ge=1, le=1000)
    refused_when: int | None = Key(default=None, ge=1, le=20)


def _as_read(given: Any) -> Any:
    return given


ToolStubs = Annotated[
    JsonValue,
    BeforeValidator(
        _as_read,
        json_schema_input_type=Fault
        | Literal["real"]
        | StubCase
        | tuple[StubCase, ...]
        | JsonValue,
    ),
]
"""What a tool gives, or its cases; `stub_cases.py` reads them by the tool's definition."""


class ModelLine(Frozen):
    """An answer of the scripted model: a `text`, an `output` as JSON, `calls` of tools, or a fault.

    With a `purpose`, it answers the next question in whose prompt that stands; with `for`, only
    what a model is asked for that: `answer` (questions), `route`, `skill`, `rules`, `plan`, `jobs`
    or `document`.
    """

    purpose: str = ""
    for_: Purpose = Key(default="", alias="for")
    text: str = ""
    output: dict[str, JsonValue] | None = None
    calls: tuple[dict[str, dict[str, JsonValue]], ...] = ()
    fault: Literal["away", "refuses"] | None = None


class ScenarioSetup(Frozen):
    """What a test begins with: the time, what each tool gives, what the model answers.

    With `connections: real`, tools that read and are not named ask their own systems. `strangers`
    are people of the test who are not in people.yaml. Conversations belong to the `project`, where
    one is named.
    """

    now: Moment | None = None
    tools: dict[str, ToolStubs] = {}
    model: tuple[ModelLine, ...] | Literal["real"] | None = None
    connections: Literal["stubbed", "real"] = "stubbed"
    project: ProjectName = ""
    strangers: Names = ()

    def over(self, shared: "ScenarioSetup") -> "ScenarioSetup":
        """This, and what the file gives to all its tests where this says nothing of it."""
        said = {name: getattr(self, name) for name in self.model_fields_set}
        tools = {**shared.tools, **self.tools}
        return shared.model_copy(update={**said, "tools": tools})


class FileContent(Frozen):
    """A file that somebody shares: its name, and what is in it, or where it lies (`path`).

    The path begins beside the file of tests.
    """

    name: str = Key(min_length=1, max_length=120, pattern=r"^[^/\\]+$")
    text: str = Key(default="", max_length=200_000)
    path: str = ""


class PersonAction(_WithShortForm):
    """What a person does: says something, shares files, taps a button, or fills in a form.

    `reason` and `values` go with a tap. `card` is in the title of the card that is meant, else it
    is the newest one that has such a button. It is done in a room that all read, `in`, or in the
    person's own.
    """

    says: Annotated[str, Key(max_length=8000), _Written] | None = None
    shares: Annotated[
        tuple[FileContent, ...] | None,
        BeforeValidator(
            lambda v: v and _as_list(v),
            json_schema_input_type=FileContent | tuple[FileContent, ...] | None,
        ),
    ] = None
    tap: _Text | None = None
    reason: _Text | None = None
    values: dict[str, Scalar | FileContent] = {}
    fill: dict[str, Scalar | FileContent] | None = None
    card: str = ""
    room: str = Key(default="", alias="in", pattern=r"^([a-z0-9-]{1,32})?$")

    @property
    def files(self) -> tuple[FileContent, ...]:
        """Every file in it."""
        filled = [*self.values.values(), *(self.fill or {}).values()]
        return (*(self.shares or ()), *(each for each in filled if isinstance(each, FileContent)))

    @model_validator(mode="before")
    @classmethod
    def _read_text(cls, given: Any) -> Any:
        return {"says": given} if isinstance(given, str | int | float) else given

    @model_validator(mode="after")
    def _check(self) -> Self:
        talks = self.says is not None or self.shares is not None
        if [talks, self.tap is not None, self.fill is not None].count(True) != 1:
            raise ValueError("should have one of `says` (or `shares`), `tap` and `fill`")
        if self.tap is None and (self.reason is not None or self.values):
            raise ValueError("`reason` and `values` go with `tap`")
        return self


class ProgramCall(Frozen):
    """What a program does: it calls a skill over the internal API, and sends that body."""

    calls: str = Key(min_length=1)
    sends: dict[str, JsonValue] = {}


class RecordChange(Frozen):
    """What a system of record says has changed in a case there (docs/sync.md): `sends` is the body.

    Its `playbook` and `project` are those of the test, where it does not say them. A second one
    with the same `key` is a repeat.
    """

    sends: dict[str, JsonValue]
    key: str = Key(default="", max_length=200)


ReplyKind = Literal["asked"] | PartState


class ExpectedReply(_WithShortForm):
    """What somebody is answered: that it `contains` and `lacks` texts, and `is` of a kind.

    Each of the `numbers` stands in it, however it is written: 1200 as 1,200, 0.5 as .50. So do
    those in `about`, each stated of its name: P003 with [61.2]. A name without any tells what is
    stated of it apart. With `no_other_numbers` no further one does, but in dates and names.
    """

    SHORT = ({"type": "string"}, {"type": "array", "items": {"type": "string"}})

    contains: Texts = ()
    lacks: Texts = ()
    numbers: Numbers = ()
    about: _NumbersOf = {}
    no_other_numbers: bool = False
    is_: ReplyKind | None = Key(default=None, alias="is")

    @model_validator(mode="before")
    @classmethod
    def _read_texts(cls, given: Any) -> Any:
        is_short = isinstance(given, str | int | float | list)
        return {"contains": _as_list(given)} if is_short else given

    @property
    def every_number(self) -> tuple[float, ...]:
        """The numbers that stand in it, whatever they are about."""
        return (*self.numbers, *(each for numbers in self.about.values() for each in numbers))


class ExpectedCard(Frozen):
    """A card that asks: of a kind, of these people (all of them), with these values and buttons.

    Each of the `numbers` stands below its title, however it is written.
    """

    kind: CardKind | None = None
    title: str = ""
    to: Names | None = None
    values: dict[str, Scalar | None] = {}
    options: Names = ()
    contains: Texts = ()
    numbers: Numbers = ()
    problems: Texts = ()


AnswerKind = NextAction | RefusalWord | Literal["invalid"]


class ExpectedAnswer(_WithShortForm):
    """What a program is answered: what `is` next, or the word of the refusal.

    It `sets` these values in the state, by path, null for none, and `asks` for exactly these.
    """

    is_: AnswerKind | None = Key(default=None, alias="is")
    sets: dict[str, JsonValue] = {}
    asks: Names | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_text(cls, given: Any) -> Any:
        return {"is": given} if isinstance(given, str) else given


class Expectation(_WithShortForm):
    """What has happened once the service has come to rest after a step.

    `called` are tools in that order; a write that is not among them was not to be. `told` are
    people who were shown something, `not_told` some who were not. `refused` is what whoever acts is
    told when their tap or form does not count, and a system of record of its change.
    """

    SHORT = ({"const": "nothing"},)

    reply: ExpectedReply | None = None
    answer: ExpectedAnswer | None = None
    card: ExpectedCard | None = None
    form: Names | None = None
    votes: Annotated[str, Key(pattern=r"^[0-9]+ of [0-9]+$")] | None = None
    end: RunEnd | None = None
    told: Names = ()
    not_told: Names = ()
    reminded: Names | None = None
    escalated: Names | None = None
    called: Calls | None = None
    not_called: Names = ()
    state: dict[str, JsonValue] = {}
    refused: bool | Texts = False
    problems: Texts = ()
    nothing: bool = False

    @model_validator(mode="before")
    @classmethod
    def _read_nothing(cls, given: Any) -> Any:
        return {"nothing": True} if given == "nothing" else given

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.nothing and len(self.model_fields_set) > 1:
            raise ValueError("`nothing` does not go together with other keys")
        return self


class WrittenStep(BaseModel):
    """A step as files have it: a person's id and what they do, or `after` and how much time passes.

    `program` is what a program does, `system` what the system of record says. What is expected then
    stands in `expect`. `scenario.py` reads it, with the names of the folder.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, PersonAction]

    after: Written | int | None = None
    program: ProgramCall | None = None
    system: RecordChange | None = None
    expect: Expectation | None = None


_Step = Annotated[
    dict[str, JsonValue], BeforeValidator(_as_read, json_schema_input_type=WrittenStep)
]


class ScenarioHead(Frozen):
    """A test of a file: its name, what is `given`, and its `steps`, which are read one by one."""

    test: str = Key(min_length=1, max_length=200)
    given: ScenarioSetup = ScenarioSetup()
    steps: tuple[_Step, ...] = Key(min_length=1, max_length=MOST_STEPS)


_Test = Annotated[
    dict[str, JsonValue], BeforeValidator(_as_read, json_schema_input_type=ScenarioHead)
]


class ScenarioFile(Frozen):
    """A file of tests: what is `given` to all of them, and each of the `tests`."""

    given: ScenarioSetup = ScenarioSetup()
    tests: tuple[_Test, ...] = Key(min_length=1, max_length=MOST_TESTS)
