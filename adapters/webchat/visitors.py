"""Who asks, and whether they may enter the room that they ask about."""

from collections.abc import Sequence

from aiohttp import web

from adapters.webchat.doors import Authenticator, WebPerson
from adapters.webchat.guard import refused
from adapters.webchat.room_names import WORKSPACE, may_enter
from engine.errors import BadPayload
from engine.events import Actor

PLATFORM = "web"


class Visitors:
    """The people of the page behind a door."""

    def __init__(self, door: Authenticator, people: Sequence[WebPerson]) -> None:
        self._door = door
        self._people = {person.id: person for person in people}

    async def there(self, request: web.Request) -> Sequence[WebPerson]:
        """Whoever the visitor can be: themselves, or anybody where visitors choose."""
        me = await self._door.who(request)
        return [me] if me else list(self._people.values())

    async def actor(self, request: web.Request, named: str, room: str = "") -> Actor:
        """Who asks, whatever they say they are. Raises BadPayload, 401, 403, 404, or 503.

        Where visitors do not choose, another's name is refused; so is a room of somebody else,
        which is not told from a room that nobody has.
        """
        me = await self._door.who(request)
        person = me or self._people.get(named)
        if person is None:
            raise BadPayload("person: nobody of that id is here")
        if person.id != named:
            raise refused(web.HTTPForbidden, "person: you are signed in as somebody else")
        if room and not may_enter(room, person.id):
            raise _no_such_room()
        return Actor(platform=PLATFORM, workspace=WORKSPACE, user=person.id, name=person.name)

    async def reader(self, request: web.Request, room: str, named: str) -> str:
        """The id of who reads the room, "" where they need not say. Raises as `actor` does."""
        me = await self._door.who(request)
        person = me.id if me else named
        if not may_enter(room, person):
            raise _no_such_room()
        return person


def _no_such_room() -> web.HTTPException:
    return refused(web.HTTPNotFound, "room: there is no such conversation")
