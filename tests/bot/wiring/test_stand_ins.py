"""What the service has while a project folder is tested."""

from redis.asyncio import Redis

from adapters.redis import keys
from adapters.redis.server.embedded import EmbeddedServer
from bot.wiring.stand_ins import ScratchStore


async def test_an_emptied_store_has_what_was_learned_and_nothing_else(
    redis: Redis, redis_server: EmbeddedServer
) -> None:
    async with Redis.from_url(redis_server.url) as client:
        store = ScratchStore(client, redis_server.url)
        await store.empty()
        learned, body = keys.learned("d1").encode(), b"\x00\xff" * 40
        await client.set(learned, body, ex=100)
        await client.hset("{p1}:r:run-1", "body", "a run")
        await client.rpush("{p1}:o:row", "a row")
        await client.set(keys.CURRENT, "what is current")
        await store.empty()
        assert await client.keys() == [learned]
        assert await client.get(learned) == body
        assert await client.ttl(learned) > 0
