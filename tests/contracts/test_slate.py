"""Small texts by name: who writes says what it read, so nobody undoes what another wrote."""

from adapters.redis import keys
from adapters.redis.repositories.platform_texts import RedisExpiringTexts
from adapters.redis.scripts import Scripts


async def test_a_text_stands_until_it_is_written_over_or_taken_away(scripts: Scripts) -> None:
    slate, other = RedisExpiringTexts(scripts), RedisExpiringTexts(scripts)
    assert await slate.read("a") == ""
    assert await slate.write("a", "试\n1", was="", keep_s=60)
    assert await other.read("a") == "试\n1"
    assert await other.read("b") == ""
    assert await other.write("a", "2", was="试\n1", keep_s=60)
    assert await slate.write("a", "", was="2", keep_s=60)
    assert await other.read("a") == ""
    assert await scripts.client.keys("*slate*") == [], "nothing of it is left"
    assert await slate.write("a", "", was="", keep_s=60)


async def test_who_read_something_else_writes_nothing(scripts: Scripts) -> None:
    slate = RedisExpiringTexts(scripts)
    assert not await slate.write("a", "1", was="0", keep_s=60)
    assert await slate.write("a", "1", was="", keep_s=60)
    assert not await slate.write("a", "2", was="", keep_s=60)
    assert not await slate.write("a", "", was="", keep_s=60)
    assert await slate.read("a") == "1"


async def test_the_server_forgets_it_in_time(scripts: Scripts) -> None:
    slate = RedisExpiringTexts(scripts)
    await slate.write("a", "1", was="", keep_s=60)
    assert 0 < await scripts.client.pttl(keys.slate("a")) <= 60_000
