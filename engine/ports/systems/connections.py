"""Systems outside that tools read from and write to (design §11)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from pydantic import JsonValue


class BadCall(ValueError):
    """A call of a project folder is wrong; `problems` has a sentence for each fault."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class CallRequest:
    """What a tool says of its call: `body` as its file has it, and which `arguments` it has.

    It may name them and what is in `context`, which every call has. `result` is whether `one`,
    `many` or a `text` is expected. `parts` are the names of the parts of each argument that has
    several, none of one that is a list.
    """

    body: Mapping[str, Any]
    arguments: frozenset[str]
    writes: bool
    result: str
    context: frozenset[str] = frozenset()
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """Whatever the call may name."""
        return self.arguments | self.context


@dataclass(frozen=True, slots=True)
class CallShape:
    """What a system itself says of a call: the JSON schema of its arguments, in its own words."""

    schema: Mapping[str, Any]
    writes: bool
    description: str = ""


class PreparedCall(Protocol):
    """A call that was checked when its file was loaded."""

    @property
    def keyed(self) -> bool:
        """Whether a write may be repeated with the same key, and then counts once."""
        ...

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        """What the system answers to these values of the arguments, of bounded size.

        `key` is a write's idempotency key. Raises ToolRetry for values that the system refuses,
        ToolUnsure for a write whose answer is lost, else ToolFailed.
        """
        ...


@runtime_checkable
class PinnedCall(PreparedCall, Protocol):
    """A call of a system that may change at any time what it takes.

    An approval of a write holds for the schema that was there when people were asked.
    """

    async def schema_digest(self) -> str:
        """The digest of what the system says it takes, asked for now. Raises ToolFailed."""
        ...


@runtime_checkable
class TriedCall(PreparedCall, Protocol):
    """A call that its system can look at without carrying it out."""

    async def find_fault(self) -> str:
        """What the system says against it, whatever the values; "" where it takes it.

        Raises ToolFailed where the system does not answer.
        """
        ...


@runtime_checkable
class NamedColumnsCall(PreparedCall, Protocol):
    """A call that says itself what the rows have that it finds."""

    @property
    def columns(self) -> Collection[str] | None:
        """The names of what a row has; None where only the system knows."""
        ...


class Connection(Protocol):
    """One system, by the name that `connections.yaml` gives it."""

    @property
    def name(self) -> str:
        """What tools call it."""
        ...

    def shape(self, body: Mapping[str, Any]) -> CallShape | None:
        """What the system says of the call; None where the file has to say it. Raises BadCall."""
        ...

    def prepare(self, request: CallRequest) -> PreparedCall:
        """The call, ready to be made. Raises BadCall; asks the system nothing."""
        ...

    async def probe(self) -> Sequence[str]:
        """What is wrong with the connection now, a sentence each; nothing where it works."""
        ...

    async def close(self) -> None:
        """Makes no call from now on."""
        ...
