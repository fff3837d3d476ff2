"""Settings become the parts of a running service: concrete classes are named only in this room."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from adapters.connections.mcp.tools import McpTools
from adapters.redis.repositories.platform_texts import RedisExpiringTexts
from bot.definitions.entity_lists import EntityLists
from bot.definitions.loader import load_definitions
from bot.definitions.mcp_servers import load_servers
from bot.definitions.projects import project_finder, shared_project
from bot.definitions.reloader import Reloader, fingerprint_folder, open_reloader
from bot.definitions.snapshot import LiveDefinitions
from bot.failpoints import Failpoint, arm_connection
from bot.masking import compile_key_mask, compile_mask
from bot.serve.delivery.streaming import DraftWriter
from bot.serve.intake.admissions import AdmissionRequests
from bot.serve.intake.field_checks import FieldChecks
from bot.serve.intake.filters import OverheardFilter, RateLimitFilter, RepeatedAnswerFilter
from bot.serve.intake.form_files import FormFilesFinder
from bot.serve.intake.intake import Intake
from bot.serve.work.handler import MailHandler
from bot.serve.work.model_queue import QueuedModel
from bot.settings import Settings
from bot.telemetry.instrumentation import MeteredIntake, Spans, TimedModel, open_spans
from bot.telemetry.loop_lag import LoopLag
from bot.telemetry.metrics import SharedMeter
from bot.telemetry.model_watch import ModelWatch
from bot.telemetry.platform_health import PlatformHealth
from bot.waits import run_unless_stopped
from bot.wiring.clock import open_clock
from bot.wiring.connections import Connections, GuardedConnections, load_connections
from bot.wiring.model import open_model
from bot.wiring.observed import Observe, observe_commits
from bot.wiring.resources import Resources, open_resources
from bot.wiring.stand_ins import AS_IN_LIFE, StandIns
from bot.wiring.store import StorePorts, build_store_ports, connect_store
from engine.ports.clock import Clock
from engine.ports.library import Library
from engine.ports.model import Model
from engine.ports.platform import SupportsExamples, SupportsFieldChecks
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
    remote: McpTools
    connections: GuardedConnections
    drafting: DraftWriter
    entity_lists: EntityLists
    services: Services
    handler: MailHandler
    intake: OverheardFilter
    secrets: tuple[str, ...]


@asynccontextmanager
async def open_parts(
    settings: Settings,
    stop: asyncio.Event | None = None,
    stand_ins: StandIns = AS_IN_LIFE,
    *,
    observe: Observe | None = None,
) -> AsyncIterator[Parts]:
    """The service's parts, opened and checked; raises DefinitionError or StoreUnavailable.

    Raises Stopped as soon as `stop` is set while the store is waited for. `stand_ins` are there in
    place of parts that the settings would open. `observe` hears of everything that is committed.
    """
    clock = stand_ins.clock or open_clock(settings)
    # Before it is loaded, so that a change in between is noticed later.
    fingerprint = fingerprint_folder(settings.playbooks, settings.skills)
    connections = Connections() if stand_ins.definitions else load_connections(settings)
    definitions = stand_ins.definitions or load_definitions(settings, connections.toolbox)
    servers = load_servers(settings.mcp, definitions.people.roles)
    async with AsyncExitStack() as stack:
        connected = await run_unless_stopped(stop, connect_store(settings, stack))
        store = build_store_ports(settings, connected, stack)
        if observe is not None:
            store = observe_commits(store, observe)
        meter = SharedMeter(store.numbers)
        around = open_resources(
            settings, definitions, connected, meter=meter, stack=stack, stand_ins=stand_ins
        )
        resources = await run_unless_stopped(stop, around)
        telemetry = _open_telemetry(settings, store, resources, meter, stack, clock)
        arm = partial(arm_connection, Failpoint(settings.failpoint))
        guarded = connections.guard(meter, telemetry.watch.connection_changed, arm)
        stack.push_async_callback(guarded.close)
        if stand_ins.definitions is None:
            definitions = replace(definitions, toolbox=guarded.toolbox)
        opening = open_reloader(
            settings,
            definitions,
            published=store.published,
            index_documents=resources.documents.replace,
            fingerprint=fingerprint,
            snapshot=stand_ins.snapshot,
        )
        reloader = await run_unless_stopped(stop, opening)
        remote = McpTools(servers, [tool.name for tool in registry.TOOLS])
        secrets = (*settings.secrets(), *connections.secrets)
        masked = compile_key_mask(secrets, settings.key_patterns)
        drafting = DraftWriter(store.drafts, resources.platforms, clock, masked)
        services = _services(
            settings,
            store,
            resources,
            current=reloader.current,
            model=stand_ins.model or _open_model(settings, telemetry, stack, clock),
            meter=meter,
            toolbox=definitions.toolbox,
            clock=clock,
        )
        lists = EntityLists(services, lambda: reloader.current.snapshot.playbooks)
        services = replace(services, listed_entities=lists.entities)
        if settings.streaming:
            services = replace(services, drafting=drafting)
        handler = MailHandler(services, reloader.current, CurrentTools(remote), telemetry.spans)
        _offer_examples(resources, handler)
        _offer_field_checks(settings, store, resources, handler)
        yield Parts(
            settings=settings,
            store=store,
            resources=resources,
            telemetry=telemetry,
            reloader=reloader,
            remote=remote,
            connections=guarded,
            drafting=drafting,
            entity_lists=lists,
            services=services,
            handler=Failpoint(settings.failpoint).arm("handling", handler),
            intake=_intake(settings, store, resources, telemetry, handler, clock),
            secrets=secrets,
        )


def _offer_examples(resources: Resources, handler: MailHandler) -> None:
    """Platforms that show what may be asked show what their reader may."""
    for platform in resources.platforms.values():
        if isinstance(platform, SupportsExamples):
            platform.suggest_from(handler.suggest_examples)


def _offer_field_checks(
    settings: Settings, store: StorePorts, resources: Resources, handler: MailHandler
) -> None:
    """Platforms that ask a form's fields one by one have each judged at once."""
    files = _form_files(settings, resources, handler).find
    entities, people = handler.entities_on, resources.people
    check = FieldChecks(store.decisions, people, settings.timezone, entities, files)
    for platform in resources.platforms.values():
        if isinstance(platform, SupportsFieldChecks):
            platform.check_fields_by(check)


