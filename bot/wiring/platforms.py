"""The platforms that there are, one line each in `PLATFORMS`, and the settings of all (design §9).

Every command loads this, so that what opens connections stands in `bot/wiring/contexts.py`.
"""

from typing import Any

from adapters.platform_room import PlatformRoom
from adapters.slack.room import SLACK
from adapters.telegram.room import TELEGRAM
from adapters.webchat.room import WEBCHAT
from bot.settings import Settings, read_settings

PLATFORMS: dict[str, PlatformRoom[Any]] = {
    "web": WEBCHAT,
    "slack": SLACK,
    "telegram": TELEGRAM,
}


def load_settings() -> Settings:
    """The settings of this process; DefinitionError with a line for each wrong variable."""
    return read_settings([room.settings for room in PLATFORMS.values()])
