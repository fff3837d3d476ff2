"""Settings become the parts of a running service: concrete classes are named only here.

Those of the platforms, of people and of files are named in `bot/wiring_*.py` beside it.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from adapters.clock import SystemClock
from adapters.knowledge.search import DocumentSearch
from adapters.mcp.tools import McpTools
from adapters.openai import OpenAIModel
from adapters.redis import keys
from adapters.redis.archive import RedisArchive
from adapters.redis.client import Client
from adapters.redis.findings import RedisFindings
from adapters.redis.inbox import RedisInbox
from adapters.redis.listing import RedisListing
from adapters.redis.memory import RedisMemory
from adapters.redis.model_numbers import RedisModelNumbers
from adapters.redis.operations import RedisOperations
from adapters.redis.rooms import RedisPublished, RedisRate
from adapters.redis.scripts import Scripts
from adapters.redis.sessions import RedisSessions
from adapters.redis.store import RedisDecisions, RedisMailbox, RedisOutbox
from adapters.sync.http import HttpRecord
from adapters.sync.sample import SampleRecord
from adapters.sync.targets import Targets
from bot.current import Current
from bot.definitions import load_definitions
from bot.failpoints import Failpoint
from bot.groups import Groups
from bot.handling import Handling
from bot.intake import Intake
from bot.limiting import Limited
from bot.masking import masking
from bot.meter import SharedMeter
from bot.metered import Metered
from bot.model_watch import ModelWatch
from bot.outside import load_servers
from bot.people import Directory
from bot.projects import by_conversation
from bot.records import open_redcap, open_study
from bot.reloading import Reloading, fingerprint, open_reloading
from bot.settings import Settings
from bot.spans import Spans, open_spans
from bot.stopping import unless
from bot.store import Store, open_store
from bot.watching import WatchedModel
from bot.wiring_files import open_files
from bot.wiring_people import open_groups
from bot.wiring_platforms import Adapter, open_platforms, places, secret
from engine.playbooks.model import Playbook
from engine.ports.archive import Archive
from engine.ports.findings import Findings
from engine.ports.inbox import Inbox
from engine.ports.library import Library
from engine.ports.listing import Listing
from engine.ports.model import Model
from engine.ports.model_numbers import ModelNumbers
from engine.ports.platform import Rate
from engine.ports.published import Published
from engine.ports.records import Records
from engine.ports.sessions import Sessions
from engine.ports.store import Bounds, Mailbox, Operations
from engine.ports.sync import SystemOfRecord
from engine.react import Budget
from engine.rules.soft import SoftLimits
from engine.tools.registry import READONLY, TOOLS
from engine.tools.remote import CurrentTools
from engine.turn.tracing import Tracing

STUDY = "clinical_qc"
"""The playbook whose project the study's records are."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A wired service; both processes use the same parts."""

    settings: Settings
    client: Client
    durability: str
    scripts: Scripts
    people: Directory
    groups: Groups
    current: Current
    reloading: Reloading
    platforms: Mapping[str, Adapter]
    mailbox: RedisMailbox
    outbox: RedisOutbox
    record: SystemOfRecord
    findings: Findings
    inbox: Inbox
    operations: Operations
    archive: Archive
    listing: Listing
    sessions: Sessions
    numbers: ModelNumbers
    watch: ModelWatch
    rate: Rate
    meter: SharedMeter
    spans: Spans
    intake: Metered
    remote: McpTools
    handling: Handling
    clock: SystemClock


