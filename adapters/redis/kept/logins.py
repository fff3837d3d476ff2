"""Links and sessions of the web chat: digests of secrets, which the server forgets in time."""

import json
import secrets
from hashlib import sha256

from adapters.redis import keys
from adapters.redis.client.client import Client, promptly


class RedisLogins:
    """A key for each link and session; a counter for each person, which outdates them all."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def link(self, person: str, *, keep_s: float) -> str:
        """The secret of a new link."""
        return await self._new("link", person, await self._era(person), keep_s)

    async def enter(self, link: str, *, keep_s: float) -> str | None:
        """Spend a link: it is taken away in the moment in which it is read."""
        async with promptly():
            body = await self._client.getdel(_key("link", link))
        person = await self._whose(body)
        if person is None:
            return None
        return await self._new("session", person, await self._era(person), keep_s)

    async def person(self, session: str) -> str | None:
        """Whose session it is."""
        async with promptly():
            body = await self._client.get(_key("session", session))
        return await self._whose(body)

    async def leave(self, session: str) -> None:
        """End a session."""
        async with promptly():
            await self._client.delete(_key("session", session))

    async def leave_everywhere(self, person: str) -> None:
        """End all sessions of a person."""
        async with promptly():
            await self._client.incr(keys.login("era", person))

    async def _new(self, kind: str, person: str, era: int, keep_s: float) -> str:
        secret = secrets.token_urlsafe(32)
        body = json.dumps([person, era])
        async with promptly():
            await self._client.set(_key(kind, secret), body, px=int(keep_s * 1000))
        return secret

    async def _whose(self, body: object) -> str | None:
        if body is None:
            return None
        person, era = json.loads(str(body))
        return str(person) if era == await self._era(person) else None

    async def _era(self, person: str) -> int:
        async with promptly():
            return int(await self._client.get(keys.login("era", person)) or 0)


def _key(kind: str, secret: str) -> str:
    return keys.login(kind, sha256(secret.encode()).hexdigest())
