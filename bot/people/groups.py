"""Slack groups whose members hold roles: resolved beside the taps, and never believed for long."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog

from bot.waits import pause
from engine.errors import Gone, PlatformError, RateLimited, StoreError

log = structlog.get_logger()
REFRESH_S = 60.0
"""A group is asked for again after this, or after a third of its age's bound."""

Fetch = Callable[[str], Awaitable[Sequence[str]]]
"""The members of a group, from its platform. Raises PlatformError."""


class Shared(Protocol):
    """What all processes know of the groups. Raises StoreError."""

    async def load(self, group: str) -> tuple[frozenset[str], float] | None:
        """The members and for how many more seconds they hold, or None."""
        ...

    async def store(self, group: str, members: frozenset[str], *, keep_s: float) -> None:
        """Keep the members for so long."""
        ...

    async def forget(self, group: str) -> None:
        """Nobody is known to be in the group."""
        ...

    async def turn(self, group: str, *, rest_s: float) -> bool:
        """Whether the caller may ask the platform now."""
        ...

    async def rest(self, group: str, *, rest_s: float) -> None:
        """Nobody asks the platform for so long."""
        ...


@dataclass(frozen=True, slots=True)
class _Held:
    members: frozenset[str]
    until_s: float


class Groups:
    """The members of each group, by what Slack said at most `max_age_s` seconds ago; else nobody.

    `fetch` None is a platform that is not connected.
    """

    def __init__(
        self,
        names: Sequence[str],
        shared: Shared,
        fetch: Fetch | None,
        *,
        max_age_s: float,
        elapsed_s: Callable[[], float],
    ) -> None:
        self._names = names
        self._shared = shared
        self._fetch = fetch
        self._max_age_s = max_age_s
        self._refresh_s = min(REFRESH_S, max_age_s / 3)
        self._elapsed_s = elapsed_s
        self._held: dict[str, _Held] = {}
        self._unknown: set[str] = set()

    def members(self, group: str) -> frozenset[str]:
        """Who is in the group, from memory: a tap waits for nothing."""
        held = self._held.get(group)
        fresh = held is not None and self._elapsed_s() < held.until_s
        return held.members if held and fresh else frozenset()

    @property
    def health(self) -> str:
        """`ok`, or the groups whose members are not known."""
        missing = sorted(self._missing())
        return f"unknown: {', '.join(missing)}" if missing else "ok"

    async def load(self) -> None:
        """Take over what all processes know. Raises StoreError."""
        for group in self._names:
            await self._take(group)

    async def run(self, stop: asyncio.Event) -> None:
        """Keep the groups fresh until `stop`; what fails is logged and tried again."""
        while self._names and not stop.is_set():
            try:
                for group in self._names:
                    await self._keep(group)
            except StoreError as error:
                log.warning("groups_store_away", error=str(error))
            self._tell()
            await pause(stop, min(2.0, self._refresh_s / 2))

    async def _take(self, group: str) -> float:
        """For how many more seconds the group's members hold."""
        now = self._elapsed_s()
        found = await self._shared.load(group)
        if found is None:
            self._held.pop(group, None)
            return 0.0
        members, left_s = found
        left_s = min(left_s, self._max_age_s)
        self._held[group] = _Held(members, now + left_s)
        return left_s

    async def _keep(self, group: str) -> None:
        left_s = await self._take(group)
        if self._fetch is None or self._max_age_s - left_s < self._refresh_s:
            return
        if not await self._shared.turn(group, rest_s=self._refresh_s / 2):
            return
        try:
            members = frozenset(await self._fetch(group))
        except RateLimited as error:
            log.warning("group_unresolved", group=group, error=str(error))
            await self._shared.rest(group, rest_s=max(error.retry_after_s, self._refresh_s / 2))
        except Gone as error:
            # An answer, and not an outage: there is no such group any more.
            log.error("group_unresolved", group=group, error=str(error))
            await self._shared.forget(group)
            self._held.pop(group, None)
        except PlatformError as error:
            log.warning("group_unresolved", group=group, error=str(error))
        else:
            await self._shared.store(group, members, keep_s=self._max_age_s)
            await self._take(group)

    def _missing(self) -> set[str]:
        now = self._elapsed_s()
        return {
            group
            for group in self._names
            if group not in self._held or self._held[group].until_s <= now
        }

    def _tell(self) -> None:
        """Log a change of which groups are known."""
        missing = self._missing()
        for group in sorted(missing - self._unknown):
            why = "Slack is not connected" if self._fetch is None else "Slack did not say"
            log.error("group_unknown", group=group, why=why, effect="nobody holds its roles by it")
        for group in sorted(self._unknown - missing):
            log.info("group_known", group=group)
        self._unknown = missing
