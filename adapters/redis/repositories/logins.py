"""Sessions of the admin pages; links and sessions of the web chat, by digests of their secrets."""

import json
import secrets
from hashlib import sha256

from adapters.redis import keys
from adapters.redis.client import Client, limit_time, translate_errors


class RedisSessions:
    """The sessions port: a key each, with a time to live."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def begin(self, name: str, body: str, *, keep_s: int) -> None:
        """Keep the text for so many seconds."""
        with translate_errors():
            await self._client.set(keys.session(name), body, ex=keep_s)

    async def find(self, name: str) -> str | None:
        """The text, or None once it is gone."""
        with translate_errors():
            found = await self._client.get(keys.session(name))
        return None if found is None else str(found)

    async def end(self, name: str) -> None:
        """Forget it now."""
        with translate_errors():
            await self._client.delete(keys.session(name))


class RedisLogins:
    """A key for each link and session; a counter for each person, which outdates them all."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def link(self, person: str, *, keep_s: float) -> str:
        """The secret of a new link."""
        return await self._new("link", person, await self._era(person), keep_s)

    async def enter(self, link: str, *, keep_s: float) -> str | None:
        """Spend a link, which is deleted in the moment it is read, and begin a session."""
        async with limit_time():
            body = await self._client.getdel(_key("link", link))
        person = await self._person_of(body)
        if person is None:
            return None
        return await self._new("session", person, await self._era(person), keep_s)

    async def person(self, session: str) -> str | None:
        """Whose session it is."""
        async with limit_time():
            body = await self._client.get(_key("session", session))
        return await self._person_of(body)

    async def leave(self, session: str) -> None:
        """End a session."""
        async with limit_time():
            await self._client.delete(_key("session", session))

    async def leave_everywhere(self, person: str) -> None:
        """End all sessions of a person."""
        async with limit_time():
            await self._client.incr(keys.login("era", person))

    async def _new(self, kind: str, person: str, era: int, keep_s: float) -> str:
        secret = secrets.token_urlsafe(32)
        body = json.dumps([person, era])
        async with limit_time():
            await self._client.set(_key(kind, secret), body, px=int(keep_s * 1000))
        return secret

    async def _person_of(self, body: object) -> str | None:
        if body is None:
            return None
        person, era = json.loads(str(body))
        return str(person) if era == await self._era(person) else None

    async def _era(self, person: str) -> int:
        async with limit_time():
            return int(await self._client.get(keys.login("era", person)) or 0)


def _key(kind: str, secret: str) -> str:
    return keys.login(kind, sha256(secret.encode()).hexdigest())
