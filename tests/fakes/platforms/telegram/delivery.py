"""How Telegram brings updates to a bot: by its webhook, or by getUpdates; never both."""

import asyncio
import heapq
import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.platforms.telegram.checks import json_of, too_fast
from tests.fakes.platforms.telegram.files import Params, Refused
from tests.fakes.platforms.telegram.updates import Updates

MESSAGE_LIFE_S, CALLBACK_LIFE_S = 86_400.0, 150.0
"""An update that was not taken by then is lost."""
PORTS = (443, 80, 88, 8443)
_LONGEST_S, _MOST_ASKED_S = 60.0, 3_600.0
_MOST, _LONGEST_POLL_S = 100, 50.0
_NOT_BY_ITSELF = {"chat_member", "message_reaction", "message_reaction_count"}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to bring an update: when by the server's time, and the bot's status (0 for none)."""

    update_id: int
    at: float
    status: int


class Deliveries(Updates):
    """The webhook and the poll of one bot; `local` is a Bot API server that takes any address."""

    def __init__(self, bot: dict[str, Any], secret: str) -> None:
        super().__init__(bot, secret)
        self.webhook: Params = {}
        self.webhook_trouble: Params = {}
        self.allowed: list[str] = []
        self.local = False
        self.waiting: deque[dict[str, Any]] = deque()
        self._changed = asyncio.Condition()
        self._webhook_set_at = 0.0
        self._poll = 0
        self._closing = False

    async def queue(self, *updates: dict[str, Any]) -> None:
        """Let updates wait for getUpdates."""
        self.waiting.extend(updates)
        await self._tell()

    async def wait_for(self, predicate: Callable[[], bool], timeout_s: float = PATIENCE_S) -> None:
        """Wait until `predicate` holds, looking after every call; AssertionError after so long."""
        async with within(timeout_s, predicate), self._changed:
            await self._changed.wait_for(predicate)

    async def deliver(
        self, *updates: dict[str, Any], url: str = "", tries: int = 100
    ) -> list[Attempt]:
        """Brings updates to the webhook (or to `url`): every attempt, in order.

        What was not taken with 2xx comes again: at once, after two seconds, four and so on, or when
        Retry-After says, until the update is too old. Meanwhile others of its chat, or taps of its
        person, wait for it, and the rest goes on. The pauses pass on the server's time only.
        """
        due = [(self.time.now(), n, queue) for n, queue in enumerate(self._queues(updates))]
        failures, attempts = [0] * len(due), list[Attempt]()
        async with aiohttp.ClientSession() as session:
            while due and len(attempts) < tries:
                at, number, queue = heapq.heappop(due)
                self.time.skip(max(0.0, at - self.time.now()))
                if self.expired(queue[0]):
                    queue.popleft()
                    failures[number], wait_s = 0, 0.0
                else:
                    status, asked_s = await self._bring(session, url, queue[0])
                    attempts.append(Attempt(queue[0]["update_id"], at, status))
                    taken = 200 <= status < 300
                    failures[number] = 0 if taken else failures[number] + 1
                    wait_s = 0.0 if taken else _pause_s(failures[number], asked_s)
                    if taken:
                        queue.popleft()
                if queue:
                    heapq.heappush(due, (self.time.now() + wait_s, number, queue))
        return attempts

    def expired(self, update: dict[str, Any]) -> bool:
        """Whether Telegram has given the update up."""
        age_s = self.time.now() - self.made_at(update)
        return age_s > (CALLBACK_LIFE_S if "callback_query" in update else MESSAGE_LIFE_S)

    def _queues(self, updates: Sequence[dict[str, Any]]) -> list[deque[dict[str, Any]]]:
        """What may be brought at the same time, each in order."""
        queues: dict[str, deque[dict[str, Any]]] = {}
        for update in filter(self._is_wanted, updates):
            tap = update.get("callback_query")
            name = f"user {tap['from']['id']}" if tap else f"chat {_chat_id(update)}"
            queues.setdefault(name, deque()).append(update)
        return [*queues.values()]

    def _is_wanted(self, update: dict[str, Any]) -> bool:
        kind = next(key for key in update if key != "update_id")
        return kind in self.allowed if self.allowed else kind not in _NOT_BY_ITSELF

    async def _bring(
        self, session: aiohttp.ClientSession, url: str, update: dict[str, Any]
    ) -> tuple[int, float]:
        headers = self.secret_headers()
        if self.webhook:
            headers = {next(iter(headers)): self.webhook["secret_token"]}
        url = url or self.webhook["url"]
        try:
            async with session.post(url, json=update, headers=headers) as answer:
                asked = answer.headers.get("Retry-After", "")
                return answer.status, float(asked) if asked.isdigit() else 0.0
        except aiohttp.ClientError:
            return 0, 0.0

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    # The methods

    async def _set_webhook(self, params: Params) -> Any:
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", params.get("secret_token", "")):
            raise Refused("secret token contains unallowed characters")
        if self.time.now() - self._webhook_set_at < 1:
            raise too_fast(1)
        if not self.local:
            _check_address(params.get("url", ""))
        self._webhook_set_at = self.time.now()
        # What is not said stays as it was.
        self.allowed = json_of(params, "allowed_updates", self.allowed)
        self.webhook = {**params, "allowed_updates": self.allowed}
        if json_of(params, "drop_pending_updates", False):
            self.waiting.clear()
        return True

    async def _get_webhook_info(self, _: Params) -> Any:
        told = {"has_custom_certificate": False, "pending_update_count": 0, "url": ""}
        known = ("url", "allowed_updates")
        told |= {key: self.webhook[key] for key in known if key in self.webhook}
        return told | self.webhook_trouble

    async def _delete_webhook(self, _: Params) -> Any:
        self.webhook = {}
        return True

    async def _get_updates(self, params: Params) -> Any:
        if self.webhook:
            raise Refused("can't use getUpdates method while webhook is active", 409)
        self.allowed = json_of(params, "allowed_updates", self.allowed)
        self._poll += 1
        mine = self._poll
        self._confirm(int(params.get("offset", 0)))
        await self._tell()
        try:
            wait_s = min(_LONGEST_POLL_S, float(params.get("timeout", 0)))
            async with asyncio.timeout(wait_s), self._changed:
                await self._changed.wait_for(
                    lambda: bool(self._pending()) or self._closing or self._poll != mine
                )
        except TimeoutError:
            return []
        if self._poll != mine:
            raise Refused("terminated by other getUpdates request", 409, fault=False)
        return self._pending()[: min(_MOST, max(1, int(params.get("limit", _MOST))))]

    def _confirm(self, offset: int) -> None:
        """Updates before the offset are done with; below zero it counts from the newest one."""
        while self.waiting and (
            len(self.waiting) > -offset if offset < 0 else self.waiting[0]["update_id"] < offset
        ):
            self.waiting.popleft()

    def _pending(self) -> list[dict[str, Any]]:
        return [update for update in self.waiting if not self.expired(update)]


def _pause_s(failures: int, asked_s: float) -> float:
    if asked_s:
        return min(asked_s, _MOST_ASKED_S)
    return 0.0 if failures == 1 else min(2.0 ** (failures - 1), _LONGEST_S)


def _chat_id(update: dict[str, Any]) -> int:
    message = next(value for key, value in update.items() if key != "update_id")
    return int(message.get("chat", {}).get("id", 0))


def _check_address(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https":
        raise Refused("bad webhook: An HTTPS URL must be provided for webhook")
    if (parts.port or 443) not in PORTS:
        raise Refused("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
