"""`/healthz` and `/readyz`: whether the process lives, and can take messages (design §9)."""

from collections.abc import Sequence
from typing import Any

from aiohttp import web

from adapters.redis.client import translated
from bot.model_metrics import health
from bot.wiring import Parts
from engine.errors import StoreError


def health_routes(parts: Parts) -> Sequence[web.AbstractRouteDef]:
    """Both say nothing that is secret: no address, no token, no word of another service."""

    async def alive(request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def ready(request: web.Request) -> web.Response:
        """503 only while the store is away: nothing else is mended by sending people elsewhere."""
        try:
            with translated():
                await parts.client.ping()
            model = await health(parts.settings, parts.numbers)
        except StoreError:
            return web.json_response({"ready": False, "redis": "away"}, status=503)
        platforms = parts.standings.now
        found: dict[str, Any] = {
            "ready": True,
            "redis": "ok",
            "store": parts.durability,
            "platforms": {
                name: each.model_dump(mode="json", exclude_defaults=True) | {"state": each.state}
                for name, each in sorted(platforms.items())
            },
            "model": model,
            "playbooks": parts.current.health,
            "groups": parts.groups.health,
        }
        failing = [name for name, each in platforms.items() if each.state == "failing"]
        words = [name for name in ("model", "playbooks", "groups") if not _well(str(found[name]))]
        return web.json_response({**found, "degraded": sorted([*failing, *words])})

    return [web.get("/healthz", alive), web.get("/readyz", ready)]


def _well(told: str) -> bool:
    return told in ("ok", "off")
