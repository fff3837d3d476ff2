"""What monitoring asks: `/healthz`, `/readyz` and `/metrics` (design §9)."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from aiohttp import web

from bot.http.caller import has_admin_token
from bot.settings import Settings
from bot.telemetry.loop_lag import LoopLag
from bot.telemetry.metrics import GaugeReading
from bot.telemetry.model_watch import connection_state
from bot.version import VERSION, build
from bot.wiring.connections import GuardedConnections
from bot.wiring.service import Parts
from bot.wiring.web import forwarding_mark
from engine.errors import StoreError
from engine.ports.platform import SupportsListening
from engine.ports.storage.model_numbers import BreakerState, ModelNumbers
from engine.ports.storage.operations import Backlog, Operations

# Probes wait no longer for an answer.
PROBE_S = 2.0
# Above these the service counts as degraded.
OLD_MAIL_S, LAG_S = 60.0, 1.0
Health = Literal["ok", "degraded", "away", "off"]
LEVELS: Final[Mapping[BreakerState, int]] = {"closed": 0, "half_open": 1, "open": 2}
_MEANINGS = {
    "lanes": "Lanes with mail, leased ones included",
    "destinations": "Chats that have messages to be shown",
    "timers": "Timers that are not due yet",
    "aside": "Mail set aside for an operator",
    "blocked": "Runs that wait for an operator",
    "mailbox_age_s": "For how long the oldest mail has waited for a worker",
    "workers": "Workers that take mail",
    "outbox_age_s": "For how long the oldest message has waited to be sent",
}
CARD_AGES: Final = ("under 1 h", "1 to 8 h", "8 to 24 h", "1 to 7 d", "over 7 d")
"""The values of the label `age` of open cards, as in CARD_AGES_S."""
_CARDS: Final = "cards_open"
READINGS = (
    *(name.replace("age_s", "age_seconds") for name in _MEANINGS),
    _CARDS,
    "model_breaker",
    "model_lanes",
)
"""The names of the gauges that are read for each scrape."""


def health_routes(parts: Parts) -> Sequence[web.AbstractRouteDef]:
    """`/healthz` and `/readyz`; neither says an address, a token or a text of another service."""

    async def alive(request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def ready(request: web.Request) -> web.Response:
        """503 while the store takes no writes, or a platform cannot be listened to.

        Another process would not mend anything else.
        """
        try:
            async with asyncio.timeout(PROBE_S):
                await parts.store.probe()
                await parts.telemetry.store.check()
                backlog = await parts.store.operations.backlog()
                model = await model_health(parts.settings, parts.store.numbers)
                connections = await connection_health(parts.connections, parts.store.numbers)
        except (StoreError, TimeoutError) as error:
            return web.json_response(
                {"ready": False, "redis": parts.store.refusal(error)}, status=503
            )
        platforms = parts.telemetry.platform_health.statuses
        deaf = [name async for name in _find_deaf(parts)]
        found: dict[str, Any] = {
            "ready": not deaf,
            "version": VERSION,
            "build": await asyncio.to_thread(build),
            "redis": "ok",
            "store": parts.telemetry.store.durability,
            "store_problems": parts.telemetry.store.problems,
            "platforms": {
                name: each.model_dump(mode="json", exclude_defaults=True) | {"state": each.state}
                for name, each in sorted(platforms.items())
            },
            "model": model,
            "connections": connections,
            "playbooks": parts.reloader.current.health,
            "people": parts.reloader.current.people_health,
            "groups": parts.resources.groups.health,
            "files": _files_health(parts.reloader.current.unread_files),
            "unreadable_cards": parts.telemetry.cards.unreadable,
            "workers": backlog.workers,
            "oldest_mail_s": round(backlog.mailbox_age_s, 1),
            "loop_lag_s": round(parts.telemetry.lag.most_s, 3),
        }
        failing = [name for name, each in platforms.items() if each.state == "failing"]
        words = [
            name
            for name in ("model", "playbooks", "people", "groups", "files")
            if not _is_well(str(found[name]))
        ]
        words += ["unreadable_cards"] if parts.telemetry.cards.unreadable else []
        words += ["store"] if parts.telemetry.store.problems else []
        late = _find_late(backlog, parts.telemetry.lag)
        lost = [name for name, state in connections.items() if state == "away"]
        degraded = sorted({*failing, *deaf, *words, *late, *lost})
        status = 503 if deaf else 200
        return web.json_response({**found, "degraded": degraded}, status=status)

    return [web.get("/healthz", alive), web.get("/readyz", ready)]


async def _find_deaf(parts: Parts) -> AsyncIterator[str]:
    for name, platform in parts.resources.platforms.items():
        if isinstance(platform, SupportsListening) and not await platform.is_listening():
            yield name


def _find_late(backlog: Backlog, lag: LoopLag) -> Iterator[str]:
    if not backlog.workers:
        yield "workers"
    if backlog.mailbox_age_s > OLD_MAIL_S:
        yield "oldest_mail_s"
    if lag.most_s > LAG_S:
        yield "loop_lag_s"


def _files_health(unread: Sequence[str]) -> str:
    """`ok`, or which files a process knows as they were before."""
    return f"written since they were read; restart: {', '.join(unread)}" if unread else "ok"


def _is_well(state: str) -> bool:
    return state in ("ok", "off")


def metrics_route(
    settings: Settings, operations: Operations, numbers: ModelNumbers
) -> web.AbstractRouteDef:
    """`GET /metrics`; off this machine only with SIGNOFF_ADMIN_TOKEN as the bearer token."""

    async def metrics(request: web.Request) -> web.Response:
        if not _may_read(request, settings):
            return web.json_response({"error": "Authorization: Bearer is wrong"}, status=401)
        try:
            readings = [
                *_backlog_readings(await operations.backlog()),
                await read_breakers(settings, numbers),
                await read_model_lanes(numbers),
            ]
            counts = await numbers.counts()
        except StoreError as error:
            return web.json_response({"error": str(error)}, status=503)
        # Who has no Prometheus loads nothing of it.
        from bot.telemetry.exposition import CONTENT_TYPE, expose

        return web.Response(body=expose(counts, readings), headers={"Content-Type": CONTENT_TYPE})

    return web.get("/metrics", metrics)


def _backlog_readings(backlog: Backlog) -> Iterator[GaugeReading]:
    for shown, name in zip(READINGS, _MEANINGS, strict=False):
        yield GaugeReading(shown, _MEANINGS[name], {"": getattr(backlog, name)})
    cards = dict(zip(CARD_AGES, backlog.cards, strict=True))
    yield GaugeReading(_CARDS, "Cards that nobody has decided yet", cards, "age")


def _may_read(request: web.Request, settings: Settings) -> bool:
    if settings.admin_token is None:
        return settings.is_local_only and not forwarding_mark(request)
    return has_admin_token(request, settings.admin_token)


def model_names(settings: Settings) -> tuple[str, ...]:
    """The configured models, in the order in which they are asked."""
    if settings.llm_model is None:
        return ()
    return tuple(dict.fromkeys((settings.llm_model, *settings.llm_fallback_models)))


async def model_health(settings: Settings, numbers: ModelNumbers) -> Health:
    """`degraded` while the breakers of some models are open, `away` while all are."""
    states = await numbers.states(model_names(settings))
    well = [state == "closed" for state in states.values()]
    if not well:
        return "off"
    return "ok" if all(well) else "degraded" if any(well) else "away"


async def connection_health(
    connections: GuardedConnections, numbers: ModelNumbers
) -> Mapping[str, Health]:
    """Each connection by name: `away` while some worker leaves it alone."""
    names = {connection_state(name): name for name in connections.by_name}
    states = await numbers.states(names)
    return {names[key]: "ok" if state == "closed" else "away" for key, state in states.items()}


async def read_model_lanes(numbers: ModelNumbers) -> GaugeReading:
    """The numbers of lanes that ask a model or wait for one, over all workers."""
    return GaugeReading(
        "model_lanes",
        "Requests to models under way and waiting for a place, and lanes given back meanwhile",
        await numbers.lanes(),
        "state",
    )


async def read_breakers(settings: Settings, numbers: ModelNumbers) -> GaugeReading:
    """The breaker of each model, as a worker last shared it."""
    states = await numbers.states(model_names(settings))
    return GaugeReading(
        "model_breaker",
        "0 asked as always, 1 tried with one request, 2 left alone",
        {model: LEVELS[state] for model, state in states.items()},
        "model",
    )
