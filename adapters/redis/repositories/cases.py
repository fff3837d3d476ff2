"""Cases in Redis: the state that a case's lane keeps, read from outside of it."""

from collections.abc import Sequence

from adapters.redis import keys
from adapters.redis.client import Client, translate_errors
from adapters.redis.packing.bodies import unpack


class RedisCases:
    """The cases port."""

    def __init__(self, client: Client, partitions: keys.Partitions) -> None:
        self._client = client
        self._partitions = partitions

    async def read(self, case: str) -> str:
        """The body of the case of that id, "" where there is none."""
        tag = keys.tag(self._partitions.of_conversation(case))
        with translate_errors():
            found = await self._client.get(f"{tag}c:{case}:st")
        return "" if found is None else unpack(str(found))

    async def ids(self) -> Sequence[str]:
        """The ids of all cases, those that changed last first."""
        found: list[tuple[float, str]] = []
        for partition in range(self._partitions.count):
            with translate_errors():
                listed = await self._client.zrange(
                    f"{keys.tag(partition)}cases", 0, -1, withscores=True
                )
            found += [(float(pair[1]), str(pair[0])) for pair in listed]
        return [case for _, case in sorted(found, reverse=True)]
