"""A project folder as tests see it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from bot.definitions.loader import Definitions, load_definitions, try_load_people
from bot.definitions.snapshot import Snapshot, make_snapshot
from bot.people.directory import Directory
from bot.people.file import Person
from bot.people.roster import PeopleSource
from bot.settings import Settings, read_environment
from bot.testing.harness.stubs import StubbedSystems, StubbedToolbox
from bot.wiring.connections import load_connections
from engine.yaml.source import Problems

PLATFORM: Final = "web"
WORKSPACE: Final = "local"


@dataclass(frozen=True, slots=True)
class PlayedFolder:
    """Its definitions, over tools that tests answer, and its people, each with a room."""

    settings: Settings
    definitions: Definitions
    snapshot: Snapshot
    systems: StubbedSystems
    people: Mapping[str, Person]
    labels: Mapping[str, frozenset[str]]
    """What people read for each field, argument and column, by its name."""

    def account(self, person: str) -> str:
        """What somebody is called in the chat; whoever is not in people.yaml, by their own name."""
        known = self.people.get(person)
        return known.web if known else person

    def place(self, person: str, room: str = "") -> str:
        """Where a person talks: a shared room, or else their own."""
        rules = self.definitions.people.rules[PLATFORM]
        if room:
            return rules.account_id(room)
        return rules.home(self.account(person), self.settings.platforms[PLATFORM].places)


def load_folder(settings: Settings, data: Path) -> PlayedFolder:
    """The folder that these settings name, with `data` in place of what it keeps.

    Raises DefinitionError with every problem of it.
    """
    # The others are off, and their accounts stay what people.yaml may list.
    platforms = {name: type(each)() for name, each in settings.platforms.items()}
    web = settings.platforms[PLATFORM].model_copy(update={"webchat": True, "web_login": "link"})
    settings = settings.model_copy(
        update={
            "platforms": {**platforms, PLATFORM: web},
            "data_dir": data,
            "streaming": False,
            "mcp": None,
            "otlp_endpoint": None,
            "partitions": 1,
            "allow_unsafe_redis": True,
            "messages_per_min": 1_000_000,
            # Nothing is sent, and what comes is signed with it.
            "sync_secret": settings.sync_secret or SecretStr("stands-in"),
        }
    )
    problems = Problems()
    people = try_load_people(settings, problems)
    problems.raise_if_any()
    assert people is not None
    systems = StubbedSystems()
    connections = load_connections(settings, _AnySecret(read_environment()))
    toolbox = StubbedToolbox(connections.toolbox, systems)
    definitions = load_definitions(settings, toolbox, _with_accounts(people))
    persons = {person.id: person for person in definitions.people.people}
    # The router learns it once for all tests.
    snapshot = make_snapshot(definitions)
    return PlayedFolder(settings, definitions, snapshot, systems, persons, _labels(definitions))


class _AnySecret(dict[str, str | None]):
    """An environment in which every secret is set: no system is asked by its own."""

    def get(self, name: str, default: Any = None) -> Any:
        """What is set, or a stand-in."""
        return super().get(name) or "stands-in"


def _with_accounts(people: Directory) -> Directory:
    """Everybody can be reached in the chat of a test."""
    listed = tuple(
        person if person.web else person.model_copy(update={"web": person.id})
        for person in people.file.people
    )
    return replace(people, source=PeopleSource(people.file.model_copy(update={"people": listed})))


def _labels(definitions: Definitions) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for playbook in definitions.playbooks.values():
        file = playbook.definition
        leaves = [*file.data_fields.items(), *file.profile_fields.items()]
        for tool in playbook.tools.values():
            leaves += tool.arguments.items()
            for name, column in tool.columns.items():
                found.setdefault(name, set()).update(column.label.texts)
        for name, leaf in leaves:
            found.setdefault(name, set()).update(leaf.label.texts)
    return {name: frozenset(texts) for name, texts in found.items()}
