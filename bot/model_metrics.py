"""How the models fare, as a number for Prometheus and in one word (design §9)."""

from collections.abc import Mapping
from typing import Final, Literal

from bot.families import Reading
from bot.settings import Settings
from engine.ports.model_numbers import BreakerState, ModelNumbers

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


async def breakers(settings: Settings, numbers: ModelNumbers) -> Reading:
    """The breaker of each model, as some worker last found it."""
    states = await numbers.states(names(settings))
    return Reading(
        "model_breaker",
        "0 asked as always, 1 tried with one request, 2 left alone",
        {model: LEVELS[state] for model, state in states.items()},
        "model",
    )
