"""A pace that all processes share: so many messages a second to all chats together."""

from adapters.redis import keys
from adapters.redis.repositories.leases import RedisRate
from adapters.redis.scripts import Scripts
from engine.ports.platform import Pace

EVERY_S = 1000.0
PACE = Pace(every_s=EVERY_S, burst=10)


async def test_a_burst_is_taken_at_once_and_what_comes_after_it_waits(scripts: Scripts) -> None:
    rate = RedisRate(scripts.client)
    assert [await rate.ask("busy", PACE, 5), await rate.ask("busy", PACE, 5)] == [0, 0]
    # Who is told to wait has taken nothing.
    for _ in range(2):
        assert EVERY_S - 60 < await rate.ask("busy", PACE, 1) <= EVERY_S
    assert await rate.ask("another", PACE, 10) == 0
    assert 0 < await scripts.client.pttl(keys.pace("busy")) <= (10 * EVERY_S + 1) * 1000


async def test_a_whole_burst_is_taken_when_nothing_was(scripts: Scripts) -> None:
    rate = RedisRate(scripts.client)
    assert await rate.ask("quiet", PACE, 10) == 0
    assert await rate.ask("quiet", PACE, 1) > EVERY_S - 60
