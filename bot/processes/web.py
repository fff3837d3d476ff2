"""The web process: platforms' routes, listeners, and health (design §3, §9)."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import structlog
from aiohttp import web

from bot.definitions.projects import unnamed_project
from bot.http.documents import documents_route
from bot.http.files import files_route
from bot.http.monitoring import health_routes, metrics_route
from bot.http.server import TimedRunner
from bot.people.directory import NOBODY_MAY_ASK
from bot.processes.sd_notify import Notifier
from bot.project import unread_project_file, unread_text
from bot.settings import NO_ZONE, Settings
from bot.version import VERSION
from bot.waits import cancel_tasks, pause
from bot.wiring.contexts import Adapter
from bot.wiring.service import FolderContents, Parts, open_parts

log = structlog.get_logger()
MAX_BODY_BYTES = 1024 * 1024
LONGEST_PAUSE_S = 60.0


async def serve(
    settings: Settings, stop: asyncio.Event, contents: FolderContents | None = None
) -> None:
    """Serve until `stop`; raises OSError when the port is taken."""
    async with open_parts(settings, stop, contents=contents) as parts, open_site(parts):
        started = {"host": settings.host, "port": settings.port, "zone": settings.timezone}
        log.info("web_started", **started, version=VERSION)
        if not settings.names_zone:
            log.warning("no_time_zone", zone=settings.timezone, warning=NO_ZONE)
        if unread := unread_project_file(settings.playbooks):
            log.warning("project_file_not_read", warning=unread_text(unread))
        for name in parts.resources.people.closed_platforms(parts.resources.platforms):
            log.warning("platform_shut_out", platform=name, warning=NOBODY_MAY_ASK)
        playbooks = parts.reloader.current.snapshot.playbooks.values()
        if told := unnamed_project(settings, playbooks):
            log.warning("no_project", warning=told)
        async with asyncio.TaskGroup() as group:
            group.create_task(Notifier().run(stop))
            group.create_task(parts.reloader.run(stop))
            # Forms are judged here: what they name has to be known.
            group.create_task(parts.entity_lists.run(stop))
            group.create_task(parts.resources.groups.run(stop))
            group.create_task(parts.resources.admitted_accounts.run(stop))
            group.create_task(parts.projects.run(stop))
            group.create_task(parts.telemetry.watch.run(stop))
            group.create_task(parts.telemetry.store.run(stop))
            group.create_task(parts.telemetry.cards.run(stop))
            group.create_task(parts.telemetry.meter.run(stop))
            await receive(parts, stop)
    log.info("web_stopped")


def load_rooms(settings: Settings) -> None:
    """Import what only some settings ask for, before this process is copied or serves."""
    if settings.admin_token is not None:
        import bot.api.skills
        import bot.pages.routes
    if settings.sync_secret is not None:
        import bot.api.case_changes
    if settings.programs:
        import bot.api.requests  # noqa: F401


@asynccontextmanager
async def open_site(parts: Parts) -> AsyncIterator[None]:
    """Answer requests at the settings' address until the block ends; raises OSError."""
    settings = parts.settings
    runner = TimedRunner(application(parts), access_log=None, handle_signals=False)
    await runner.setup()
    try:
        site = web.TCPSite(
            runner,
            settings.host,
            settings.port,
            shutdown_timeout=5,
            reuse_port=settings.share_port or None,
        )
        await site.start()
        yield
    finally:
        await runner.cleanup()


async def receive(parts: Parts, stop: asyncio.Event) -> None:
    """Take what platforms send, and watch how well they are reached, until `stop`."""
    async with asyncio.TaskGroup() as group:
        listening = [
            group.create_task(_listen(platform, parts, stop))
            for platform in parts.resources.platforms.values()
        ]
        group.create_task(parts.telemetry.platform_health.run(stop))
        group.create_task(parts.telemetry.lag.run(stop))
        await stop.wait()
        await cancel_tasks(listening)


async def _listen(platform: Adapter, parts: Parts, stop: asyncio.Event) -> None:
    """Receive from a platform until `stop`; after a failure it is tried again."""
    delay_s = 1.0
    while not stop.is_set():
        parts.telemetry.platform_health.set_listen_error(platform.name, None)
        try:
            await platform.listen(parts.intake)
        except Exception as error:
            # The boundary of receiving: any error of a platform's library is logged here.
            log.error("listening_failed", platform=platform.name, error=str(error))
            parts.telemetry.platform_health.set_listen_error(platform.name, error)
        else:
            return
        await pause(stop, delay_s)
        delay_s = min(delay_s * 2, LONGEST_PAUSE_S)


def application(parts: Parts) -> web.Application:
    """The aiohttp application of these parts."""
    app = web.Application(client_max_size=MAX_BODY_BYTES)

    app.add_routes(health_routes(parts))
    app.add_routes([metrics_route(parts.settings, parts.store.operations, parts.store.numbers)])
    app.add_routes(_skill_api(parts))
    app.add_routes(_case_changes(parts))
    app.add_routes(_requests(parts))
    ended = asyncio.Event()
    app.add_routes(_admin_pages(parts, ended))
    app.add_routes([files_route(parts)])
    if parts.settings.is_local_only:
        app.add_routes([documents_route(lambda: parts.reloader.current.snapshot.documents)])
    for platform in parts.resources.platforms.values():
        app.add_routes(platform.routes(parts.intake))

    async def end_streams(app: web.Application) -> None:
        ended.set()
        for platform in parts.resources.platforms.values():
            await platform.close()

    app.on_shutdown.append(end_streams)
    return app


def _case_changes(parts: Parts) -> list[web.AbstractRouteDef]:
    """Where a system of record says what has changed; off without a secret to sign with."""
    secret = parts.settings.sync_secret
    if secret is None:
        return []
    from bot.api.case_changes import CaseChangesApi

    api = CaseChangesApi(
        lambda: parts.reloader.current.snapshot.playbooks,
        parts.store.mailbox,
        parts.services.clock,
        secret,
    )
    return api.routes()


def _requests(parts: Parts) -> list[web.AbstractRouteDef]:
    """Where programs ask people for something; off without a program that may."""
    if not parts.settings.programs:
        return []
    from bot.api.requests import open_requests_api

    return open_requests_api(parts, parts.settings.programs).routes()


def _skill_api(parts: Parts) -> list[web.AbstractRouteDef]:
    """The internal API, which is off without a token for it."""
    token = parts.settings.admin_token
    if token is None:
        return []
    from bot.api.skills import open_skill_api

    return open_skill_api(parts).routes(token)


def _admin_pages(parts: Parts, ended: asyncio.Event) -> Sequence[web.AbstractRouteDef]:
    """The admin pages, which are off without a token for them; streams end with `ended`."""
    token = parts.settings.admin_token
    if token is None:
        return []
    from bot.pages.routes import AdminPages

    return AdminPages(parts, token, ended).routes()
