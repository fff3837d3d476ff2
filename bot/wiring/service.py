"""Settings become the parts of a running service: concrete classes are named only in this room."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from adapters.connections.mcp.tools import McpTools
from bot.definitions.entity_lists import EntityLists
from bot.definitions.folder_projects import folder_projects, project_days
from bot.definitions.loader import Definitions, load_definitions
from bot.definitions.mcp_servers import load_servers
from bot.definitions.projects import LiveProjects
from bot.definitions.reloader import (
    Fingerprint,
    FixedFiles,
    PeopleWatch,
    Reloader,
    fingerprint_files,
    fingerprint_folder,
    open_reloader,
)
from bot.failpoints import Failpoint, arm_connection
from bot.kept_note import KeptNote, folder_note
from bot.masking import compile_key_mask, compile_mask
from bot.serve.delivery.streaming import DraftWriter
from bot.serve.intake.filters import OverheardFilter
from bot.serve.work.allowance import Allowance, AllowedModel
from bot.serve.work.handler import MailHandler
from bot.serve.work.model_queue import QueuedModel, current_project
from bot.settings import Settings
from bot.telemetry.card_watch import CardWatch
from bot.telemetry.instrumentation import Spans, TimedModel, open_spans
from bot.telemetry.loop_lag import LoopLag
from bot.telemetry.metrics import SharedMeter
from bot.telemetry.model_watch import ModelWatch
from bot.telemetry.platform_health import PlatformHealth
from bot.telemetry.store_watch import StoreWatch
from bot.waits import retry_until_available, run_unless_stopped
from bot.wiring.clock import open_clock
from bot.wiring.connections import (
    Connections,
    GuardedConnections,
    connections_file,
    load_connections,
)
from bot.wiring.incoming import answer_platforms, build_intake
from bot.wiring.model import open_model
from bot.wiring.resources import Resources, open_resources
from bot.wiring.stand_ins import AS_IN_LIFE, StandIns
from bot.wiring.store import Observe, StorePorts, build_store_ports, connect_store, observe_commits
from engine.ports.clock import Clock
from engine.ports.library import Library
from engine.ports.model import Model
from engine.react import Budget
from engine.rules.soft import SoftLimits
from engine.services import ServiceLimits, Services, TraceSettings
from engine.toolbox.toolbox import Toolbox
from engine.tools import registry
from engine.tools.remote import CurrentTools


@dataclass(frozen=True, slots=True)
class Telemetry:
    """What counts and watches."""

    meter: SharedMeter
    spans: Spans
    watch: ModelWatch
    platform_health: PlatformHealth
    lag: LoopLag
    store: StoreWatch
    cards: CardWatch


@dataclass(frozen=True, slots=True)
class Parts:
    """A wired service; both processes use the same parts.

    `secrets` are all that nobody may be shown: of settings and of connections.
    """

    settings: Settings
    store: StorePorts
    resources: Resources
    telemetry: Telemetry
    reloader: Reloader
    projects: LiveProjects
    remote: McpTools
    connections: GuardedConnections
    drafting: DraftWriter
    entity_lists: EntityLists
    services: Services
    handler: MailHandler
    intake: OverheardFilter
    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FolderContents:
    """What the files of a service say; nothing is connected yet.

    `fingerprint` is that of the playbooks folder, `fixed` that of people and connections, both from
    just before they were read.
    """

    connections: Connections
    definitions: Definitions
    fingerprint: Fingerprint
    fixed: Fingerprint

    def is_current(self, settings: Settings) -> bool:
        """Whether the files are still the same."""
        return (self.fingerprint, self.fixed) == _fingerprints(settings)


def _fixed_files(settings: Settings) -> tuple[Path, ...]:
    return (settings.people, connections_file(settings))


def _fingerprints(settings: Settings) -> tuple[Fingerprint, Fingerprint]:
    fixed = fingerprint_files(_fixed_files(settings))
    return fingerprint_folder(settings.playbooks, settings.skills), fixed


def read_folder(settings: Settings) -> FolderContents:
    """Raises DefinitionError with the problems of the connections, or else of all the rest."""
    # Before it is loaded, so that a change in between is noticed later.
    fingerprints = _fingerprints(settings)
    connections = load_connections(settings)
    definitions = load_definitions(settings, connections.toolbox)
    return FolderContents(connections, definitions, *fingerprints)


def share_folder(settings: Settings) -> FolderContents:
    """The same for processes that are then copied from this one: they share what is made of it."""
    contents = read_folder(settings)
    # The models of arguments, and what is known of texts, are kept.
    contents.definitions.route_table()
    return contents


@asynccontextmanager
async def open_parts(
    settings: Settings,
    stop: asyncio.Event | None = None,
    stand_ins: StandIns = AS_IN_LIFE,
    *,
    observe: Observe | None = None,
    contents: FolderContents | None = None,
) -> AsyncIterator[Parts]:
    """The service's parts, opened and checked; raises DefinitionError or StoreUnavailable.

    Raises Stopped as soon as `stop` is set while the store is waited for. `stand_ins` are there in
    place of parts that the settings would open. `observe` hears of everything that is committed.
    Files that are as they were when the `contents` were read are not read again.
    """
    async with AsyncExitStack() as stack:
        base = await _open_base(settings, stop, stand_ins, observe, stack, contents)
        store, resources, reloader = base.store, base.resources, base.reloader
        masked = compile_key_mask(base.secrets, settings.key_patterns)
        drafting = DraftWriter(store.drafts, resources.platforms, base.clock, masked)
        model = stand_ins.model or _open_model(settings, base, stack)
        services = _services(settings, base, model)
        lists = EntityLists(services, lambda: reloader.current.snapshot.playbooks)
        services = replace(services, listed_entities=lists.entities)
        if settings.streaming:
            services = replace(services, drafting=drafting)
        tools = CurrentTools(base.remote)
        handler = MailHandler(
            services, reloader.current, tools, base.telemetry.spans, base.projects.refresh
        )
        answer_platforms(settings, store, resources, handler)
        yield Parts(
            settings=settings,
            store=store,
            resources=resources,
            telemetry=base.telemetry,
            reloader=reloader,
            projects=base.projects,
            remote=base.remote,
            connections=base.connections,
            drafting=drafting,
            entity_lists=lists,
            services=services,
            handler=Failpoint(settings.failpoint).arm("handling", handler),
            intake=build_intake(settings, store, resources, handler),
            secrets=base.secrets,
        )


@dataclass(frozen=True, slots=True)
class _Base:
    """What the service stands on: the store, all that is opened around it, and the definitions."""

    clock: Clock
    store: StorePorts
    resources: Resources
    telemetry: Telemetry
    connections: GuardedConnections
    toolbox: Toolbox
    reloader: Reloader
    projects: LiveProjects
    remote: McpTools
    secrets: tuple[str, ...]


async def _open_base(
    settings: Settings,
    stop: asyncio.Event | None,
    stand_ins: StandIns,
    observe: Observe | None,
    stack: AsyncExitStack,
    contents: FolderContents | None,
) -> _Base:
    clock = stand_ins.clock or open_clock(settings)
    contents = _current_contents(settings, stand_ins, contents)
    connections, definitions = contents.connections, contents.definitions
    servers = load_servers(settings.mcp, definitions.people.roles)
    connected = stand_ins.store
    if connected is None:
        connected = await run_unless_stopped(stop, connect_store(settings, stack))
    store = build_store_ports(settings, connected, stack)
    if observe is not None:
        store = observe_commits(store, observe)
    meter = SharedMeter(store.numbers)
    projects = LiveProjects(
        store.projects,
        settings,
        folder_projects(settings),
        lambda: reloader.current.snapshot.playbooks,
    )
    await run_unless_stopped(stop, retry_until_available(projects.refresh))
    around = open_resources(
        settings,
        definitions,
        connected,
        meter=meter,
        stack=stack,
        stand_ins=stand_ins,
        projects=projects,
    )
    resources = await run_unless_stopped(stop, around)
    telemetry = _open_telemetry(
        settings, store, resources, meter, stack, clock, None if stand_ins.clock else clock
    )
    guarded = _guard(connections, settings, meter, telemetry, stack)
    if stand_ins.definitions is None:
        definitions = replace(definitions, toolbox=guarded.toolbox)
    opening = open_reloader(
        settings,
        definitions,
        published=store.published,
        index_documents=resources.documents.replace,
        fingerprint=contents.fingerprint,
        note=folder_note(settings.data_dir, settings.playbooks),
        fixed=FixedFiles((connections_file(settings),), contents.fixed),
        watch=None if stand_ins.definitions else PeopleWatch(settings, contents.fixed),
        snapshot=stand_ins.snapshot,
    )
    reloader = await run_unless_stopped(stop, opening)
    return _Base(
        clock=clock,
        store=store,
        resources=resources,
        telemetry=telemetry,
        connections=guarded,
        toolbox=definitions.toolbox,
        reloader=reloader,
        projects=projects,
        remote=McpTools(servers, [tool.name for tool in registry.TOOLS]),
        secrets=(*settings.secrets(), *connections.secrets),
    )


def _current_contents(
    settings: Settings, stand_ins: StandIns, contents: FolderContents | None
) -> FolderContents:
    if stand_ins.definitions is not None:
        return FolderContents(Connections(), stand_ins.definitions, *_fingerprints(settings))
    return contents if contents and contents.is_current(settings) else read_folder(settings)


def _services(settings: Settings, base: _Base, model: Model | None) -> Services:
    store, resources, current = base.store, base.resources, base.reloader.current
    return Services(
        clock=base.clock,
        zone=settings.timezone,
        people=resources.people,
        model=model,
        decisions=store.decisions,
        findings=store.findings,
        cases=store.cases,
        inbox=store.inbox,
        playbook=current.playbook,
        new_id=store.partitions.new_id,
        derived_id=store.partitions.derived_id,
        project=base.projects.of,
        projects=lambda: base.projects.book,
        kept_projects=store.projects,
        tracing=TraceSettings(
            settings.trace_days * 86_400, compile_mask(settings.trace_mask), base.projects.of
        ),
        library=Library(resources.documents, store.memory, resources.files, resources.drafts),
        files=resources.inbox_files,
        admissions=store.admissions,
        waiting=store.arrivals.waiting,
        own_runs=store.own_runs,
        run_link=resources.run_links,
        meter=base.telemetry.meter,
        toolbox=base.toolbox,
        limits=_limits(settings),
    )


def _limits(settings: Settings) -> ServiceLimits:
    return ServiceLimits(
        reply_after_s=settings.reply_after_s,
        react=Budget(settings.react_iterations, settings.react_tokens, settings.react_tools),
        soft=SoftLimits(settings.soft_rounds, settings.soft_confidence),
        run=settings.run_budget,
        graph=settings.graph_budget,
        run_days=settings.run_days,
        case_keep_s=settings.case_days * 86_400,
        case_keep_of={p: d * 86_400 for p, d in project_days(settings, "cases").items()},
    )


def _open_telemetry(
    settings: Settings,
    store: StorePorts,
    resources: Resources,
    meter: SharedMeter,
    stack: AsyncExitStack,
    clock: Clock,
    machine_clock: Clock | None,
) -> Telemetry:
    """All of it, over these parts; closed with the stack.

    The `machine_clock` is None where the process goes by another.
    """
    spans = open_spans(settings.otlp_endpoint, f"{os.getpid()}@{socket.gethostname()}")
    stack.push_async_callback(spans.close)
    return Telemetry(
        meter=meter,
        spans=spans,
        watch=ModelWatch(store.numbers, store.mailbox, resources.people, meter),
        platform_health=PlatformHealth(resources.platforms, clock),
        lag=LoopLag(),
        cards=CardWatch(store.inbox),
        store=StoreWatch(
            store.read_state,
            machine_clock,
            KeptNote(settings.data_dir / "store.id"),
            durability=store.durability,
            allows_unsafe=settings.allow_unsafe_redis,
        ),
    )


def _open_model(settings: Settings, base: _Base, stack: AsyncExitStack) -> Model | None:
    """The model of the settings, watched, timed and within the day's limits; None for none."""
    telemetry, clock = base.telemetry, base.clock
    model = open_model(settings, stack, telemetry.watch)
    if model is None:
        return None
    timed: Model = TimedModel(QueuedModel(model), telemetry.spans, clock, project=current_project)
    if not settings.allowances:
        return timed
    allowances = {whose: Allowance(*limits) for whose, limits in settings.allowances.items()}
    return AllowedModel(
        timed,
        base.store.spending,
        allowances,
        clock=clock,
        zone=settings.timezone,
        meter=telemetry.meter,
    )


def _guard(
    connections: Connections,
    settings: Settings,
    meter: SharedMeter,
    telemetry: Telemetry,
    stack: AsyncExitStack,
) -> GuardedConnections:
    """The connections, watched: one that is away is left alone, and told of."""
    arm = partial(arm_connection, Failpoint(settings.failpoint))
    guarded = connections.guard(meter, telemetry.watch.connection_changed, arm)
    stack.push_async_callback(guarded.close)
    return guarded
