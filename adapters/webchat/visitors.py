"""Who a visitor of the page is: chosen, signed in by a link, or named by a proxy."""

import ipaddress
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, overload

from aiohttp import web

from adapters.webchat.middleware import http_error
from adapters.webchat.room_names import WORKSPACE, conversation_of, may_enter
from cards.model import Lang
from engine.errors import BadPayload, StoreUnavailable
from engine.events import Actor
from engine.ports.pages import NamedPerson
from engine.ports.storage.logins import Logins

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
MayRead = Callable[[Actor, str], Awaitable[bool]]
"""Whether the person may see the project of a conversation. Raises StoreUnavailable."""

LONGEST_SECRET = 128
PLATFORM = "web"


@dataclass(frozen=True, slots=True)
class WebPerson:
    """A person of the web chat: `id` is their name there, `person` their id in people.yaml.

    `role_label` is a short text per language, `email` what an identity provider knows them by.
    """

    id: str
    name: str
    role_label: dict[Lang, str]
    person: str = ""
    email: str = ""


class WebPeople(Sequence[WebPerson]):
    """The people of the web chat as people.yaml has them now; `read` gives a list for each file."""

    def __init__(self, read: Callable[[], Sequence[NamedPerson]]) -> None:
        self._read = read
        self._named: Sequence[NamedPerson] = ()
        self._people: Sequence[WebPerson] = ()

    def _now(self) -> Sequence[WebPerson]:
        named = self._read()
        if named is not self._named:
            self._named = named
            self._people = [WebPerson(p.web, p.name, p.label, p.id, p.email) for p in named]
        return self._people

    def __len__(self) -> int:
        return len(self._now())

    @overload
    def __getitem__(self, index: int) -> WebPerson: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[WebPerson]: ...
    def __getitem__(self, index: int | slice) -> WebPerson | Sequence[WebPerson]:
        return self._now()[index]

    def __iter__(self) -> Iterator[WebPerson]:
        return iter(self._now())


def find_named(people: Iterable[WebPerson], name: str) -> WebPerson | None:
    """Who has that name in the web chat; None for nobody."""
    return next((person for person in people if person.id == name), None)


class Authenticator(Protocol):
    """Says who a visitor is; `can_sign_out` when they can."""

    can_sign_out: bool

    async def who(self, request: web.Request) -> WebPerson | None:
        """Return the person; None where visitors choose. Raises 401, 403, or 503."""
        ...


class FreeChoice:
    """Visitors choose who they are; only for an address that nobody else can reach."""

    can_sign_out = False

    async def who(self, request: web.Request) -> WebPerson | None:
        """Return None."""
        return None


class SignInLinks:
    """Visitors sign in by a one-time link, and keep a cookie that no script can read."""

    can_sign_out = True

    def __init__(
        self, logins: Logins, people: Sequence[WebPerson], *, session_s: float, secure: bool
    ) -> None:
        self._logins = logins
        self._people = people
        self._session_s = session_s
        self._secure = secure
        # A browser takes a cookie of this name only from our own address, over HTTPS.
        self._cookie = "__Host-signoff" if secure else "signoff"

    async def who(self, request: web.Request) -> WebPerson | None:
        """Return the session's person, who still has to be in people.yaml."""
        session = request.cookies.get(self._cookie, "")[:LONGEST_SECRET]
        try:
            person = await self._logins.person(session) if session else None
        except StoreUnavailable as away:
            raise http_error(web.HTTPServiceUnavailable, "the store is away") from away
        found = next((p for p in self._people if person and p.person == person), None)
        if found is None:
            raise http_error(web.HTTPUnauthorized, "sign in with a link")
        return found

    async def enter(self, link: str) -> web.Response:
        """Spend a link and set the session's cookie. Raises 403 for a spent or expired one."""
        try:
            session = await self._logins.enter(link[:LONGEST_SECRET], keep_s=self._session_s)
        except StoreUnavailable as away:
            raise http_error(web.HTTPServiceUnavailable, "the store is away") from away
        if session is None:
            raise http_error(web.HTTPForbidden, "token: this link was used before, or is too old")
        response = web.json_response({"ok": True})
        self.set_cookie(response, session)
        return response

    def set_cookie(self, response: web.Response, session: str) -> None:
        """Have the browser keep the session's secret."""
        response.set_cookie(
            self._cookie,
            session,
            max_age=int(self._session_s),
            path="/",
            httponly=True,
            secure=self._secure,
            # With "Strict" a link in a chat would lead to a page that knows nobody.
            samesite="Lax",
        )

    async def leave(self, request: web.Request) -> web.Response:
        """End the session and delete the cookie."""
        session = request.cookies.get(self._cookie, "")[:LONGEST_SECRET]
        try:
            await self._logins.leave(session)
        except StoreUnavailable as away:
            raise http_error(web.HTTPServiceUnavailable, "the store is away") from away
        response = web.json_response({"ok": True})
        response.del_cookie(self._cookie, path="/", secure=self._secure, httponly=True)
        return response


