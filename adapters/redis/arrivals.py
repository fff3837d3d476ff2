"""Messages that have arrived: whether one is known, and edits of one (design §3)."""

from adapters.redis import keys
from adapters.redis.client import translate_errors
from adapters.redis.scripts import Scripts
from engine.ports.storage.arrivals import Arrival, EditOutcome

_PUT = "put"
"""What the id of an update without a digest holds."""


class RedisArrivals:
    """The arrivals port."""

    def __init__(self, scripts: Scripts, partitions: keys.Partitions) -> None:
        self._scripts = scripts
        self._partitions = partitions

    async def has(self, lane: str, *, update_id: str) -> bool:
        """Whether the update was put before."""
        partition = self._partitions.of_lane(lane)
        known = bool(await self._scripts.run("known", partition, update_id, lane))
        if known:
            self._scripts.bell.ring()
        return known

    async def digest(self, lane: str, *, update_id: str) -> str:
        """The digest of the update as it was put first. Raises StoreUnavailable."""
        tag = keys.tag(self._partitions.of_lane(lane))
        with translate_errors():
            found = str(await self._scripts.client.get(f"{tag}e:{update_id}") or "")
        return "" if found == _PUT else found

    async def edit(self, lane: str, mail: str, arrival: Arrival, *, at: str) -> EditOutcome:
        """Replace the waiting mail of that message."""
        partition = self._partitions.of_lane(lane)
        outcome: EditOutcome = await self._scripts.run(
            "edit", partition, lane, arrival.name, arrival.digest, mail, at
        )
        return outcome

    async def waiting(self, lane: str) -> tuple[str, ...]:
        """The lane's mail. Raises StoreUnavailable."""
        tag = keys.tag(self._partitions.of_lane(lane))
        with translate_errors():
            found = await self._scripts.client.lrange(f"{tag}l:{lane}:in", 0, -1)
        return tuple(map(str, found))
