"""Which conversations a request for an event stream names, from where on, and read by whom."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web
from pydantic import TypeAdapter, ValidationError

from adapters.webchat.bodies import Room
from engine.errors import BadPayload

MAIN = "main"
MOST_FOLLOWED = 20
_ROOM = TypeAdapter[str](Room)
_POSITION = re.compile(r"\d{1,20}(?:-\d{1,20})?")


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """A room, whom the request says its reader is, and the position after which they read on."""

    room: str
    person: str
    after: str


def room_of(request: web.Request) -> str:
    """The room that the address names. Raises BadPayload."""
    return _valid_room(request.query.get("room", MAIN))


def places_of(request: web.Request) -> Sequence[ReadPosition]:
    """The rooms that the address names, each with the person and position of the same number.

    Positions in `Last-Event-ID`, joined by commas, go before those of the address. Raises
    BadPayload.
    """
    query = request.query
    rooms = [_valid_room(room) for room in query.getall("room", [MAIN])]
    if len(rooms) > MOST_FOLLOWED:
        raise BadPayload(f"room: at most {MOST_FOLLOWED} at once")
    people = query.getall("person", [""])
    last = request.headers.get("Last-Event-ID")
    name, given = (
        ("Last-Event-ID", last.split(",")) if last else ("after", query.getall("after", [""]))
    )
    if not len(rooms) == len(people) == len(given):
        raise BadPayload(f"{name}: each room needs one, and a person")
    positions = [position or "0" for position in given]
    if not all(_POSITION.fullmatch(position) for position in positions):
        raise BadPayload(f"{name}: not a position of this conversation")
    return [ReadPosition(*place) for place in zip(rooms, people, positions, strict=True)]


def _valid_room(name: str) -> str:
    try:
        return _ROOM.validate_python(name)
    except ValidationError as wrong:
        raise BadPayload("room: must be 1 to 32 of a-z, 0-9 and -") from wrong
