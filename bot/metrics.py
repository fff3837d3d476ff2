"""The numbers of the service for Prometheus, computed when they are asked for (design §9)."""

from dataclasses import asdict

from aiohttp import web
from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from bot.bearer import bears
from bot.model_metrics import ModelFamilies, names
from bot.settings import Settings
from engine.errors import StoreError
from engine.ports.model_numbers import ModelNumbers
from engine.ports.store import Operations

_MEANINGS = {
    "lanes": "Lanes with mail, leased ones included",
    "destinations": "Chats that have messages to be shown",
    "timers": "Timers that are not due yet",
    "aside": "Mail set aside for an operator",
    "blocked": "Runs that wait for an operator",
}


def metrics_route(
    settings: Settings, operations: Operations, numbers: ModelNumbers
) -> web.AbstractRouteDef:
    """`GET /metrics`; off this machine only with SIGNOFF_ADMIN_TOKEN as the bearer token."""

    async def metrics(request: web.Request) -> web.Response:
        if not _may_read(request, settings):
            return web.json_response({"error": "Authorization: Bearer is wrong"}, status=401)
        try:
            backlog = await operations.backlog()
            model = ModelFamilies(await numbers.counts(), await numbers.states(names(settings)))
        except StoreError as error:
            return web.json_response({"error": str(error)}, status=503)
        registry = CollectorRegistry()
        registry.register(model)
        for name, number in asdict(backlog).items():
            Gauge(f"signoff_{name}", _MEANINGS[name], registry=registry).set(number)
        return web.Response(
            body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )

    return web.get("/metrics", metrics)


def _may_read(request: web.Request, settings: Settings) -> bool:
    if settings.admin_token is None:
        return settings.only_here
    return bears(request, settings.admin_token)
