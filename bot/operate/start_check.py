"""What is checked before a service starts, without what only `signoff validate` needs."""

from pathlib import Path

from bot.definitions.loader import load_definitions
from bot.definitions.mcp_servers import load_servers
from bot.settings import Settings
from bot.wiring.connections import load_connections
from engine.errors import DefinitionError
from engine.toolbox.toolbox import Toolbox
from engine.yaml.source import Problems


def check_definitions(settings: Settings) -> None:
    """Raises DefinitionError with every problem that a process would find."""
    problems = Problems()
    roles: tuple[str, ...] | None = None
    elsewhere = Problems()
    toolbox = try_load_toolbox(settings, None, elsewhere)
    try:
        roles = load_definitions(settings, toolbox).people.roles
    except DefinitionError as error:
        problems.extend(error.problems)
    problems.extend(elsewhere)
    problems.extend(server_faults(settings.mcp, roles))
    problems.raise_if_any()


def try_load_toolbox(settings: Settings, folder: Path | None, problems: Problems) -> Toolbox:
    """The toolbox of the settings, or of another playbooks folder."""
    if folder is not None and settings.connections is None:
        settings = settings.model_copy(update={"playbooks": folder})
    try:
        return load_connections(settings).toolbox
    except DefinitionError as error:
        problems.extend(error.problems)
        return Toolbox(are_known=False)


def server_faults(mcp: Path | None, roles: tuple[str, ...] | None) -> list[str]:
    """The problems of the file of MCP servers."""
    try:
        load_servers(mcp, roles)
    except DefinitionError as error:
        return list(error.problems)
    return []
