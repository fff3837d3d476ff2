"""The connections of a project folder: `connections.yaml` becomes systems that tools can call."""

import asyncio
import difflib
import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, SecretStr

from adapters.breaker import Breaker
from adapters.connections.guard import GuardedConnection
from adapters.filesystem import read_text
from bot.settings import Settings, read_environment
from bot.wiring.packages import load_package_tools
from engine.errors import DefinitionError
from engine.ports.meter import Meter
from engine.ports.storage.model_numbers import BreakerState
from engine.ports.systems.connections import BadCall, Connection
from engine.toolbox.toolbox import Toolbox
from engine.tools import registry
from engine.tools.model import Tool
from engine.yaml.source import Problems, Source, read_yaml, try_build

if TYPE_CHECKING:
    from adapters.connections.http.model import HttpSettings
    from adapters.connections.mcp.model import McpSettings
    from adapters.connections.openapi.model import OpenApiSettings
    from adapters.connections.redcap.model import RedcapSettings
    from adapters.connections.sheet.model import SheetSettings
    from adapters.connections.sql.model import SqlSettings

CONNECTIONS_FILE = "connections.yaml"
_NO_CONNECTIONS = "connections"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")


_Models = tuple[type[BaseModel], type[BaseModel]]
"""Of a kind's settings and of its calls."""


@dataclass(frozen=True, slots=True)
class ConnectionKind:
    """What files say of a kind of connection and its calls, and how one is made.

    That raises BadCall. With `has_document` a file beside it says what its calls take.
    """

    models: Callable[[], _Models]
    open: Callable[[str, Any, "Places"], Connection]
    has_document: bool = False

    @property
    def settings(self) -> type[BaseModel]:
        """What the connections' file says of one."""
        return self.models()[0]

    @property
    def call(self) -> type[BaseModel]:
        """What a tool's file says of a call."""
        return self.models()[1]


@dataclass(frozen=True, slots=True)
class Places:
    """The folder of the connections' file, and the one of the service's data."""

    folder: Path
    data: Path


# Only a service with such a connection loads its room, and the client of its system.


def _http_models() -> _Models:
    from adapters.connections.http.model import HttpCall, HttpSettings

    return HttpSettings, HttpCall


def _open_http(name: str, settings: "HttpSettings", _: Places) -> Connection:
    from adapters.connections.http.connection import HttpConnection

    return HttpConnection(name, settings)


def _mcp_models() -> _Models:
    from adapters.connections.mcp.model import McpCall, McpSettings

    return McpSettings, McpCall


def _open_mcp(name: str, settings: "McpSettings", _: Places) -> Connection:
    from adapters.connections.mcp.connection import McpConnection

    return McpConnection(name, settings)


def _sql_models() -> _Models:
    from adapters.connections.sql.model import SqlCall, SqlSettings

    return SqlSettings, SqlCall


def _open_sql(name: str, settings: "SqlSettings", at: Places) -> Connection:
    if settings.file is not None:
        from adapters.connections.sql.sqlite import SqliteConnection

        return SqliteConnection(name, settings, at.folder, at.data)
    from adapters.connections.sql.postgresql import PostgresqlConnection

    return PostgresqlConnection(name, settings)


def _redcap_models() -> _Models:
    from adapters.connections.redcap.model import RedcapCall, RedcapSettings

    return RedcapSettings, RedcapCall


def _open_redcap(name: str, settings: "RedcapSettings", _: Places) -> Connection:
    from adapters.connections.redcap.connection import RedcapConnection

    return RedcapConnection(name, settings)


def _sheet_models() -> _Models:
    from adapters.connections.sheet.model import SheetCall, SheetSettings

    return SheetSettings, SheetCall


def _open_sheet(name: str, settings: "SheetSettings", at: Places) -> Connection:
    from adapters.connections.sheet.connection import SheetConnection

    return SheetConnection(name, settings, at.folder)


def _openapi_models() -> _Models:
    from adapters.connections.openapi.model import OpenApiCall, OpenApiSettings

    return OpenApiSettings, OpenApiCall


def _open_openapi(name: str, settings: "OpenApiSettings", at: Places) -> Connection:
    from adapters.connections.openapi.connection import OpenApiConnection

    return OpenApiConnection(name, settings, at.folder)


KINDS: Mapping[str, ConnectionKind] = {
    "http": ConnectionKind(_http_models, _open_http),
    "openapi": ConnectionKind(_openapi_models, _open_openapi, has_document=True),
    "mcp": ConnectionKind(_mcp_models, _open_mcp),
    "sql": ConnectionKind(_sql_models, _open_sql),
    "redcap": ConnectionKind(_redcap_models, _open_redcap),
    "sheet": ConnectionKind(_sheet_models, _open_sheet),
}
"""A kind of connection is a room of adapters/connections and a line here."""

_Opened = tuple[ConnectionKind, BaseModel, Connection]
"""Of a connection: its kind, what the file says of it, and itself."""


