"""Slack groups whose members hold roles: fetched in the background, cached for a bounded time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog

from bot.waits import pause
from engine.errors import Gone, PlatformError, RateLimited, StoreError

log = structlog.get_logger()
REFRESH_S = 60.0
"""A group is fetched again after this, or after a third of its maximum age."""

FetchMembers = Callable[[str], Awaitable[Sequence[str]]]
"""Fetches the members of a group from its platform. Raises PlatformError."""


class GroupCache(Protocol):
    """The members of groups as all processes share them. Raises StoreError."""

    async def load(self, group: str) -> tuple[frozenset[str], float] | None:
        """The members and for how many more seconds they hold, or None."""
        ...

    async def store(self, group: str, members: frozenset[str], *, keep_s: float) -> None:
        """Keep the members for `keep_s`."""
        ...

    async def forget(self, group: str) -> None:
        """Forget the members of the group."""
        ...

    async def claim_fetch(self, group: str, *, rest_s: float) -> bool:
        """Whether the caller may fetch now; then nobody else may for `rest_s`."""
        ...

    async def delay_fetch(self, group: str, *, rest_s: float) -> None:
        """Nobody may fetch for `rest_s`."""
        ...


@dataclass(frozen=True, slots=True)
class _CachedMembers:
    members: frozenset[str]
    until_s: float


class Groups:
    """The members of each group as Slack gave them at most `max_age_s` seconds ago; else nobody.

    `fetch` is None where Slack is not connected.
    """

    def __init__(
        self,
        names: Callable[[], Sequence[str]],
        cache: GroupCache,
        fetch: FetchMembers | None,
        *,
        max_age_s: float,
        elapsed_s: Callable[[], float],
    ) -> None:
        self._names = names
        self._cache = cache
        self._fetch = fetch
        self._max_age_s = max_age_s
        self._refresh_s = min(REFRESH_S, max_age_s / 3)
        self._elapsed_s = elapsed_s
        self._members: dict[str, _CachedMembers] = {}
        self._unknown: set[str] = set()

    def members(self, group: str) -> frozenset[str]:
        """Who is in the group, from memory: a tap waits for nothing."""
        cached = self._members.get(group)
        is_fresh = cached is not None and self._elapsed_s() < cached.until_s
        return cached.members if cached and is_fresh else frozenset()

    @property
    def health(self) -> str:
        """`ok`, or the groups whose members are not known."""
        missing = sorted(self._missing())
        return f"unknown: {', '.join(missing)}" if missing else "ok"

    async def load(self) -> None:
        """Read what all processes share. Raises StoreError."""
        for group in self._names():
            await self._read(group)

    async def run(self, stop: asyncio.Event) -> None:
        """Keep the groups fresh until `stop`; failures are logged and tried again."""
        while not stop.is_set():
            try:
                for group in self._names():
                    await self._refresh(group)
            except StoreError as error:
                log.warning("groups_store_away", error=str(error))
            self._log_changes()
            await pause(stop, min(2.0, self._refresh_s / 2))

    async def _read(self, group: str) -> float:
        """Read one group; for how many more seconds its members hold."""
        now = self._elapsed_s()
        shared = await self._cache.load(group)
        if shared is None:
            self._members.pop(group, None)
            return 0.0
        members, left_s = shared
        left_s = min(left_s, self._max_age_s)
        self._members[group] = _CachedMembers(members, now + left_s)
        return left_s

    async def _refresh(self, group: str) -> None:
        left_s = await self._read(group)
        if self._fetch is None or self._max_age_s - left_s < self._refresh_s:
            return
        if not await self._cache.claim_fetch(group, rest_s=self._refresh_s / 2):
            return
        try:
            members = frozenset(await self._fetch(group))
        except RateLimited as error:
            log.warning("group_unresolved", group=group, error=str(error))
            await self._cache.delay_fetch(
                group, rest_s=max(error.retry_after_s, self._refresh_s / 2)
            )
        except Gone as error:
            # An answer, and not an outage: there is no such group any more.
            log.error("group_unresolved", group=group, error=str(error))
            await self._cache.forget(group)
            self._members.pop(group, None)
        except PlatformError as error:
            log.warning("group_unresolved", group=group, error=str(error))
        else:
            await self._cache.store(group, members, keep_s=self._max_age_s)
            await self._read(group)

    def _missing(self) -> set[str]:
        now = self._elapsed_s()
        return {
            group
            for group in self._names()
            if group not in self._members or self._members[group].until_s <= now
        }

    def _log_changes(self) -> None:
        """Log a change of which groups are known."""
        missing = self._missing()
        for group in sorted(missing - self._unknown):
            why = "Slack is not connected" if self._fetch is None else "Slack did not say"
            log.error("group_unknown", group=group, why=why, effect="nobody holds its roles by it")
        for group in sorted(self._unknown - missing):
            log.info("group_known", group=group)
        self._unknown = missing
