"""Settings as a deployment has them: those of the service, and of each platform there is."""

from pathlib import Path
from typing import Any

from bot.people.directory import Directory
from bot.people.directory import load_people as _load_people
from bot.settings import Settings
from bot.wiring.platforms import PLATFORMS
from engine.ports.settings import PlatformSettings


def make_settings(**given: Any) -> Settings:
    """Settings of these values by name; a platform's begin with its name, as `slack_bot_token`."""
    platforms = {name: _of(room.settings, given) for name, room in PLATFORMS.items()}
    unknown = given.keys() - Settings.model_fields.keys()
    assert not unknown, f"no such settings: {unknown}"
    return Settings(platforms=platforms, **given)


def _of(kind: type[PlatformSettings], given: dict[str, Any]) -> PlatformSettings:
    platform = kind.platform
    names = {
        field if field.startswith(platform) else f"{platform}_{field}": field
        for field in kind.model_fields
    }
    return kind(**{names[name]: given.pop(name) for name in [*given] if name in names})


def load_people(path: Path) -> Directory:
    """The directory of a people.yaml, with the accounts of each platform there is."""
    rules = {name: room.settings.accounts for name, room in PLATFORMS.items()}
    return _load_people(path, rules)


def variables() -> dict[str, str]:
    """The variable of every setting, by the setting's name as `make_settings` takes it."""
    found = Settings.variables()
    for platform, room in PLATFORMS.items():
        for name, env in room.settings.variables().items():
            found[name if name.startswith(platform) else f"{platform}_{name}"] = env
    return found
