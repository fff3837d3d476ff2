"""The store: connected and checked at the start, and a concrete class for each of its ports."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, cast

import structlog

from adapters.redis import keys
from adapters.redis.archive import RedisArchive
from adapters.redis.arrivals import RedisArrivals
from adapters.redis.client import Client, refusal_reason, translate_errors
from adapters.redis.connect import (
    BLOCK_S,
    check_server,
    connect,
    describe_durability,
    open_acks,
    probe_writes,
    read_state,
)
from adapters.redis.inbox import RedisInbox
from adapters.redis.listing import RedisListing
from adapters.redis.operations import RedisOperations
from adapters.redis.own_runs import RedisOwnRuns
from adapters.redis.repositories.cases import RedisCases
from adapters.redis.repositories.drafts import RedisDrafts
from adapters.redis.repositories.findings import RedisFindings
from adapters.redis.repositories.leases import RedisRate
from adapters.redis.repositories.logins import RedisSessions
from adapters.redis.repositories.memory import RedisMemory
from adapters.redis.repositories.model_numbers import RedisModelNumbers, RedisModelSpending
from adapters.redis.repositories.people import RedisAdmissions
from adapters.redis.repositories.projects import RedisProjects
from adapters.redis.repositories.published import RedisPublished
from adapters.redis.scripts import Scripts
from adapters.redis.server.embedded import EmbeddedServer, open_server
from adapters.redis.store import RedisDecisions, RedisMailbox, RedisOutbox
from bot.failpoints import Failpoint
from bot.settings import Settings
from bot.waits import retry_until_available
from engine.ports.library import Memory
from engine.ports.platform import Rate
from engine.ports.projects import Projects
from engine.ports.storage.admissions import Admissions
from engine.ports.storage.archive import Archive, Listing
from engine.ports.storage.arrivals import Arrivals
from engine.ports.storage.cases import Cases
from engine.ports.storage.drafts import Drafts
from engine.ports.storage.findings import Findings
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.logins import Sessions
from engine.ports.storage.model_numbers import ModelNumbers, ModelSpending
from engine.ports.storage.operations import Operations, StoreState
from engine.ports.storage.own_runs import OwnRuns
from engine.ports.storage.published import Published
from engine.ports.storage.store import Effects, LaneBounds

log = structlog.get_logger()

Observe = Callable[[Effects], None]
Port = TypeVar("Port")


@dataclass(frozen=True, slots=True)
class StoreConnection:
    """Clients of one store: `client` for commands, `blocking` for reads that wait.

    `scripts` are called by that client; whatever this process writes goes with them.
    `durability` says what its writes survive, `warnings` what about that is unsafe.
    """

    client: Client
    blocking: Client
    scripts: Scripts
    durability: str
    warnings: Sequence[str] = ()

    async def close(self) -> None:
        """Close both clients."""
        await self.blocking.aclose()
        await self.client.aclose()


async def connect_store(settings: Settings, stack: AsyncExitStack) -> StoreConnection:
    """Connect to the store, until `stack` closes; what is unsafe about it is logged.

    Raises DefinitionError for a store that cannot be used, StoreUnavailable for one that does not
    answer within a minute.
    """
    url = settings.redis_url
    if url is None:
        server = await open_own_server(settings)
        stack.callback(server.close)
        url = server.url
    store = await retry_until_available(partial(_connect_and_check, url, settings))
    stack.push_async_callback(store.close)
    for warning in store.warnings:
        log.warning("durability", warning=warning)
    log.info("store_opened", durability=store.durability)
    return store


async def open_own_server(settings: Settings) -> EmbeddedServer:
    """Start the server in the data folder, for use without REDIS_URL; the caller closes it."""
    return await open_server(settings.data_dir / "redis")


async def check_store(url: str, settings: Settings) -> None:
    """Wait for the store, check it, and disconnect. Raises as `connect_store` does."""
    store = await retry_until_available(partial(_connect_and_check, url, settings))
    await store.close()


async def _connect_and_check(url: str, settings: Settings) -> StoreConnection:
    async with AsyncExitStack() as stack:
        client = await connect(url)
        stack.push_async_callback(client.aclose)
        warnings = await check_server(
            client, allow_unsafe=settings.allow_unsafe_redis, partitions=settings.partitions
        )
        with translate_errors():
            kept = await describe_durability(client)
            acks, lacking = await open_acks(client, settings.store_acks)
        blocking = await connect(url, timeout_s=BLOCK_S + 5)
        # From here on both are closed by the caller.
        stack.pop_all()
        scripts = Scripts(client, run_days=settings.run_days, acks=acks)
        return StoreConnection(client, blocking, scripts, kept, (*warnings, *lacking))


@dataclass(frozen=True, slots=True)
class StorePorts:
    """Every port of one store; failpoints are armed in them.

    `durability` says what its writes survive.
    """

    client: Client
    durability: str
    scripts: Scripts
    partitions: keys.Partitions
    mailbox: RedisMailbox
    arrivals: Arrivals
    decisions: RedisDecisions
    outbox: RedisOutbox
    operations: Operations
    archive: Archive
    listing: Listing
    drafts: Drafts
    findings: Findings
    cases: Cases
    inbox: Inbox
    own_runs: OwnRuns
    memory: Memory
    numbers: ModelNumbers
    spending: ModelSpending
    published: Published
    rate: Rate
    sessions: Sessions
    admissions: Admissions
    projects: Projects

    async def probe(self) -> None:
        """Write into every partition; raises StoreError."""
        await probe_writes(self.client, self.partitions.count, self.scripts.acks)

    async def read_state(self) -> StoreState:
        """What the store is now; raises StoreError."""
        return await read_state(self.client)

    def refusal(self, error: BaseException) -> str:
        """Why the store takes no writes: `full`, `read only`, or `away`."""
        return refusal_reason(error)


@asynccontextmanager
async def open_store_ports(settings: Settings) -> AsyncIterator[StorePorts]:
    """The store for an operator's command.

    Raises DefinitionError for a store that cannot be used, StoreUnavailable.
    """
    async with AsyncExitStack() as stack:
        yield build_store_ports(settings, await connect_store(settings, stack), stack)


def build_store_ports(
    settings: Settings, store: StoreConnection, stack: AsyncExitStack
) -> StorePorts:
    """The ports of a store; `stack` lets their last script end before it closes the store."""
    client, partitions = store.client, keys.Partitions(settings.partitions)
    scripts, acks = store.scripts, store.scripts.acks
    stack.push_async_callback(scripts.drain)
    arm = Failpoint(settings.failpoint).arm
    mailbox = RedisMailbox(
        scripts,
        partitions,
        lease_s=settings.lease_s,
        bell=store.blocking,
        bounds=LaneBounds(length=settings.mailbox_length, age_s=settings.mailbox_age_s),
    )
    outbox = RedisOutbox(scripts, partitions, lease_s=settings.lease_s, holder=mailbox.holder)
    return StorePorts(
        client=client,
        durability=store.durability,
        scripts=scripts,
        partitions=partitions,
        mailbox=arm("mailbox", mailbox),
        arrivals=RedisArrivals(scripts, partitions),
        decisions=arm("decisions", RedisDecisions(scripts, partitions)),
        outbox=arm("outbox", outbox),
        operations=RedisOperations(scripts, partitions),
        archive=RedisArchive(scripts, partitions),
        listing=RedisListing(scripts, partitions),
        drafts=RedisDrafts(scripts, partitions),
        findings=RedisFindings(scripts),
        cases=RedisCases(client, partitions),
        inbox=RedisInbox(scripts, partitions),
        own_runs=RedisOwnRuns(scripts, partitions),
        memory=arm("memory", RedisMemory(client, acks=acks)),
        numbers=RedisModelNumbers(client),
        spending=RedisModelSpending(client),
        published=RedisPublished(client, acks),
        rate=RedisRate(client),
        sessions=RedisSessions(client),
        admissions=RedisAdmissions(client),
        projects=arm("projects", RedisProjects(client, acks)),
    )


def observe_commits(store: StorePorts, observe: Observe) -> StorePorts:
    """The same store, whose commits and decisions `observe` hears of once they are made."""
    mailbox = _observed(store.mailbox, "commit", observe)
    return replace(store, mailbox=mailbox, decisions=_observed(store.decisions, "decide", observe))


def _observed(port: Port, call: str, observe: Observe) -> Port:
    return cast(Port, _ObservedPort(port, call, observe))


class _ObservedPort:
    """A port of which one call takes Effects, and tells of them afterwards."""

    def __init__(self, port: Any, call: str, observe: Observe) -> None:
        self._port, self._call, self._observe = port, call, observe

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._port, name)
        return self._telling(attribute) if name == self._call else attribute

    def _telling(self, call: Callable[..., Any]) -> Callable[..., Any]:
        async def call_and_tell(*args: Any, **named: Any) -> Any:
            answer = await call(*args, **named)
            effects = named.get("effects") or next(a for a in args if isinstance(a, Effects))
            self._observe(effects)
            return answer

        return call_and_tell