@asynccontextmanager
async def open_parts(settings: Settings, stop: asyncio.Event | None = None) -> AsyncIterator[Parts]:
    """The service's parts, opened and checked; raises DefinitionError or StoreUnavailable.

    Raises Stopped as soon as `stop` is set while the store is waited for.
    """
    # Before it is loaded, so that a change in between is noticed later.
    seen = fingerprint(settings.playbooks)
    definitions = load_definitions(settings)
    servers = load_servers(settings.mcp, definitions.people.roles)
    remote = McpTools(servers, [tool.name for tool in TOOLS])
    async with AsyncExitStack() as stack:
        store = await unless(stop, open_store(settings, stack))
        records = _open_records(settings, definitions.playbooks, stack)
        groups = open_groups(settings, store, definitions.people, stack)
        await groups.load()
        people = definitions.people.resolved(groups.members)
        platforms = open_platforms(settings, store, people, stack)
        files, inbox_files = open_files(settings, platforms)
        connected = people.connected(places(settings, platforms))
        partitions = keys.Partitions(settings.partitions)
        scripts = Scripts(store.client)
        stack.push_async_callback(scripts.idle)
        arm = Failpoint(settings.failpoint).arm
        decisions = arm("decisions", RedisDecisions(scripts, partitions))
        mailbox = arm("mailbox", _mailbox(settings, store, scripts, partitions))
        numbers = RedisModelNumbers(store.client)
        meter = SharedMeter(numbers)
        spans = open_spans(settings.otlp_endpoint, f"{os.getpid()}@{socket.gethostname()}")
        stack.push_async_callback(spans.close)
        watch = ModelWatch(numbers, mailbox, connected, meter)
        clock = SystemClock(settings.timezone)
        knowledge = DocumentSearch(definitions.documents)
        stack.callback(knowledge.close)
        published = RedisPublished(store.client)
        findings = RedisFindings(store.client)
        inbox = RedisInbox(scripts, partitions)
        reloading = await open_reloading(
            settings, definitions, published=published, search=knowledge.replace, seen=seen
        )
        handling = Handling(
            decisions=decisions,
            records=arm("records", records),
            people=connected,
            tools=CurrentTools(READONLY, remote),
            current=reloading.current,
            playbook=reloading.current.playbook,
            model=_open_model(settings, watch, spans, stack),
            clock=clock,
            new_id=partitions.new_id,
            derived_id=partitions.derived_id,
            zone=settings.timezone,
            reply_after_s=settings.reply_after_s,
            library=Library(knowledge, arm("memory", RedisMemory(store.client)), files),
            files=inbox_files,
            findings=findings,
            inbox=inbox,
            project=by_conversation(settings.projects, default=records.project),
            budget=Budget(settings.react_iterations, settings.react_tokens),
            tracing=Tracing(settings.trace_days * 86_400, masking(settings.trace_mask)),
            soft=SoftLimits(settings.soft_rounds, settings.soft_confidence),
            meter=meter,
            spans=spans,
        )
        yield Parts(
            settings=settings,
            client=store.client,
            durability=store.durability,
            scripts=scripts,
            people=connected,
            groups=groups,
            current=reloading.current,
            reloading=reloading,
            platforms={name: arm("platform", adapter) for name, adapter in platforms.items()},
            mailbox=mailbox,
            outbox=arm("outbox", RedisOutbox(scripts, partitions, lease_s=settings.lease_s)),
            record=_open_record(settings, clock, stack),
            findings=findings,
            inbox=inbox,
            operations=RedisOperations(scripts, partitions),
            archive=RedisArchive(scripts, partitions),
            listing=RedisListing(scripts, partitions),
            sessions=RedisSessions(store.client),
            numbers=numbers,
            watch=watch,
            rate=RedisRate(store.client),
            meter=meter,
            spans=spans,
            intake=Metered(
                Limited(
                    Intake(mailbox, decisions, connected, settings.timezone, inbox),
                    clock,
                    per_minute=settings.messages_per_min,
                ),
                meter,
                clock,
                spans=spans,
                texts=settings.log_texts,
            ),
            remote=remote,
            handling=arm("handling", handling),
            clock=clock,
        )


def _mailbox(
    settings: Settings, store: Store, scripts: Scripts, partitions: keys.Partitions
) -> RedisMailbox:
    return RedisMailbox(
        scripts,
        partitions,
        lease_s=settings.lease_s,
        bell=store.blocking,
        bounds=Bounds(length=settings.mailbox_length, age_s=settings.mailbox_age_s),
    )


@asynccontextmanager
async def open_operations(settings: Settings) -> AsyncIterator[Operations]:
    """What an operator's commands need of the store; raises as `open_parts` does."""
    async with AsyncExitStack() as stack:
        store = await open_store(settings, stack)
        yield RedisOperations(Scripts(store.client), keys.Partitions(settings.partitions))


@dataclass(frozen=True, slots=True)
class Kept:
    """What commands about runs and traces need of the store."""

    archive: Archive
    operations: Operations
    mailbox: Mailbox
    published: Published


@asynccontextmanager
async def open_archive(settings: Settings) -> AsyncIterator[Kept]:
    """Runs, and the playbooks that they began with; raises as `open_parts` does."""
    async with AsyncExitStack() as stack:
        store = await open_store(settings, stack)
        scripts, partitions = Scripts(store.client), keys.Partitions(settings.partitions)
        stack.push_async_callback(scripts.idle)
        yield Kept(
            archive=RedisArchive(scripts, partitions),
            operations=RedisOperations(scripts, partitions),
            mailbox=_mailbox(settings, store, scripts, partitions),
            published=RedisPublished(store.client),
        )


def _open_records(
    settings: Settings, playbooks: Mapping[str, Playbook], stack: AsyncExitStack
) -> Records:
    """Records of the REDCap server that is set, else of the sample study."""
    if settings.redcap_on:
        redcap = open_redcap(settings, playbooks[STUDY].definition.project)
        stack.push_async_callback(redcap.close)
        return redcap
    sample = open_study(settings)
    stack.callback(sample.close)
    return sample


def _open_record(settings: Settings, clock: SystemClock, stack: AsyncExitStack) -> SystemOfRecord:
    """The system of record that each playbook names; nothing is opened before the first change."""
    sample = SampleRecord(settings.data_dir / "matters.sqlite3")
    stack.callback(sample.close)
    http = HttpRecord(settings.sync_secret, clock)
    stack.push_async_callback(http.close)
    return Targets(sample=sample, http=http)


def _open_model(
    settings: Settings, watch: ModelWatch, spans: Spans, stack: AsyncExitStack
) -> Model | None:
    if settings.llm_model is None:
        return None
    model = OpenAIModel(
        api_key=secret(settings.openai_api_key),
        base_url=settings.openai_base_url or "",
        model=settings.llm_model,
        fallbacks=settings.llm_fallback_models,
        concurrency=settings.llm_concurrency,
        prices=settings.llm_prices,
        observer=watch,
    )
    stack.push_async_callback(model.close)
    return WatchedModel(model, spans)