def _form_files(settings: Settings, resources: Resources, handler: MailHandler) -> FormFilesFinder:
    return FormFilesFinder(
        resources.files,
        handler.services.project,
        kinds=settings.file_types,
        largest_mb=settings.file_max_mb,
    )


def _open_telemetry(
    settings: Settings,
    store: StorePorts,
    resources: Resources,
    meter: SharedMeter,
    stack: AsyncExitStack,
    clock: Clock,
) -> Telemetry:
    spans = open_spans(settings.otlp_endpoint, f"{os.getpid()}@{socket.gethostname()}")
    stack.push_async_callback(spans.close)
    return Telemetry(
        meter=meter,
        spans=spans,
        watch=ModelWatch(store.numbers, store.mailbox, resources.people, meter),
        platform_health=PlatformHealth(resources.platforms, clock),
        lag=LoopLag(),
    )


def _open_model(
    settings: Settings, telemetry: Telemetry, stack: AsyncExitStack, clock: Clock
) -> Model | None:
    model = open_model(settings, stack, telemetry.watch)
    if model is None:
        return None
    return TimedModel(QueuedModel(model), telemetry.spans, clock)


def _services(
    settings: Settings,
    store: StorePorts,
    resources: Resources,
    *,
    current: LiveDefinitions,
    model: Model | None,
    meter: SharedMeter,
    toolbox: Toolbox,
    clock: Clock,
) -> Services:
    def home() -> str:
        return settings.project or shared_project(current.snapshot.playbooks.values())

    return Services(
        clock=clock,
        zone=settings.timezone,
        people=resources.people,
        model=model,
        decisions=store.decisions,
        findings=store.findings,
        inbox=store.inbox,
        playbook=current.playbook,
        new_id=store.partitions.new_id,
        derived_id=store.partitions.derived_id,
        project=project_finder(settings.projects, home, isolated=settings.isolates_workspaces),
        tracing=TraceSettings(settings.trace_days * 86_400, compile_mask(settings.trace_mask)),
        library=Library(resources.documents, store.memory, resources.files),
        files=resources.inbox_files,
        admissions=store.admissions,
        meter=meter,
        toolbox=toolbox,
        limits=_limits(settings),
    )


def _limits(settings: Settings) -> ServiceLimits:
    return ServiceLimits(
        reply_after_s=settings.reply_after_s,
        react=Budget(settings.react_iterations, settings.react_tokens),
        soft=SoftLimits(settings.soft_rounds, settings.soft_confidence),
        run=settings.run_budget,
        graph=settings.graph_budget,
    )


def _intake(
    settings: Settings,
    store: StorePorts,
    resources: Resources,
    telemetry: Telemetry,
    handler: MailHandler,
    clock: Clock,
) -> OverheardFilter:
    people = resources.people
    intake = Intake(
        store.mailbox,
        store.decisions,
        people,
        settings.timezone,
        store.inbox,
        store.arrivals,
        AdmissionRequests(people, store.mailbox, store.numbers, store.rate),
        handler.help_text,
        handler.entities_on,
        _form_files(settings, resources, handler).find,
    )
    metered = MeteredIntake(
        RepeatedAnswerFilter(
            RateLimitFilter(
                intake, clock, per_minute=settings.messages_per_min, repeated=intake.repeated
            ),
            RedisExpiringTexts(store.client),
            clock,
        ),
        telemetry.meter,
        clock,
        spans=telemetry.spans,
        texts=settings.log_texts,
    )
    return OverheardFilter(metered, store.decisions, people, store.arrivals)
