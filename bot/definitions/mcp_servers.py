"""The file of MCP servers that SIGNOFF_MCP names: checked, with secrets filled in."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints

from adapters.filesystem import read_text
from bot.settings import read_environment
from cards.frozen import Frozen
from engine.errors import DefinitionError
from engine.ports.systems.remote_tools import Http, Server, Stdio
from engine.yaml.source import Problems, Source, read_yaml, try_build

_REFERENCE = re.compile(r"\$(?:\$|([A-Za-z_][A-Za-z0-9_]*))?")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,31}$")]
Text = Annotated[str, StringConstraints(min_length=1)]


class ServerEntry(Frozen):
    """One server: a command to start, or the address of a streamable HTTP endpoint."""

    name: Name
    command: Text | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    url: Text | None = None
    headers: dict[str, str] = {}
    readonly: tuple[Text, ...] = ()
    only: tuple[Text, ...] = ()
    timeout_s: float = Field(10, gt=0, le=300)
    roles: tuple[Text, ...] = ()


class ServersFile(Frozen):
    """The content of the file."""

    servers: tuple[ServerEntry, ...]


def load_servers(path: Path | None, roles: Collection[str] | None) -> tuple[Server, ...]:
    """The servers, none without a file; roles are checked where they are known.

    Raises DefinitionError with every problem of the file.
    """
    if path is None:
        return ()
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"SIGNOFF_MCP: {path} cannot be read: {error}") from error
    source = read_yaml(text, file=str(path))
    problems = Problems()
    file = try_build(ServersFile, source, problems)
    entries = file.servers if file else ()
    reader = _ServerReader(source, problems, read_environment())
    names: set[str] = set()
    servers = []
    for index, entry in enumerate(entries):
        if entry.name in names:
            problems.add(source.problem(("servers", index, "name"), "stands twice"))
        names.add(entry.name)
        reader.check_roles(entry, index, roles)
        servers.append(reader.server(entry, index))
    problems.raise_if_any()
    return tuple(servers)


class _ServerReader:
    """Turns entries into servers, and adds what is wrong with them to `problems`."""

    def __init__(
        self, source: Source, problems: Problems, variables: Mapping[str, str | None]
    ) -> None:
        self._source = source
        self._problems = problems
        self._variables = variables

    def server(self, entry: ServerEntry, index: int) -> Server:
        if (entry.command is None) == (entry.url is None):
            self._add_problem((index,), "should have either a command or a url")
        foreign = ("headers",) if entry.url is None else ("args", "env")
        for key in foreign:
            if getattr(entry, key):
                self._add_problem((index, key), "does not go together with the other keys here")
        return Server(
            name=entry.name,
            at=self._http(entry, index) if entry.url else self._stdio(entry, index),
            readonly=frozenset(entry.readonly),
            only=frozenset(entry.only),
            timeout_s=entry.timeout_s,
            roles=entry.roles,
        )

    def check_roles(self, entry: ServerEntry, index: int, roles: Collection[str] | None) -> None:
        for position, role in enumerate(entry.roles):
            if roles is not None and role not in roles:
                self._add_problem((index, "roles", position), f"there is no role {role!r}")

    def _stdio(self, entry: ServerEntry, index: int) -> Stdio:
        for key in entry.env:
            if not key or "=" in key:
                self._add_problem((index, "env", key), f"{key!r} cannot be the name of a variable")
        return Stdio(entry.command or "", entry.args, self._substitute(entry.env, index, "env"))

    def _http(self, entry: ServerEntry, index: int) -> Http:
        url = entry.url or ""
        try:
            parts = urlsplit(url)
            good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            good = False
        if not good or not url.isascii() or not url.isprintable() or " " in url:
            self._add_problem((index, "url"), "should be an http:// or https:// address")
        headers = self._substitute(entry.headers, index, "headers")
        for key, value in headers.items():
            if not _HEADER.fullmatch(key) or not (value.isascii() and value.isprintable()):
                self._add_problem((index, "headers", key), "cannot be sent as a header")
        return Http(url, headers)

    def _substitute(self, values: Mapping[str, str], index: int, where: str) -> dict[str, str]:
        """The values with each `$NAME` replaced by that variable, and `$$` by one `$`."""

        def fill(match: re.Match[str]) -> str:
            if match[0] == "$$":
                return "$"
            value = self._variables.get(match[1]) if match[1] else None
            if not match[1]:
                fault = "write $$ for a $ that begins no variable's name"
                self._add_problem((index, where, key), fault)
            elif not value:
                self._add_problem((index, where, key), f"there is no variable {match[1]}")
            return value or ""

        substituted = {}
        for key, value in values.items():
            substituted[key] = _REFERENCE.sub(fill, value)
        return substituted

    def _add_problem(self, path: tuple[str | int, ...], message: str) -> None:
        self._problems.add(self._source.problem(("servers", *path), message))
