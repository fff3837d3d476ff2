"""Connecting to the store, and the checks that its server keeps what it acknowledges."""

import secrets
import ssl
from typing import Any
from urllib.parse import urlsplit

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    InvalidResponse,
    RedisError,
    ResponseError,
)

from adapters.redis import keys
from adapters.redis.client import (
    Client,
    is_transient,
    make_cancellable,
    make_cluster_cancellable,
    translate_errors,
)
from adapters.redis.replicas.acks import ReplicaAcks
from adapters.redis.replicas.node_calls import ClusterClient, node_name
from engine.errors import DefinitionError, StoreUnavailable
from engine.ports.storage.operations import StoreState

OLDEST = (6, 2)
# No command takes so long, unless the server hangs; then taps must be told within their 3 seconds.
COMMAND_S = 1.0
# How long a blocking read may wait, on a client of its own.
BLOCK_S = 15.0
PROBE_KEEP_MS = 60_000
_FINAL = (AuthenticationError, AuthorizationError, InvalidResponse, ssl.SSLCertVerificationError)


async def connect(url: str, *, timeout_s: float = COMMAND_S) -> Client:
    """Return a client for a single server or a Cluster, whichever answers.

    A command fails after `timeout_s` and two quick repeats; scripts are safe to repeat.
    Raises StoreUnavailable, or DefinitionError for an answer that waiting cannot change.
    """
    single = _single_client(url, timeout_s)
    try:
        info = await _cluster_info(single)
    except (RedisError, OSError) as error:
        if _is_final_refusal(error):
            raise DefinitionError(
                f"REDIS_URL: {_without_password(url)} is of no use: {error}"
            ) from error
        raise StoreUnavailable(
            f"Redis at {_without_password(url)} does not answer: {error}"
        ) from error
    if not info.get("cluster_enabled"):
        return single
    await single.aclose()
    # At each fifth slot that has moved it would close all connections, also those in use: of what a
    # node was just leasing nobody would hear.
    options = {**_options(timeout_s), "reinitialize_steps": 0}
    return make_cluster_cancellable(ClusterClient.from_url(url, **options))


def _single_client(url: str, timeout_s: float) -> Redis:
    try:
        client = make_cancellable(Redis.from_url(url, **_options(timeout_s)))
        pool = client.connection_pool
        # Options are read only when a connection is made, which opens nothing yet.
        pool.connection_class(**pool.connection_kwargs)
    except (RedisError, TypeError, ValueError) as error:
        raise DefinitionError(
            f"REDIS_URL: {_without_password(url)} has a wrong option after the ?"
        ) from error
    return client


async def _cluster_info(single: Redis) -> dict[str, Any]:
    try:
        info = await single.info()
        _refuse_loading(info)
        return info
    except BaseException:
        await single.aclose()
        raise


def _refuse_loading(info: dict[str, Any]) -> None:
    """Raises StoreUnavailable while the server loads: it reports no append-only file until then."""
    if info.get("loading"):
        raise StoreUnavailable("Redis is still loading its data")


def _is_final_refusal(error: BaseException) -> bool:
    """Whether the server refuses us for good: password, database, protocol, certificate."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ResponseError):
            return not is_transient(seen)
        if isinstance(seen, _FINAL):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _options(timeout_s: float) -> dict[str, Any]:
    return {
        "decode_responses": True,
        "socket_timeout": timeout_s,
        "socket_connect_timeout": COMMAND_S,
        # Else each connection looks up the library's version on disk, and tells it in two commands.
        "driver_info": None,
        "retry": Retry(ExponentialBackoff(cap=0.2, base=0.05), 2),
    }


def _without_password(url: str) -> str:
    """Return the address without its password."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


async def check_server(client: Client, *, allow_unsafe: bool, partitions: int) -> list[str]:
    """Return warnings to log.

    Raises DefinitionError when state could be lost, or the partitions or our rights do not fit;
    StoreUnavailable for a server that is away.
    """
    try:
        facts = await _read_facts(client)
        unfit, unsafe = _unfit_reasons(facts), _unsafe_reasons(facts)
        if unfit or (unsafe and not allow_unsafe):
            raise DefinitionError(*unfit, *unsafe)
        await client.set(keys.PARTITIONS, partitions, nx=True)
        kept = str(await client.get(keys.PARTITIONS))
    except (RedisError, OSError) as error:
        if _is_final_refusal(error):
            raise DefinitionError(f"REDIS_URL: the server is of no use: {error}") from error
        raise StoreUnavailable(f"Redis does not answer: {error}") from error
    if kept != str(partitions):
        raise DefinitionError(
            f"SIGNOFF_PARTITIONS: should be {kept}, the number this data was written with;"
            f" it is {partitions}"
        )
    return [*unsafe, *_warnings(facts)]


async def open_acks(client: Client, replicas: int) -> tuple[ReplicaAcks | None, list[str]]:
    """Return what waits for so many replicas of each primary, None for 0; and warnings to log.

    Raises StoreUnavailable.
    """
    if not replicas:
        return None, []
    facts = await _read_facts(client)
    on_disk = facts["fsync"] == "always" and await _knows_waitaof(client)
    with translate_errors():
        info = await client.info("replication")
    nodes = [each for each in info.values() if isinstance(each, dict) and "role" in each] or [info]
    most = max(int(node.get("connected_slaves", 0)) for node in nodes)
    least = min(int(node.get("connected_slaves", 0)) for node in nodes)
    warnings = []
    if least < replicas:
        warnings.append(
            f"SIGNOFF_STORE_ACKS is {replicas}, and a primary has {least} replicas: nothing is"
            " acknowledged there until it has more"
        )
    if most > replicas:
        warnings.append(
            f"SIGNOFF_STORE_ACKS is {replicas}, and a primary has {most} replicas: one that is"
            " promoted may lack what another acknowledged"
        )
    return ReplicaAcks(replicas, on_disk=on_disk), warnings


