"""`/healthz` and `/readyz`: whether the process lives, and can take messages (design §9)."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from aiohttp import web

from bot.serve.work.model_metrics import health
from bot.telemetry.loop_lag import LoopLag
from bot.wiring.service import Parts
from engine.errors import StoreError
from engine.ports.platform import Listener
from engine.ports.storage.operations import Backlog

# Who asks seldom waits longer, and a store that hangs answers nobody.
PROBE_S = 2.0
# More than that is not well.
OLD_MAIL_S, LAG_S = 60.0, 1.0


def health_routes(parts: Parts) -> Sequence[web.AbstractRouteDef]:
    """Both say nothing that is secret: no address, no token, no word of another service."""

    async def alive(request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def ready(request: web.Request) -> web.Response:
        """503 while the store takes no writes, or what is said on a platform does not come in.

        Nothing else is mended by going elsewhere.
        """
        try:
            async with asyncio.timeout(PROBE_S):
                await parts.store.probe()
                backlog = await parts.store.operations.backlog()
                model = await health(parts.settings, parts.store.numbers)
        except (StoreError, TimeoutError) as error:
            return web.json_response(
                {"ready": False, "redis": parts.store.refusal(error)}, status=503
            )
        platforms, deaf = parts.telemetry.standings.now, [name async for name in _deaf(parts)]
        found: dict[str, Any] = {
            "ready": not deaf,
            "redis": "ok",
            "store": parts.store.durability,
            "platforms": {
                name: each.model_dump(mode="json", exclude_defaults=True) | {"state": each.state}
                for name, each in sorted(platforms.items())
            },
            "model": model,
            "playbooks": parts.reloading.current.health,
            "groups": parts.outside.groups.health,
            "workers": backlog.workers,
            "oldest_mail_s": round(backlog.mailbox_age_s, 1),
            "loop_lag_s": round(parts.telemetry.lag.most_s, 3),
        }
        failing = [name for name, each in platforms.items() if each.state == "failing"]
        words = [name for name in ("model", "playbooks", "groups") if not _well(str(found[name]))]
        late = _late(backlog, parts.telemetry.lag)
        degraded = sorted({*failing, *deaf, *words, *late})
        status = 503 if deaf else 200
        return web.json_response({**found, "degraded": degraded}, status=status)

    return [web.get("/healthz", alive), web.get("/readyz", ready)]


async def _deaf(parts: Parts) -> AsyncIterator[str]:
    for name, platform in parts.outside.platforms.items():
        if isinstance(platform, Listener) and not await platform.is_listening():
            yield name


def _late(backlog: Backlog, lag: LoopLag) -> Iterator[str]:
    if not backlog.workers:
        yield "workers"
    if backlog.mailbox_age_s > OLD_MAIL_S:
        yield "oldest_mail_s"
    if lag.most_s > LAG_S:
        yield "loop_lag_s"


def _well(told: str) -> bool:
    return told in ("ok", "off")
