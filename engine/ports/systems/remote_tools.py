"""Tools of outside servers, which come and go with their servers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Stdio:
    """A child process of ours; of our own environment it sees no more than PATH and the like."""

    command: str
    args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Http:
    """A streamable HTTP endpoint."""

    url: str = field(repr=False)
    headers: dict[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Server:
    """An outside server and how it is reached; secrets are in place and never shown.

    `readonly` are tools that the operator vouches for: they change nothing.
    With `only`, no other tool is offered. `name` holds letters, digits and dashes only, so that
    the names of two servers' tools differ.
    """

    name: str
    at: Stdio | Http
    readonly: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()
    timeout_s: float = 10
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RemoteTool:
    """A tool that an outside server offers and that changes nothing there.

    `name` is unique, none of ours, and fit for chat completions; `description` and the JSON
    schema of the arguments are the server's words: data, cut and cleaned.
    """

    name: str
    server: str
    description: str
    schema: Mapping[str, Any]
    timeout_s: float
    roles: tuple[str, ...] = ()


class RemoteTools(Protocol):
    """The read-only tools of every outside server that answers at the moment."""

    def tools(self) -> tuple[RemoteTool, ...]:
        """What is offered now; the same object for as long as nothing changes."""
        ...

    async def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The result, JSON-able and of bounded size, for arguments that are checked first.

        Raises ToolRetry for wrong arguments, else ToolFailed, also when the server is away.
        """
        ...
