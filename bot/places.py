"""How people call the place of a conversation."""

from adapters.webchat.rooms import is_own
from cards.markdown import literal
from cards.model import Lang
from cards.texts import say


def place_of(conversation: str, lang: Lang) -> str:
    """The platform, and the room where it is one that others may enter."""
    platform, _, rest = conversation.partition(":")
    room = rest.rpartition(":")[2]
    if platform == "web" and is_own(room):
        return say("web.own_place", lang)
    return say(f"place.{platform}", lang, name=literal(room))
