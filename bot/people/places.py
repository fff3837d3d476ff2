"""How people call the place of a conversation."""

from cards.markdown import literal
from cards.model import Lang
from cards.moments import READER
from cards.texts import say
from engine.ports.web_rooms import is_own


def own_zone(place: str) -> str:
    """`READER` where that place or platform shows times by each reader's own clock, else ""."""
    return READER if place.partition(":")[0] == "web" else ""


def place_of(conversation: str, lang: Lang) -> str:
    """The platform, and the room where it is one that others may enter."""
    platform, _, rest = conversation.partition(":")
    room = rest.rpartition(":")[2]
    if platform == "web" and is_own(room):
        return say("web.own_place", lang)
    return say(f"place.{platform}", lang, name=literal(room))
