"""Which servers there are and how each is reached; secrets are in place and never shown."""

from dataclasses import dataclass, field


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
    """An outside server; `readonly` are tools that the operator vouches for: they change nothing.

    With `only`, no other tool is offered. `name` holds letters, digits and dashes only, so that
    the names of two servers' tools differ.
    """

    name: str
    at: Stdio | Http
    readonly: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()
    timeout_s: float = 10
    roles: tuple[str, ...] = ()
