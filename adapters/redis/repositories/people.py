"""Accounts that an admin let in, and members of groups, shared by all processes."""

import json

import structlog
from pydantic import ValidationError

from adapters.redis import keys
from adapters.redis.client import Client, translate_errors
from engine.ports.storage.admissions import Entrant

log = structlog.get_logger()


class RedisAdmissions:
    """The admissions port."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def everybody(self) -> tuple[Entrant, ...]:
        """All who were let in, by account; an entry that cannot be read lets nobody in."""
        with translate_errors():
            found = await self._client.hgetall(keys.ADMITTED)
        read = (_read(str(account), str(body)) for account, body in sorted(found.items()))
        return tuple(entrant for entrant in read if entrant is not None)

    async def admit(self, entrant: Entrant) -> None:
        """Let the account in."""
        with translate_errors():
            await self._client.hset(keys.ADMITTED, entrant.account, entrant.model_dump_json())

    async def revoke(self, account: str) -> bool:
        """Let it in no more; False when it was not."""
        with translate_errors():
            return bool(await self._client.hdel(keys.ADMITTED, account))


def _read(account: str, body: str) -> Entrant | None:
    try:
        entrant = Entrant.model_validate_json(body)
    except ValidationError as error:
        log.error("unreadable_admission", account=account, faults=error.error_count())
        return None
    return entrant if entrant.account == account else None


class RedisGroups:
    """Members of Slack groups: a key for each, with a time to live."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def load(self, group: str) -> tuple[frozenset[str], float] | None:
        """The members, and for how many more seconds they hold; None when nobody knows them."""
        key = keys.group(group)
        with translate_errors():
            # The time first: what is read after it holds at least as long.
            left_ms = int(await self._client.pttl(key))
            found = await self._client.get(key)
        if found is None or left_ms <= 0:
            return None
        return frozenset(json.loads(found)), left_ms / 1000

    async def store(self, group: str, members: frozenset[str], *, keep_s: float) -> None:
        """Keep the members for so long."""
        body = json.dumps(sorted(members))
        with translate_errors():
            await self._client.set(keys.group(group), body, px=int(keep_s * 1000))

    async def forget(self, group: str) -> None:
        """Nobody is known to be in the group."""
        with translate_errors():
            await self._client.delete(keys.group(group))

    async def claim_fetch(self, group: str, *, rest_s: float) -> bool:
        """Whether the caller may ask the platform now; then nobody else may for so long."""
        key = keys.first(f"group:{group}")
        with translate_errors():
            return bool(await self._client.set(key, "asked", nx=True, px=int(rest_s * 1000)))

    async def delay_fetch(self, group: str, *, rest_s: float) -> None:
        """Nobody asks the platform for so long."""
        with translate_errors():
            await self._client.set(keys.first(f"group:{group}"), "rests", px=int(rest_s * 1000))