class ProxySignIn:
    """A trusted proxy names the visitor in a header; other networks are refused."""

    can_sign_out = False

    def __init__(
        self, header: str, networks: Iterable[Network], people: Sequence[WebPerson]
    ) -> None:
        self._header = header
        self._networks = tuple(networks)
        self._people = people

    async def who(self, request: web.Request) -> WebPerson | None:
        """Return the person whose web name stands in the header."""
        if not self._is_trusted(request.remote):
            raise http_error(web.HTTPForbidden, "only the trusted proxy is answered")
        names = request.headers.getall(self._header, [])
        if not names:
            raise http_error(web.HTTPUnauthorized, f"{self._header}: is missing")
        person = find_named(self._people, names[0]) if len(names) == 1 else None
        if person is None:
            raise http_error(web.HTTPForbidden, f"{self._header}: nobody of that web name is known")
        return person

    def _is_trusted(self, remote: str | None) -> bool:
        try:
            address = ipaddress.ip_address(remote or "")
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None)
        return any((mapped or address) in network for network in self._networks)


class Visitors:
    """The people of the page, and the rooms that they may enter."""

    def __init__(
        self,
        authenticator: Authenticator,
        people: Sequence[WebPerson],
        may_read: MayRead | None = None,
    ) -> None:
        self._authenticator = authenticator
        self._people = people
        self._may_read = may_read

    async def is_hidden(self, room: str, reader: str) -> bool:
        """Whether the room is of a project that its reader may not see. Raises StoreUnavailable."""
        person = find_named(self._people, reader)
        if person is None or self._may_read is None:
            return False
        return not await self._may_read(_actor(person), conversation_of(room))

    async def choices(self, request: web.Request) -> Sequence[WebPerson]:
        """Return whom the visitor can be: themselves, or anybody where visitors choose."""
        me = await self._authenticator.who(request)
        return [me] if me else list(self._people)

    async def actor(self, request: web.Request, named: str, room: str = "") -> Actor:
        """Return who asks. Raises BadPayload, 401, 403, 404, or 503.

        Where visitors sign in, they need no name, and another's is refused; so is another's room,
        as one that does not exist.
        """
        me = await self._authenticator.who(request)
        person = me or find_named(self._people, named)
        if person is None:
            raise BadPayload("person: nobody of that id is here")
        if me and named not in (me.id, ""):
            raise http_error(web.HTTPForbidden, "person: you are signed in as somebody else")
        if room and not may_enter(room, person.id):
            raise _no_such_room()
        return _actor(person)

    async def reader(self, request: web.Request, room: str, named: str) -> str:
        """Return the id of the room's reader, "" where none is needed. Raises as `actor` does."""
        me = await self._authenticator.who(request)
        person = me.id if me else named
        if not may_enter(room, person):
            raise _no_such_room()
        return person


def _actor(person: WebPerson) -> Actor:
    return Actor(platform=PLATFORM, workspace=WORKSPACE, user=person.id, name=person.name)


def _no_such_room() -> web.HTTPException:
    return http_error(web.HTTPNotFound, "room: there is no such conversation")
