"""The stores that every contract of the store is run on."""

from collections.abc import AsyncIterator, Iterator
from functools import partial

import pytest
from redis.asyncio import Redis, RedisCluster

from adapters.redis.client import Client, translate_errors
from adapters.redis.connect import connect
from adapters.redis.keys import Partitions
from adapters.redis.keys import tag as key_tag
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisDecisions, RedisMailbox, RedisOutbox
from bot.waits import retry_until_available
from tests.conftest import PARTITIONS
from tests.fakes.redis_servers import cluster, quick_folder


@pytest.fixture(scope="session")
def cluster_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Cluster of three masters for the session."""
    with (
        quick_folder(lambda: tmp_path_factory.mktemp("cluster")) as folder,
        cluster(folder) as url,
    ):
        yield url


@pytest.fixture
async def single(redis: Redis) -> AsyncIterator[Scripts]:
    """A single server, where scripts fail that leave their partition."""
    scripts = Scripts(redis, guard=True)
    yield scripts
    await scripts.drain()


@pytest.fixture
async def clustered(cluster_url: str) -> AsyncIterator[Scripts]:
    """The Cluster, emptied."""
    client = await retry_until_available(partial(_emptied, cluster_url))
    scripts = Scripts(client)
    yield scripts
    await scripts.drain()
    await client.aclose()


async def _emptied(url: str) -> Client:
    client = await connect(url)
    # Finding out about the nodes is what the library does not repeat when a second was too short.
    with translate_errors():
        await client.flushall(target_nodes=RedisCluster.PRIMARIES)
    return client


@pytest.fixture(params=["single", "clustered"])
def scripts(request: pytest.FixtureRequest) -> Scripts:
    """Every test runs on a single server and on a Cluster."""
    found: Scripts = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def partitions(scripts: Scripts) -> Partitions:
    """As many as a Cluster would have, or those of every test on a single server."""
    return Partitions(64 if isinstance(scripts.client, RedisCluster) else PARTITIONS)


@pytest.fixture
def mailbox(scripts: Scripts, partitions: Partitions) -> RedisMailbox:
    return RedisMailbox(scripts, partitions, lease_s=30, bell=scripts.client)


@pytest.fixture
def decisions(scripts: Scripts, partitions: Partitions) -> RedisDecisions:
    return RedisDecisions(scripts, partitions)


@pytest.fixture
def outbox(scripts: Scripts, partitions: Partitions) -> RedisOutbox:
    return RedisOutbox(scripts, partitions, lease_s=30)


@pytest.fixture
def tag(partitions: Partitions, conversation: str) -> str:
    """The beginning of every key of the conversation."""
    return key_tag(partitions.of_conversation(conversation))
