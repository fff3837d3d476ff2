"""How the models fare, as a number for Prometheus and in one word (design §9)."""

import asyncio
import secrets
from collections.abc import Mapping
from typing import Final, Literal

import structlog

from bot.serve.work.model_lanes import ModelLanes
from bot.settings import Settings
from bot.stopping import pause
from bot.telemetry.families import GaugeReading
from bot.telemetry.meter import EVERY_S
from engine.errors import StoreError
from engine.ports.storage.model_numbers import BreakerState, ModelNumbers

log = structlog.get_logger()
Health = Literal["ok", "degraded", "away", "off"]
LEVELS: Final[Mapping[BreakerState, int]] = {"closed": 0, "half_open": 1, "open": 2}


def names(settings: Settings) -> tuple[str, ...]:
    """The configured models, in the order in which they are asked."""
    if settings.llm_model is None:
        return ()
    return tuple(dict.fromkeys((settings.llm_model, *settings.llm_fallback_models)))


async def health(settings: Settings, numbers: ModelNumbers) -> Health:
    """`degraded` while some models are left alone, `away` while all are."""
    states = await numbers.states(names(settings))
    well = [state == "closed" for state in states.values()]
    if not well:
        return "off"
    return "ok" if all(well) else "degraded" if any(well) else "away"


async def tell_lanes(numbers: ModelNumbers, lanes: ModelLanes, stop: asyncio.Event) -> None:
    """Tell every few seconds how many lanes of this worker ask a model or wait for one."""
    worker = secrets.token_hex(8)
    while not stop.is_set():
        try:
            await numbers.lanes(worker, lanes.standing())
        except StoreError as error:
            log.warning("counts_wait", error=str(error))
        await pause(stop, EVERY_S)


async def lanes_reading(numbers: ModelNumbers) -> GaugeReading:
    """How many lanes ask a model or wait for one, in all workers."""
    return GaugeReading(
        "model_lanes",
        "Requests to models under way and waiting for a place, and lanes given back meanwhile",
        await numbers.lanes(),
        "state",
    )


async def breakers(settings: Settings, numbers: ModelNumbers) -> GaugeReading:
    """The breaker of each model, as some worker last found it."""
    states = await numbers.states(names(settings))
    return GaugeReading(
        "model_breaker",
        "0 asked as always, 1 tried with one request, 2 left alone",
        {model: LEVELS[state] for model, state in states.items()},
        "model",
    )
