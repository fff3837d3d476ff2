"""Settings as commands read them."""

from bot.settings import Settings


def load_settings() -> Settings:
    """The settings of this process; DefinitionError with a line for each wrong variable."""
    # Rooms of platforms are loaded only by commands that do something.
    from bot.wiring import platforms

    return platforms.load_settings()
