"""Tools of outside servers, which come and go with their servers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


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