@dataclass(frozen=True, slots=True)
class Connections:
    """The connections of a project folder by name, and every secret that they use.

    What was loaded by others of the same `key` would be loaded by these alike.
    """

    by_name: Mapping[str, Connection] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    own: tuple[Tool[Any], ...] | None = None
    key: Hashable = None

    @property
    def toolbox(self) -> Toolbox:
        """The service's own tools and those over these connections."""
        return Toolbox(self.by_name, self.own, connections_key=self.key)

    def guard(
        self,
        meter: Meter,
        changed: Callable[[str, BreakerState], None],
        arm: Callable[[Connection], Connection],
    ) -> "GuardedConnections":
        """The same, each of which costs nobody anything while its system is away.

        `changed` hears of a connection that is left alone, or asked again. Failpoints `arm` them.
        """
        guarded = {
            name: GuardedConnection(arm(each), Breaker(_now, partial(changed, name)), meter)
            for name, each in self.by_name.items()
        }
        return GuardedConnections(guarded, self.own)


@dataclass(frozen=True, slots=True)
class GuardedConnections:
    """The connections of a running service."""

    by_name: Mapping[str, GuardedConnection]
    own: tuple[Tool[Any], ...] | None = None

    @property
    def toolbox(self) -> Toolbox:
        """The service's own tools and those over these connections."""
        return Toolbox(self.by_name, self.own)

    async def close(self) -> None:
        """Make no call from now on."""
        for each in self.by_name.values():
            await each.close()


def connections_file(settings: Settings) -> Path:
    """The file of the connections; without a setting there need not be one."""
    return settings.connections or settings.playbooks / CONNECTIONS_FILE


def load_connections(
    settings: Settings, environment: Mapping[str, str | None] | None = None
) -> Connections:
    """The connections that the settings' file names, none without a file; asks no system.

    Secrets are looked up in the `environment`, without one in that of the process. Raises
    DefinitionError with every problem of the file.
    """
    path = connections_file(settings)
    try:
        text = read_text(path)
    except FileNotFoundError:
        if settings.connections is None:
            return Connections(own=_own_tools(), key=_NO_CONNECTIONS)
        raise DefinitionError(f"SIGNOFF_CONNECTIONS: there is no file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{path}:1: cannot be read: {error}") from error
    problems = Problems()
    source = read_yaml(text, file=str(path))
    if environment is None:
        environment = read_environment()
    found = _read(source, Places(path.parent, settings.data_dir), problems, environment)
    problems.raise_if_any()
    secrets = tuple(secret for _, given, _ in found.values() for secret in _secrets_of(given))
    by_name = {name: connection for name, (_, _, connection) in found.items()}
    return Connections(by_name, secrets, _own_tools(), _key_of(found))


def _key_of(found: Mapping[str, _Opened]) -> Hashable:
    if any(kind.has_document for kind, _, _ in found.values()):
        return None
    return _NO_CONNECTIONS, *((name, repr(given)) for name, (_, given, _) in found.items())


def _own_tools() -> tuple[Tool[Any], ...]:
    """The service's own tools and those of packages."""
    return (*registry.TOOLS, *load_package_tools({tool.name for tool in registry.TOOLS}))


def _now() -> float:
    return asyncio.get_running_loop().time()


def _read(
    source: Source, at: Places, problems: Problems, environment: Mapping[str, str | None]
) -> dict[str, _Opened]:
    data = source.data if source.data is not None else {}
    if not isinstance(data, dict):
        problems.add(source.problem((), "should be a mapping from names to connections"))
        return {}
    context = {"environment": environment}
    found: dict[str, _Opened] = {}
    for name, given in data.items():
        if not _NAME.fullmatch(name):
            fault = "should be a name of lower-case letters, digits, _ and -, at most 32"
            problems.add(source.problem((name,), fault))
        kind = KINDS.get(str(given.get("kind"))) if isinstance(given, dict) else None
        if kind is None:
            written = str(given.get("kind")) if isinstance(given, dict) else ""
            near = difflib.get_close_matches(written, KINDS, n=1)
            fault = f"should be one of {', '.join(KINDS)}"
            fault += f"; did you mean {near[0]!r}?" if near else ""
            problems.add(source.problem((name, "kind"), fault))
            continue
        built = try_build(kind.settings, source, problems, at=(name,), context=context)
        if built is None:
            continue
        try:
            found[name] = (kind, built, kind.open(name, built, at))
        except BadCall as error:
            for fault in error.problems:
                key, _, message = fault.partition(": ")
                problems.add(source.problem((name, key), message))
    return found


def _secrets_of(value: Any) -> Iterator[str]:
    match value:
        case SecretStr():
            yield value.get_secret_value()
        case BaseModel():
            for name in type(value).model_fields:
                yield from _secrets_of(getattr(value, name))
        case Mapping():
            for each in value.values():
                yield from _secrets_of(each)
        case tuple() | list():
            for each in value:
                yield from _secrets_of(each)
