"""The numbers of the service for Prometheus, computed when they are asked for (design §9)."""

from collections.abc import Iterator
from typing import Final

from aiohttp import web
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from bot.http.bearer import bears
from bot.serve.work.model_metrics import breakers, lanes_reading
from bot.settings import Settings
from bot.telemetry.families import Families, GaugeReading
from engine.errors import StoreError
from engine.ports.storage.model_numbers import ModelNumbers
from engine.ports.storage.operations import Backlog, Operations

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
"""The label `age` of open cards, as CARD_AGES_S has it."""
_CARDS: Final = "cards_open"
READINGS = (
    *(name.replace("age_s", "age_seconds") for name in _MEANINGS),
    _CARDS,
    "model_breaker",
    "model_lanes",
)
"""What is read when it is asked for, by name."""


def metrics_route(
    settings: Settings, operations: Operations, numbers: ModelNumbers
) -> web.AbstractRouteDef:
    """`GET /metrics`; off this machine only with SIGNOFF_ADMIN_TOKEN as the bearer token."""

    async def metrics(request: web.Request) -> web.Response:
        if not _may_read(request, settings):
            return web.json_response({"error": "Authorization: Bearer is wrong"}, status=401)
        try:
            readings = [
                *_waiting(await operations.backlog()),
                await breakers(settings, numbers),
                await lanes_reading(numbers),
            ]
            counts = await numbers.counts()
        except StoreError as error:
            return web.json_response({"error": str(error)}, status=503)
        registry = CollectorRegistry()
        registry.register(Families(counts, readings))
        return web.Response(
            body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )

    return web.get("/metrics", metrics)


def _waiting(backlog: Backlog) -> Iterator[GaugeReading]:
    for shown, name in zip(READINGS, _MEANINGS, strict=False):
        yield GaugeReading(shown, _MEANINGS[name], {"": getattr(backlog, name)})
    cards = dict(zip(CARD_AGES, backlog.cards, strict=True))
    yield GaugeReading(_CARDS, "Cards that nobody has decided yet", cards, "age")


def _may_read(request: web.Request, settings: Settings) -> bool:
    if settings.admin_token is None:
        return settings.only_here
    return bears(request, settings.admin_token)
