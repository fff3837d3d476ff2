"""What all processes together know of the models."""

import pytest

from adapters.redis import keys
from adapters.redis.repositories.model_numbers import STATE_KEEP_S, RedisModelNumbers
from adapters.redis.scripts import Scripts
from engine.ports.storage.model_numbers import BreakerState

OK = ("calls", 'a/b:"c"|d', "ok")
COST = ("cost", 'a/b:"c"|d')


@pytest.fixture
def numbers(scripts: Scripts) -> RedisModelNumbers:
    return RedisModelNumbers(scripts.client)


async def test_counts_of_several_processes_add_up(
    scripts: Scripts, numbers: RedisModelNumbers
) -> None:
    assert await numbers.counts() == {}
    await numbers.add({OK: 2, COST: 0.25})
    await RedisModelNumbers(scripts.client).add({OK: 1, COST: 0.5})
    assert await numbers.counts() == {OK: 3, COST: 0.75}


@pytest.mark.parametrize("state", ["open", "half_open"])
async def test_what_one_process_finds_another_sees_until_it_is_well_again(
    state: BreakerState, scripts: Scripts, numbers: RedisModelNumbers
) -> None:
    await RedisModelNumbers(scripts.client).record_state("a", state)
    assert await numbers.states(["a", "b"]) == {"a": state, "b": "closed"}
    await numbers.record_state("a", "closed")
    assert await numbers.states(["a"]) == {"a": "closed"}


async def test_what_nobody_finds_any_more_is_forgotten(
    scripts: Scripts, numbers: RedisModelNumbers
) -> None:
    await numbers.record_state("a", "open")
    assert 0 < await scripts.client.ttl(keys.model_state("a")) <= STATE_KEEP_S


async def test_a_state_of_another_version_counts_as_none(
    scripts: Scripts, numbers: RedisModelNumbers
) -> None:
    await scripts.client.set(keys.model_state("a"), "dizzy")
    assert await numbers.states(["a"]) == {"a": "closed"}


async def test_one_process_is_the_first(scripts: Scripts, numbers: RedisModelNumbers) -> None:
    assert await numbers.first("x", within_s=3600)
    assert not await RedisModelNumbers(scripts.client).first("x", within_s=3600)
    assert await numbers.first("y", within_s=3600)
    assert 3590 < await scripts.client.ttl(keys.first("x")) <= 3600


async def test_lanes_of_all_workers_that_still_tell_add_up(
    scripts: Scripts, numbers: RedisModelNumbers
) -> None:
    assert await numbers.lanes() == {}
    await RedisModelNumbers(scripts.client).lanes("a", {"asking": 2, "waiting": 1})
    assert await numbers.lanes("b", {"asking": 1}) == {"asking": 3, "waiting": 1}
    assert await numbers.lanes("a", {"asking": 0}) == {"asking": 1}
    assert 0 < await scripts.client.ttl(keys.model_lanes("b")) <= STATE_KEEP_S
    await scripts.client.delete(keys.model_lanes("b"))
    assert await numbers.lanes() == {"asking": 0}
    assert await scripts.client.smembers(keys.MODEL_WORKERS) == {"a"}
