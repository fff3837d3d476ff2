"""What the model costs and how it fares, of all processes together."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import get_args

from adapters.redis import keys
from adapters.redis.client import Client, translate_errors
from engine.ports.storage.model_numbers import BreakerState, Count, Spent

STATE_KEEP_S = 30
SPENT_KEEP_S = 2 * 86_400


class RedisModelNumbers:
    """One hash of counts; a key for each model that is not well, which the finder keeps alive.

    An add whose answer is lost may be counted twice.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    async def add(self, counts: Mapping[Count, float]) -> None:
        """Add to the counts, all at once."""
        with translate_errors():
            async with self._client.pipeline(transaction=True) as pipe:
                for count, amount in counts.items():
                    pipe.hincrbyfloat(keys.MODEL_COUNTS, json.dumps(count), amount)
                await pipe.execute()

    async def counts(self) -> Mapping[Count, float]:
        """Everything that was ever counted."""
        with translate_errors():
            found = await self._client.hgetall(keys.MODEL_COUNTS)
        return {tuple(json.loads(count)): float(amount) for count, amount in found.items()}

    async def record_state(self, model: str, state: BreakerState) -> None:
        """This process finds the model so; what is not closed is forgotten after half a minute."""
        with translate_errors():
            if state == "closed":
                await self._client.delete(keys.model_state(model))
            else:
                await self._client.set(keys.model_state(model), state, ex=STATE_KEEP_S)

    async def states(self, models: Iterable[str]) -> Mapping[str, BreakerState]:
        """How these models were last found by any process."""
        states: dict[str, BreakerState] = {}
        for model in models:
            with translate_errors():
                kept = await self._client.get(keys.model_state(model))
            states[model] = next((s for s in get_args(BreakerState) if s == kept), "closed")
        return states

    async def lanes(
        self, worker: str = "", now: Mapping[str, int] | None = None
    ) -> Mapping[str, int]:
        """How many lanes of all workers ask a model or wait for it, by state."""
        sums = Counter[str]()
        with translate_errors():
            if worker:
                body = json.dumps(dict(now or {}))
                await self._client.set(keys.model_lanes(worker), body, ex=STATE_KEEP_S)
                await self._client.sadd(keys.MODEL_WORKERS, worker)
            for name in map(str, await self._client.smembers(keys.MODEL_WORKERS)):
                kept = await self._client.get(keys.model_lanes(name))
                if kept is None:
                    await self._client.srem(keys.MODEL_WORKERS, name)
                sums.update(json.loads(kept or "{}"))
        return sums

    async def first(self, name: str, *, within_s: int) -> bool:
        """True for the first process that asks for this name in that time."""
        with translate_errors():
            return bool(await self._client.set(keys.first(name), "1", nx=True, ex=within_s))


class RedisModelSpending:
    """A hash for each day, which is forgotten after two."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def spend(self, day: str, names: Iterable[str], spent: Spent) -> None:
        """Add to what each of these has used, all at once."""
        key = keys.model_spent(day)
        with translate_errors():
            async with self._client.pipeline(transaction=True) as pipe:
                for name in names:
                    for unit, amount in zip(("tokens", "cost"), spent, strict=True):
                        pipe.hincrbyfloat(key, f"{unit}:{name}", amount)
                pipe.expire(key, SPENT_KEEP_S)
                await pipe.execute()

    async def spent(self, day: str, names: Iterable[str]) -> Mapping[str, Spent]:
        """What each of these has used on that day."""
        with translate_errors():
            return {name: await self._spent(keys.model_spent(day), name) for name in names}

    async def _spent(self, key: str, name: str) -> Spent:
        tokens, cost = await self._client.hmget(key, [f"tokens:{name}", f"cost:{name}"])
        return float(tokens or 0), float(cost or 0)
