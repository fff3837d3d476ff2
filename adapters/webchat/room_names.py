"""Whose a room of the web chat is: its name says so, and nothing has to be looked up."""

import re
from hashlib import blake2b

WORKSPACE = "local"
_OWN = re.compile(r"(?:my-([0-9a-f]{12})-[0-9a-z]{1,16}|home-([0-9a-f]{12}))\Z")


def conversation_of(room: str) -> str:
    """The id of a room's conversation."""
    return f"web:{WORKSPACE}:{room}"


def own_room_prefix(person: str) -> str:
    """What the name of each of a person's own rooms begins with; letters and digits follow it."""
    return f"my-{_mark(person)}-"


def home_room(person: str) -> str:
    """The person's own room where the service tells them what comes from elsewhere."""
    return f"home-{_mark(person)}"


def is_own(room: str) -> bool:
    """Whether the room is one person's; all other rooms are shared."""
    return _OWN.match(room) is not None


def may_enter(room: str, person: str) -> bool:
    """Whether this person may read and write there: a room of nobody's, or one of theirs."""
    found = _OWN.match(room)
    return found is None or _mark(person) in found.groups()


def _mark(person: str) -> str:
    return blake2b(person.encode(), digest_size=6).hexdigest()
