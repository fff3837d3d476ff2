"""Our own getUpdates loop: Telegram forgets an update only after intake has it (design §3)."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import structlog
from telegram import Bot
from telegram.error import TelegramError

from adapters.telegram.errors import TooFast
from adapters.telegram.inbound.update_handler import UpdateHandler
from adapters.telegram.outbound.answers import SOON_S
from adapters.telegram.request import BotRequest
from engine.errors import BadPayload, StoreError
from engine.ports.platform import Intake, Lease

ALLOWED = ("message", "edited_message", "callback_query")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PollPace:
    """How long to wait, in seconds: for updates, after a failure, and at most after many.

    `soon_s`: for what becomes of a tap, before it is answered without.

    A lease has to last longer than `long_poll_s` and the answers to what came in then.
    """

    long_poll_s: int = 10
    pause_s: float = 1.0
    longest_s: float = 30.0
    soon_s: float = SOON_S

    def after(self, failures: int, error: TelegramError) -> float:
        """Return the wait after so many failures in a row, with the last `error`."""
        wait = self.pause_s * float(2 ** min(failures - 1, 10))
        if isinstance(error, TooFast):
            wait = max(wait, error.retry_after_s)
        return min(wait, self.longest_s)


class Poller:
    """Asks Telegram for updates, in order, until it is cancelled."""

    def __init__(
        self, bot: Bot, updates: UpdateHandler, lease: Lease, *, name: str, pace: PollPace
    ) -> None:
        self._bot = bot
        self._updates = updates
        self._lease = lease
        self._name = name
        self._pace = pace
        self._request = BotRequest()
        self._offset: int | None = None
        self.failures = 0
        """How many requests for updates failed in a row."""
        self.began = False
        """Whether a request succeeded once, or another process holds the lease."""

    async def close(self) -> None:
        """Close the connection."""
        await self._request.shutdown()

    async def run(self, intake: Intake) -> None:
        """Poll while the lease is held, until cancelled; waits after failures or without it."""
        webhook_off = False
        while True:
            if not await self._holds():
                # Another process polls meanwhile, so where we stood says nothing any more.
                self._offset, self.failures = None, 0
                await asyncio.sleep(self._pace.pause_s)
                continue
            try:
                webhook_off = webhook_off or await self._bot.delete_webhook()
                updates = await self._ask()
            except TelegramError as exc:
                self.failures += 1
                _log.warning("telegram_poll_failed", error=str(exc), failures=self.failures)
                await asyncio.sleep(self._pace.after(self.failures, exc))
                continue
            self.failures, self.began = 0, True
            if not await self._take(updates, intake):
                await asyncio.sleep(self._pace.pause_s)

    async def _holds(self) -> bool:
        try:
            held = await self._lease.hold(self._name)
        except StoreError as exc:
            _log.warning("telegram_lease_unknown", error=str(exc))
            return False
        self.began = self.began or not held
        return held

    async def _ask(self) -> Sequence[Any]:
        """Return raw updates: the library would refuse a whole batch for one odd update."""
        asked: dict[str, Any] = {
            # The first answer comes at once: the process is not ready before.
            "timeout": self._pace.long_poll_s if self.began else 0,
            "allowed_updates": json.dumps(ALLOWED),
            "limit": 50,
        }
        if self._offset is not None:
            asked["offset"] = self._offset
        url = f"{self._bot.base_url}/getUpdates?{urlencode(asked)}"
        updates = await self._request.post(url, read_timeout=self._pace.long_poll_s + 5)
        return updates if isinstance(updates, list) else []

    async def _take(self, updates: Sequence[Any], intake: Intake) -> bool:
        """Handle the updates; False when one has to come again, with all after it."""
        for raw in updates:
            try:
                if not await self._updates.take(raw, intake):
                    return False
            except BadPayload as exc:
                _log.warning("telegram_update_unreadable", error=str(exc))
            if not isinstance(raw, dict) or not isinstance(raw.get("update_id"), int):
                return False
            self._offset = raw["update_id"] + 1
        return True
