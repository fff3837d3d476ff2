"""Who is signed in: a secret in a cookie, and its session in the store (design §9)."""

import ipaddress
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from math import ceil
from urllib.parse import urlsplit

from aiohttp import web
from pydantic import SecretStr, ValidationError

from bot.pages.guard import is_same_secret
from cards.frozen import Frozen
from engine.ports.platform import Pace, Rate
from engine.ports.storage.logins import Sessions

COOKIE = "signoff_admin"
KEEP_S = 8 * 3600
PER_ADDRESS = Pace(every_s=60, burst=5)
FROM_ALL = Pace(every_s=6, burst=60)
"""The limits of wrong tokens from one address, and from all together."""
_NAME = re.compile(r"[\w.@'-][\w .@'-]{0,39}")


class Visitor(Frozen):
    """A person who is signed in: the name they gave, and the mark of their forms.

    `token` is a digest of the admin token, so that a new token ends all sessions. `person` is the
    id of who signed in at an identity provider, "" for a name that was only given.
    """

    name: str
    mark: str
    token: str
    person: str = ""

    @property
    def id(self) -> str:
        """The visitor's name in audits."""
        return f"admin:{self.person or self.name}"


@dataclass(frozen=True, slots=True)
class TryLater:
    """Too many wrong tokens: the next one is checked after so many seconds."""

    seconds: int


class AdminSessions:
    """Signs in whoever gives the admin token."""

    def __init__(
        self,
        token: SecretStr,
        sessions: Sessions,
        rate: Rate,
        public_url: str,
        is_admin: Callable[[str], bool] = lambda person: False,
    ) -> None:
        self._token = token.get_secret_value()
        self._sessions = sessions
        self._rate = rate
        self._public = urlsplit(public_url)
        self._is_admin = is_admin

    async def find_visitor(self, cookies: Mapping[str, str]) -> Visitor | None:
        """The visitor who is signed in with these cookies."""
        secret = cookies.get(COOKIE, "")
        body = await self._sessions.find(_digest(secret)) if secret else None
        try:
            found = Visitor.model_validate_json(body) if body else None
        except ValidationError:
            return None
        if found is None or not is_same_secret(found.token, _digest(self._token)):
            return None
        # Who has lost the role since is out at the next request.
        return found if not found.person or self._is_admin(found.person) else None

    async def sign_in(self, name: str, token: str, address: str) -> str | TryLater | None:
        """The secret for the cookie; None for a wrong token or name.

        Only wrong tokens are limited, so that nobody can keep the right one out.
        """
        if not is_same_secret(token, self._token):
            wait_s = await self._wait_s(address)
            return TryLater(ceil(wait_s)) if wait_s else None
        name = name.strip()
        if not _NAME.fullmatch(name):
            return None
        return await self.begin(name)

    async def begin(self, name: str, *, person: str = "") -> str:
        """The secret of a new session, for the cookie."""
        secret = secrets.token_urlsafe(32)
        visitor = Visitor(
            name=name,
            mark=secrets.token_urlsafe(16),
            token=_digest(self._token),
            person=person,
        )
        await self._sessions.begin(_digest(secret), visitor.model_dump_json(), keep_s=KEEP_S)
        return secret

    async def sign_out(self, cookies: Mapping[str, str]) -> None:
        """End the session, also for others who have its cookie."""
        await self._sessions.end(_digest(cookies.get(COOKIE, "")))

    async def _wait_s(self, address: str) -> float:
        each = await self._rate.ask(f"admin-login:{_network(address)}", PER_ADDRESS, 1)
        return each or await self._rate.ask("admin-login", FROM_ALL, 1)

    def set_cookie(self, request: web.Request, response: web.Response, secret: str) -> None:
        """Set the cookie, out of reach of scripts and of other sites."""
        response.set_cookie(
            COOKIE,
            secret,
            max_age=KEEP_S,
            path="/",
            httponly=True,
            samesite="Strict",
            secure=self.is_secure(request),
        )

    def is_secure(self, request: web.Request) -> bool:
        """Whether the browser sees us over HTTPS."""
        return request.secure or (
            self._public.scheme == "https" and self._public.netloc == request.host
        )


def _network(address: str) -> str:
    """The network that one party holds: of an IPv6 address, its first half."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if found.version == 4:
        return str(found)
    return str(ipaddress.ip_network((found, 64), strict=False).network_address)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
