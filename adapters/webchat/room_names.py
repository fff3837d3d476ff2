"""Names of rooms of the web chat, which say whose a room is."""

import re
from hashlib import blake2b

WORKSPACE = "local"
_OWN = re.compile(r"(?:my-([0-9a-f]{12})-[0-9a-z]{1,16}|home-([0-9a-f]{12}))\Z")


def conversation_of(room: str) -> str:
    """The id of a room's conversation."""
    return f"web:{WORKSPACE}:{room}"


def own_room_prefix(person: str) -> str:
    """Return what the names of a person's own rooms begin with; letters and digits follow."""
    return f"my-{_mark(person)}-"


def home_room(person: str) -> str:
    """Return the person's own room for messages from elsewhere."""
    return f"home-{_mark(person)}"


def is_own(room: str) -> bool:
    """Whether the room is one person's; all other rooms are shared."""
    return _OWN.match(room) is not None


def may_enter(room: str, person: str) -> bool:
    """Whether this person may read and write there: a shared room, or one of theirs."""
    found = _OWN.match(room)
    return found is None or _mark(person) in found.groups()


def _mark(person: str) -> str:
    return blake2b(person.encode(), digest_size=6).hexdigest()
