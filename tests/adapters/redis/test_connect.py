"""Which servers are good enough to keep runs, and a Cluster is found out."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis, RedisCluster

from adapters.redis.connect import check_server, connect, describe_durability
from engine.errors import DefinitionError, StoreUnavailable
from tests.fakes.redis_servers import SAFE, cluster, loading, server


@asynccontextmanager
async def client_of(folder: Path, settings: dict[str, str]) -> AsyncIterator[Redis]:
    with server(folder, **settings) as port:
        async with Redis(host="127.0.0.1", port=port, decode_responses=True) as client:
            yield client


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({**SAFE, "appendonly": "no"}, "keeps no append-only file"),
        ({**SAFE, "maxmemory-policy": "allkeys-lru"}, "evicts keys"),
    ],
)
async def test_a_server_that_would_lose_runs_is_refused_unless_allowed(
    tmp_path: Path, settings: dict[str, str], problem: str
) -> None:
    async with client_of(tmp_path, settings) as client:
        with pytest.raises(DefinitionError, match=problem):
            await check_server(client, allow_unsafe=False, partitions=1)
        warnings = await check_server(client, allow_unsafe=True, partitions=1)
        assert problem in warnings[0]


async def test_a_power_loss_that_could_lose_a_second_is_warned_of(tmp_path: Path) -> None:
    async with client_of(tmp_path, {**SAFE, "appendfsync": "everysec"}) as client:
        (warning,) = await check_server(client, allow_unsafe=False, partitions=1)
        assert "everysec" in warning


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        (SAFE, "append-only file, fsync always"),
        ({**SAFE, "appendonly": "no"}, "memory only: a restart of the server loses everything"),
    ],
)
async def test_what_writes_survive_is_told(
    tmp_path: Path, settings: dict[str, str], kept: str
) -> None:
    async with client_of(tmp_path, settings) as client:
        assert await describe_durability(client) == kept


async def test_a_replica_is_refused_even_when_unsafe_is_allowed(tmp_path: Path) -> None:
    async with client_of(tmp_path, SAFE) as client:
        await client.replicaof("127.0.0.1", "1")
        with pytest.raises(DefinitionError, match="replica"):
            await check_server(client, allow_unsafe=True, partitions=1)


async def test_the_number_of_partitions_is_kept_with_the_data(tmp_path: Path) -> None:
    async with client_of(tmp_path, SAFE) as client:
        assert await check_server(client, allow_unsafe=False, partitions=64) == []
        with pytest.raises(DefinitionError, match="SIGNOFF_PARTITIONS: should be 64"):
            await check_server(client, allow_unsafe=False, partitions=1)


async def test_a_user_who_may_not_write_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    async with client_of(tmp_path, SAFE) as client:
        await client.acl_setuser(
            "reads", enabled=True, nopass=True, keys=["*"], commands=["+@all", "-set"]
        )
        await client.auth("", "reads")
        with pytest.raises(DefinitionError, match="no permissions"):
            await check_server(client, allow_unsafe=False, partitions=1)


async def test_a_cluster_is_found_out_and_passes_the_check(tmp_path: Path) -> None:
    with cluster(tmp_path) as url:
        client = await connect(url)
        assert isinstance(client, RedisCluster)
        warnings = await check_server(client, allow_unsafe=False, partitions=64)
        assert all("power loss" in warning for warning in warnings)
        await client.aclose()


async def test_nobody_there_is_said_without_the_password() -> None:
    with pytest.raises(StoreUnavailable) as caught:
        await connect("redis://:hunter2@127.0.0.1:1/0")
    assert "127.0.0.1:1" in str(caught.value)
    assert "hunter2" not in str(caught.value)


async def test_a_single_server_gets_a_plain_client(tmp_path: Path) -> None:
    with server(tmp_path, **SAFE) as port:
        client = await connect(f"redis://127.0.0.1:{port}/0")
        assert isinstance(client, Redis)
        await client.aclose()


async def test_a_server_that_still_loads_its_data_is_away_and_not_unsafe(tmp_path: Path) -> None:
    with server(tmp_path, **SAFE) as port:
        async with Redis(port=port) as client, client.pipeline(transaction=False) as pipe:
            for n in range(60_000):
                pipe.set(f"key:{n}", n)
            await pipe.execute()
    with loading(tmp_path, port) as url:
        async with Redis.from_url(url) as client:
            # What made start-up end for good.
            assert (await client.info())["aof_enabled"] == 0
            with pytest.raises(StoreUnavailable, match="loading"):
                await check_server(client, allow_unsafe=False, partitions=1)
        with pytest.raises(StoreUnavailable, match="loading"):
            await connect(url)
