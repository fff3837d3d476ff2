"""What a tool is: typed arguments, a read-only flag, and its result as text (spec 001 §5.2)."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from cards.model import Lang, Principal
from engine.ports.library import NO_LIBRARY, FileScope, Library
from engine.ports.meter import NO_METER, Meter
from engine.ports.projects import KEEPS_NONE, Projects
from engine.projects import NO_PROJECTS, ProjectBook
from engine.text.elements import ElementKind
from engine.text.entity_kinds import NO_ENTITIES, Entities

LOOKUP_KEYS = ("entity", "reads", "said", "option_words", "field_type", "currencies")
"""What an argument's `json_schema_extra` says for look-ups without a model: of which kind of entity
it names one; that it `reads` a `file`'s name, the `message` as it stands, or a `position` at which
a model reads on; words for it, and for its options, each as a pair of the option and the word. A
form goes by its `field_type`, and by the `currencies` of money."""

QUESTION_ROOM: Final = 2000
RUN_ROOM: Final = 10_000
"""How many characters of a tool's result a model is shown: for a question, and for a run's work."""

Args = TypeVar("Args", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a call may use: today's date, the moment, and for writes who approved it.

    `key` is the idempotency key of a write, "" for look-ups; `by` the approver's principal id,
    `approvers` those of all who approved it, that one last.
    `project`, `conversation` and `person` are where the question comes from; they bound what is
    read. `case` is the key of the run's case, "" without one. `entities` are what a text of theirs
    may name, `elements` the project's own kinds of what texts have in a certain form, `writing` the
    names of tools that write.
    `room` is how many characters of a result a model is shown, `known` what the run knows.
    `elsewhere` are files of other conversations that it knows, each with its conversation.
    `projects` say what serves the project, `kept_projects` keep those that are added, and `place()`
    is what would be bound to one. `shared_in` as in FileScope.
    """

    today: date
    key: str = ""
    by: str = ""
    approvers: tuple[str, ...] = ()
    project: str = ""
    case: str = ""
    conversation: str = ""
    person: Principal | None = None
    library: Library = NO_LIBRARY
    meter: Meter = NO_METER
    entities: Entities = NO_ENTITIES
    elements: tuple[ElementKind, ...] = ()
    writing: frozenset[str] = frozenset()
    room: int = QUESTION_ROOM
    known: Mapping[str, Any] = field(default_factory=dict)
    elsewhere: tuple[tuple[str, str], ...] = ()
    projects: ProjectBook = NO_PROJECTS
    shared_in: str = ""
    kept_projects: Projects = KEEPS_NONE
    place: Callable[[], str] = lambda: ""
    now: datetime | None = None

    def serves(self, playbook: str, own: str) -> bool:
        """Whether what is a playbook's serves the project; nothing does where none is known."""
        return bool(self.project) and self.projects.serves(self.project, playbook, own)

    @property
    def file_scope(self) -> FileScope:
        """Whose files it may look up."""
        return FileScope(self.project, self.conversation, self.elsewhere, self.shared_in)


@dataclass(frozen=True, slots=True)
class Tool(Generic[Args]):
    """A tool. `run` returns a JSON-able result and raises ToolError; `tell` makes it Markdown.

    `examples` are questions a person would ask, zh and en, for the router; `cues` are words that
    point to this tool, each with the arguments it implies (`{"overdue": {"state": "overdue"}}`).
    """

    name: str
    description: str
    arguments: type[Args]
    readonly: bool
    run: Callable[[Args, ToolContext], Awaitable[dict[str, Any]]]
    tell: Callable[[dict[str, Any], Lang], str]
    examples: tuple[str, ...] = ()
    cues: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    """What people call what it tells; such a word in a question needs no other explanation."""
    needs: tuple[str, ...] = ()
    """Entities that a look-up without the model must have found in the text."""
    rehearse: Callable[[Args, ToolContext], Awaitable[None]] | None = None
    """Of a write: raises the ToolFailed that `run` would raise on the data as it stands."""
    keyed: bool = False
    """Of a write: the same `context.key` writes once, so that it may be repeated by itself."""
    pin: Callable[[], Awaitable[str]] | None = None
    """Of a write whose system may change what it takes: the digest of that, asked for now. An
    approval holds for the one that was there when people were asked. Raises ToolFailed."""
    of_project: bool = False
    """Of a write: it is kept for the conversation's project, which the cards about it name."""
    timeout_s: float = 10
    """How long a call may take."""
    roles: tuple[str, ...] = ()
    """Roles of which the person must hold one to read with it; empty for everyone."""
    project: str = ""
    """The project that its playbook names; "" where it serves every one."""
    playbook: str = ""
    """The playbook whose own it is; "" for the service's, which serve every project."""
    is_answer: bool = False
    """Whether it is one answer of a playbook, which is no tool for a model, and of its project."""
    quotes: tuple[tuple[str, str], ...] = ()
    """Of an answer: the sections that it quotes, by document (`playbook/file`) and heading."""
    text: str = ""
    """Of an answer: what it always says, in whatever languages."""
    origin: str = ""
    """Where it comes from, for operators: a connection or a package; "" for the service's own."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Of a list of records: the type of each column, "" where it is not known; empty for any."""
    shape: str = ""
    """Of a result: `one` thing, `many` or a `text`; "" where it is not known."""
    for_questions: bool = True
    """Whether questions may use it, and not only runs."""

    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments as a model gets it.

        Titles, and what look-ups go by, are left out.
        """
        if self.arguments not in _SCHEMAS:
            _SCHEMAS[self.arguments] = self.arguments.model_json_schema()
        schema: dict[str, Any] = _without_marks(_SCHEMAS[self.arguments])
        return schema


_SCHEMAS: WeakKeyDictionary[type[BaseModel], dict[str, Any]] = WeakKeyDictionary()
"""Written once for each model of arguments: every call of a model offers it all tools anew."""


def _without_marks(schema: Any) -> Any:
    match schema:
        case dict():
            kept = {key: _without_marks(each) for key, each in schema.items()}
            # A title says the name of what it stands at once more.
            marks = [
                key for key in (*LOOKUP_KEYS, "title") if isinstance(kept.get(key), str | list)
            ]
            return {key: each for key, each in kept.items() if key not in marks}
        case list():
            return [_without_marks(each) for each in schema]
        case _:
            return schema
