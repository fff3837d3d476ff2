"""Bodies by digest, and the one pointer to what is current."""

from adapters.redis import keys
from adapters.redis.repositories.published import RedisPublished
from adapters.redis.scripts import Scripts


async def test_a_digest_keeps_the_body_that_was_published_first(scripts: Scripts) -> None:
    published = RedisPublished(scripts.client)
    assert await published.load("d1") is None
    await published.publish("d1", '{"a": "试"}')
    await published.publish("d1", "another")
    assert await published.load("d1") == '{"a": "试"}'
    assert await published.load("d2") is None


async def test_the_pointer_is_what_was_said_last(scripts: Scripts) -> None:
    published, other = RedisPublished(scripts.client), RedisPublished(scripts.client)
    assert await published.pointer() is None
    await published.point("first")
    await other.point("second")
    assert await published.pointer() == await other.pointer() == "second"


async def test_what_was_learned_is_kept_as_bytes_until_nobody_reads_it(scripts: Scripts) -> None:
    published, body = RedisPublished(scripts.client), bytes(range(256))
    assert await published.load_learned("d1") is None
    await published.save_learned("d1", body)
    assert await published.load_learned("d1") == body
    key = keys.learned("d1")
    await scripts.client.expire(key, 5)
    await published.load_learned("d1")
    assert await scripts.client.ttl(key) > 5
