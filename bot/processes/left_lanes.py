"""What a worker that ended held: given back, so that others go on with it at once."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from bot.settings import Settings
from bot.wiring.store import open_store_ports
from engine.errors import DefinitionError, StoreError

_log = structlog.get_logger()

_GIVE_BACK_S: Final = 5.0
_SHORTEST_RETRY_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class LeftLanes:
    """As whom a worker that ended held lanes, and whose mail is charged, with how much more."""

    holder: str
    charged: Sequence[str]
    extra: int


def give_back(left: LeftLanes, settings: Settings) -> None:
    """Free the lanes that nobody works on any more; harmless where that was done before."""
    if not left.holder:
        return
    try:
        freed = asyncio.run(_forfeit(left, settings))
    except (StoreError, DefinitionError, TimeoutError) as error:
        # They are free once their leases end.
        _log.warning("lanes_not_given_back", error=str(error))
    else:
        _log.info("lanes_given_back", count=len(freed))


async def _forfeit(left: LeftLanes, settings: Settings) -> Sequence[str]:
    # All others are served before that mail is met again; a crash holds them up only shortly.
    retry_in_s = max(left.extra * settings.watchdog_s / 3, _SHORTEST_RETRY_S)
    async with asyncio.timeout(_GIVE_BACK_S), open_store_ports(settings) as store:
        return await store.operations.forfeit(
            left.holder, charged=left.charged, extra=left.extra, retry_in_s=retry_in_s
        )