async def _knows_waitaof(client: Client) -> bool:
    """Whether the server waits for its replicas' disks (7.2), and we may ask it to."""
    acks, key = ReplicaAcks(0, on_disk=True), keys.tag(0) + "q"
    try:
        await acks.execute(client, key, ("EXISTS", key))
    except ResponseError:
        return False
    except (RedisError, OSError) as error:
        raise StoreUnavailable(f"Redis does not answer: {error}") from error
    return True


async def find_faults(client: Client) -> list[str]:
    """Return what makes the server useless or would lose state; writes nothing."""
    facts = await _read_facts(client)
    return [*_unfit_reasons(facts), *_unsafe_reasons(facts)]


async def probe_writes(client: Client, partitions: int, acks: ReplicaAcks | None = None) -> None:
    """Write into every partition. Raises StoreUnavailable or StoreError for what was refused.

    The number of partitions is written again where it was lost. With `acks` each server's replicas
    must have it.
    """
    with translate_errors():
        if acks is not None:
            places = {node_name(client, keys.tag(n)): keys.tag(n) for n in range(partitions)}
            for tag in places.values():
                await acks.execute(client, tag, ("EXISTS", tag))
        async with client.pipeline(transaction=False) as pipe:
            for number in range(partitions):
                pipe.set(f"{keys.tag(number)}probe", "", px=PROBE_KEEP_MS)
            pipe.set(keys.PARTITIONS, partitions, nx=True)
            # One by one, for a pipeline's own error begins with words of its own.
            for answer in await pipe.execute(raise_on_error=False):
                if isinstance(answer, Exception):
                    raise answer


async def read_state(client: Client) -> StoreState:
    """What the store is now; a new data set is given its identity. Raises StoreError."""
    with translate_errors():
        facts = await _read_facts(client)
        await client.set(keys.IDENTITY, secrets.token_hex(16), nx=True)
        identity = str(await client.get(keys.IDENTITY))
    faults = [line.removeprefix("REDIS_URL: ") for line in _unsafe_reasons(facts)]
    return StoreState(_durability(facts), tuple(faults), identity, facts["server_s"])


async def describe_durability(client: Client) -> str:
    """Return how the server keeps writes on disk, in words for people."""
    return _durability(await _read_facts(client))


def _durability(facts: dict[str, Any]) -> str:
    if not facts["aof"]:
        return "memory only: a restart of the server loses everything"
    synced = facts["fsync"] or "as the server is set"
    return f"append-only file, fsync {synced}"


async def _read_facts(client: Client) -> dict[str, Any]:
    info = await client.info()
    if not isinstance(client, Redis):
        # A Cluster answers per node; the first stands for all, which are configured alike.
        info = next(iter(info.values())) if isinstance(next(iter(info.values())), dict) else info
    _refuse_loading(info)
    facts: dict[str, Any] = {
        "version": str(info.get("redis_version", "0")),
        "aof": int(info.get("aof_enabled", 0)),
        "policy": str(info.get("maxmemory_policy", "noeviction")),
        "role": str(info.get("role", "master")),
        "fsync": "",
        "server_s": int(info.get("server_time_usec", 0)) / 1e6,
    }
    try:
        found = await client.config_get("appendfsync")
        facts["fsync"] = str(found.get("appendfsync", ""))
    except ResponseError:
        # Managed services hide CONFIG; INFO has told the rest.
        facts["fsync"] = ""
    return facts


def _unfit_reasons(facts: dict[str, Any]) -> list[str]:
    """Return why the server cannot be used, override or not."""
    reasons = []
    version = tuple(int(n) for n in facts["version"].split(".")[:2] if n.isdigit())
    if version < OLDEST:
        reasons.append(f"REDIS_URL: the server is version {facts['version']}; 6.2 is the oldest")
    if facts["role"] != "master":
        reasons.append("REDIS_URL: the server is a replica; a primary that takes writes is needed")
    return reasons


def _unsafe_reasons(facts: dict[str, Any]) -> list[str]:
    """Return what would lose acknowledged state."""
    reasons = []
    override = "; SIGNOFF_ALLOW_UNSAFE_REDIS=true starts all the same"
    if not facts["aof"]:
        reasons.append(
            "REDIS_URL: the server keeps no append-only file (appendonly no), so a restart loses"
            f" runs and decisions; set appendonly yes{override}"
        )
    if facts["policy"] != "noeviction":
        reasons.append(
            f"REDIS_URL: the server evicts keys (maxmemory-policy {facts['policy']}), so it may"
            f" throw runs away; set maxmemory-policy noeviction{override}"
        )
    return reasons


def _warnings(facts: dict[str, Any]) -> list[str]:
    losses = {"everysec": "the last second", "no": "many seconds"}
    if not facts["aof"] or facts["fsync"] not in losses:
        return []
    return [f"appendfsync is {facts['fsync']}: a power loss can lose {losses[facts['fsync']]}"]
