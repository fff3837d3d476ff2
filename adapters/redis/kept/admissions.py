"""The accounts that an admin let in, in one hash that all processes read."""

import structlog
from pydantic import ValidationError

from adapters.redis import keys
from adapters.redis.client.client import Client, translated
from engine.ports.storage.admissions import Entrant

log = structlog.get_logger()


class RedisAdmissions:
    """The admissions port."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def everybody(self) -> tuple[Entrant, ...]:
        """All who were let in, by account; an entry that cannot be read lets nobody in."""
        with translated():
            found = await self._client.hgetall(keys.ADMITTED)
        read = (_read(str(account), str(body)) for account, body in sorted(found.items()))
        return tuple(entrant for entrant in read if entrant is not None)

    async def admit(self, entrant: Entrant) -> None:
        """Let the account in."""
        with translated():
            await self._client.hset(keys.ADMITTED, entrant.account, entrant.model_dump_json())

    async def revoke(self, account: str) -> bool:
        """Let it in no more; False when it was not."""
        with translated():
            return bool(await self._client.hdel(keys.ADMITTED, account))


def _read(account: str, body: str) -> Entrant | None:
    try:
        entrant = Entrant.model_validate_json(body)
    except ValidationError as error:
        log.error("unreadable_admission", account=account, faults=error.error_count())
        return None
    return entrant if entrant.account == account else None
