"""Settings become the parts of a running service: concrete classes are named only here.

Those of the store, the platforms, of people and of files are named in the modules beside it.
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
from adapters.redis.client.client import Client
from adapters.redis.kept.slate import RedisSlate
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox, RedisOutbox
from adapters.slack.platform import SlackPlatform
from adapters.sync.http import HttpRecord
from adapters.sync.sample import SampleRecord
from adapters.sync.targets import Targets
from bot.definitions.current import Current
from bot.definitions.definitions import Definitions, load_definitions
from bot.definitions.outside import load_servers
from bot.definitions.projects import by_conversation
from bot.definitions.records import open_redcap, open_study
from bot.definitions.reloading import Reloading, fingerprint, open_reloading
from bot.failpoints import Failpoint
from bot.masking import masking, no_keys
from bot.people.directory import Directory
from bot.people.groups import Groups
from bot.people.standing import Standings
from bot.serve.delivery.drafting import Drafting
from bot.serve.intake.entrants import Doorkeeper, Entrants
from bot.serve.intake.intake import Intake
from bot.serve.intake.limiting import Limited
from bot.serve.intake.overhearing import Overhearing
from bot.serve.intake.shown_once import ShownOnce
from bot.serve.work.handling import Handling
from bot.serve.work.model_lanes import LaneModel
from bot.settings import Settings
from bot.stopping import unless
from bot.telemetry.loop_lag import LoopLag
from bot.telemetry.meter import SharedMeter
from bot.telemetry.metered import Metered
from bot.telemetry.model_watch import ModelWatch
from bot.telemetry.spans import Spans, open_spans
from bot.telemetry.watching import WatchedModel
from bot.wiring.files import open_files
from bot.wiring.people import open_entrants, open_groups
from bot.wiring.platforms import Adapter, open_platforms, places
from bot.wiring.rooms import Rooms, open_rooms
from bot.wiring.slack import secret
from bot.wiring.store import Store, open_store
from engine.playbooks.model import Playbook
from engine.ports.inbox_files import InboxFiles
from engine.ports.library import Files, Knowledge, Library
from engine.ports.model import Model
from engine.ports.platform import Rate
from engine.ports.records import Records
from engine.ports.storage.archive import Archive
from engine.ports.storage.drafts import UNSEEN, Drafts
from engine.ports.storage.findings import Findings
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.listing import Listing
from engine.ports.storage.model_numbers import ModelNumbers
from engine.ports.storage.operations import Operations
from engine.ports.storage.published import Published
from engine.ports.storage.sessions import Sessions
from engine.ports.storage.store import Mailbox
from engine.ports.sync import SystemOfRecord
from engine.react import Budget
from engine.rules.soft import SoftLimits
from engine.talk.turn.tracing import Tracing
from engine.tools.registry import READONLY, TOOLS
from engine.tools.remote import CurrentTools

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
    entrants: Entrants
    current: Current
    reloading: Reloading
    platforms: Mapping[str, Adapter]
    mailbox: RedisMailbox
    outbox: RedisOutbox
    drafts: Drafts
    drafting: Drafting
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
    intake: Overhearing
    standings: Standings
    lag: LoopLag
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
    async with AsyncExitStack() as stack:
        store = await unless(stop, open_store(settings, stack))
        outside = await unless(stop, _open_outside(settings, definitions, store, stack))
        rooms = open_rooms(settings, store, stack)
        watched = _open_watched(settings, rooms, outside.people, stack)
        knowledge = DocumentSearch(definitions.documents)
        stack.callback(knowledge.close)
        opening = open_reloading(
            settings, definitions, published=rooms.published, search=knowledge.replace, seen=seen
        )
        reloading = await unless(stop, opening)
        remote = McpTools(servers, [tool.name for tool in TOOLS])
        drafting = Drafting(
            rooms.drafts, outside.platforms, outside.clock, no_keys(settings.secrets)
        )
        inside = _Inside(store, rooms, watched, reloading, remote, drafting)
        handling = _handling(settings, outside, inside, knowledge)
        yield _parts(settings, outside, inside, handling)


@dataclass(frozen=True, slots=True)
class _Outside:
    """What lies outside of the store: platforms, people on them, records, files."""

    records: Records
    record: SystemOfRecord
    groups: Groups
    entrants: Entrants
    people: Directory
    platforms: Mapping[str, Adapter]
    files: Files
    inbox_files: InboxFiles
    clock: SystemClock


@dataclass(frozen=True, slots=True)
class _Watched:
    """What counts and watches, and the model that is watched."""

    meter: SharedMeter
    spans: Spans
    watch: ModelWatch
    model: Model | None


@dataclass(frozen=True, slots=True)
class _Inside:
    """The store and what is read and counted over it."""

    store: Store
    rooms: Rooms
    watched: _Watched
    reloading: Reloading
    remote: McpTools
    drafting: Drafting


async def _open_outside(
    settings: Settings, definitions: Definitions, store: Store, stack: AsyncExitStack
) -> _Outside:
    clock = SystemClock(settings.timezone)
    records = _open_records(settings, definitions.playbooks, stack)
    groups = await open_groups(settings, store, definitions.people, stack)
    entrants = await open_entrants(store)
    people = definitions.people.kept_apart(settings.slack_many).resolved(groups.members)
    people = people.admitting(entrants.has)
    platforms = open_platforms(settings, store, people, stack)
    files, inbox_files = open_files(settings, platforms)
    return _Outside(
        records=records,
        record=_open_record(settings, clock, stack),
        groups=groups,
        entrants=entrants,
        people=people.connected(places(settings, platforms)),
        platforms=platforms,
        files=files,
        inbox_files=inbox_files,
        clock=clock,
    )


def _open_watched(
    settings: Settings, rooms: Rooms, people: Directory, stack: AsyncExitStack
) -> _Watched:
    meter = SharedMeter(rooms.numbers)
    spans = open_spans(settings.otlp_endpoint, f"{os.getpid()}@{socket.gethostname()}")
    stack.push_async_callback(spans.close)
    watch = ModelWatch(rooms.numbers, rooms.mailbox, people, meter)
    return _Watched(meter, spans, watch, _open_model(settings, watch, spans, stack))


def _handling(
    settings: Settings, outside: _Outside, inside: _Inside, knowledge: Knowledge
) -> Handling:
    rooms, watched, current = inside.rooms, inside.watched, inside.reloading.current
    records = outside.records
    return Handling(
        decisions=rooms.decisions,
        records=Failpoint(settings.failpoint).arm("records", records),
        people=outside.people,
        tools=CurrentTools(READONLY, inside.remote),
        current=current,
        playbook=current.playbook,
        model=watched.model,
        clock=outside.clock,
        new_id=rooms.partitions.new_id,
        derived_id=rooms.partitions.derived_id,
        zone=settings.timezone,
        reply_after_s=settings.reply_after_s,
        library=Library(knowledge, rooms.memory, outside.files),
        files=outside.inbox_files,
        findings=rooms.findings,
        inbox=rooms.inbox,
        project=by_conversation(
            settings.projects, default=records.project, apart=settings.slack_many
        ),
        budget=Budget(settings.react_iterations, settings.react_tokens),
        tracing=Tracing(settings.trace_days * 86_400, masking(settings.trace_mask)),
        soft=SoftLimits(settings.soft_rounds, settings.soft_confidence),
        run_budget=settings.run_budget,
        graph_budget=settings.graph_budget,
        meter=watched.meter,
        spans=watched.spans,
        drafting=inside.drafting if settings.streaming else UNSEEN,
        admissions=rooms.admissions,
    )


def _parts(settings: Settings, outside: _Outside, inside: _Inside, handling: Handling) -> Parts:
    rooms, watched = inside.rooms, inside.watched
    arm = Failpoint(settings.failpoint).arm
    for platform in outside.platforms.values():
        if isinstance(platform, SlackPlatform):
            platform.count_in(watched.meter)
    platforms = {name: arm("platform", each) for name, each in outside.platforms.items()}
    return Parts(
        settings=settings,
        client=inside.store.client,
        durability=inside.store.durability,
        scripts=rooms.scripts,
        people=outside.people,
        groups=outside.groups,
        entrants=outside.entrants,
        current=inside.reloading.current,
        reloading=inside.reloading,
        platforms=platforms,
        standings=Standings(platforms, outside.clock),
        lag=LoopLag(),
        mailbox=rooms.mailbox,
        outbox=rooms.outbox,
        drafts=rooms.drafts,
        drafting=inside.drafting,
        record=outside.record,
        findings=rooms.findings,
        inbox=rooms.inbox,
        operations=rooms.operations,
        archive=rooms.archive,
        listing=rooms.listing,
        sessions=rooms.sessions,
        numbers=rooms.numbers,
        watch=watched.watch,
        rate=rooms.rate,
        meter=watched.meter,
        spans=watched.spans,
        intake=_intake(settings, rooms, watched, outside, handling),
        remote=inside.remote,
        handling=arm("handling", handling),
        clock=outside.clock,
    )


def _intake(
    settings: Settings, rooms: Rooms, watched: _Watched, outside: _Outside, handling: Handling
) -> Overhearing:
    clock = outside.clock
    intake = Intake(
        rooms.mailbox,
        rooms.decisions,
        outside.people,
        settings.timezone,
        rooms.inbox,
        rooms.arrivals,
        Doorkeeper(outside.people, rooms.mailbox, rooms.numbers, rooms.rate),
        handling.help_text,
    )
    metered = Metered(
        ShownOnce(
            Limited(intake, clock, per_minute=settings.messages_per_min, repeated=intake.repeated),
            RedisSlate(rooms.scripts.client),
            clock,
        ),
        watched.meter,
        clock,
        spans=watched.spans,
        texts=settings.log_texts,
    )
    return Overhearing(metered, rooms.decisions, outside.people, rooms.arrivals)


@asynccontextmanager
async def open_operations(settings: Settings) -> AsyncIterator[Operations]:
    """What an operator's commands need of the store; raises as `open_parts` does."""
    async with AsyncExitStack() as stack:
        store = await open_store(settings, stack)
        yield open_rooms(settings, store, stack).operations


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
        rooms = open_rooms(settings, await open_store(settings, stack), stack)
        yield Kept(rooms.archive, rooms.operations, rooms.mailbox, rooms.published)


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
    # A fifth of what a process loads at its start: only for who has a model.
    from adapters.openai import OpenAIModel

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
    return WatchedModel(LaneModel(model), spans, SystemClock(settings.timezone))
