"""The store's three ports over the scripts (design §3, store.md)."""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TypeVar

import structlog
from pydantic import ValidationError

from adapters.redis import keys, wire
from adapters.redis.bell import SHOWS
from adapters.redis.client import Client, is_moving, translate_errors
from adapters.redis.connect import BLOCK_S
from adapters.redis.packing.bodies import unpack
from adapters.redis.scripts import Scripts
from cards.model import Card
from engine.errors import LeaseLost, NewerState, Overloaded, StaleWrite, StoreUnavailable
from engine.ports.platform import Pace
from engine.ports.storage.arrivals import Arrival
from engine.ports.storage.outbox import Following, OutboxRow, StoredCard
from engine.ports.storage.store import (
    AfterCommit,
    CardNow,
    Claim,
    Effects,
    LaneBounds,
    LaneCapacity,
    LeasedLanes,
)

log = structlog.get_logger()
DEDUPE_MS = 24 * 3600 * 1000
# So long a message can be edited on Telegram.
EDITED_MS = 48 * 3600 * 1000
Leased = TypeVar("Leased")
_NO_PACE = Pace()
_NO_ARRIVAL = Arrival("", "")
_BOUNDS = LaneBounds()


class _Sweep:
    """Visits all partitions, beginning one further each time, so that none starves.

    `place` names the server of a partition.
    """

    def __init__(self, count: int, place: Callable[[int], str]) -> None:
        self._count = count
        self._place = place
        self._first = 0

    async def run(
        self, lease: Callable[[int, int], Awaitable[tuple[list[Leased], float]]], limit: int
    ) -> tuple[list[Leased], float]:
        """Return what was leased, at most `limit`, and the seconds until the next thing is due.

        A server that is away is asked once, and holds up no other, nor does a partition that moves
        between servers; when one is or does and nothing was leased, it raises StoreUnavailable.
        """
        self._first = (self._first + 1) % self._count
        leased: list[Leased] = []
        next_s = 3600.0
        away: dict[str, StoreUnavailable] = {}
        for step in range(self._count):
            if len(leased) >= limit:
                return leased, 0.0
            partition = (self._first + step) % self._count
            place = self._place(partition)
            if place in away:
                continue
            try:
                found, due_s = await lease(partition, limit - len(leased))
            except StoreUnavailable as error:
                away["" if is_moving(error.__cause__) else place] = error
                continue
            leased.extend(found)
            next_s = min(next_s, due_s)
        if away and not leased:
            raise next(iter(away.values()))
        return leased, 0.0 if away else next_s


class RedisMailbox:
    """Lanes in Redis; a lane's score in `q` is when it may be leased (readiness, lease, back-off).

    `bell` is a client whose reads may block. `holder` names whoever takes lanes by this object.
    """

    def __init__(
        self,
        scripts: Scripts,
        partitions: keys.Partitions,
        *,
        lease_s: float,
        bell: Client,
        bounds: LaneBounds = _BOUNDS,
    ) -> None:
        self._scripts = scripts
        self._bell = bell
        self._bounds = bounds
        self._partitions = partitions
        self._sweep = _Sweep(partitions.count, scripts.place)
        self._lease_ms = int(lease_s * 1000)
        self.holder = secrets.token_hex(8)

    async def put(
        self, lane: str, mail: str, *, update_id: str, arrival: Arrival = _NO_ARRIVAL
    ) -> bool:
        """Append mail durably; False when the update was put before."""
        partition = self._partitions.of_lane(lane)
        age_ms = int(self._bounds.age_s * 1000)
        new = await self._scripts.run(
            "enqueue",
            partition,
            update_id,
            lane,
            mail,
            DEDUPE_MS,
            self._bounds.length,
            age_ms,
            arrival.name,
            arrival.digest,
            EDITED_MS,
        )
        if int(new) < 0:
            raise Overloaded(f"{lane} takes no more mail for now")
        self._scripts.bell.ring()
        return bool(new)

    async def take(self, limit: int, *, run: int = 0, control: int = 0) -> LeasedLanes:
        """Lease up to `limit` lanes over all partitions, and so many runs and commands besides."""
        room = LaneCapacity(limit, run, control)

        async def claim(partition: int, _: int) -> tuple[list[Claim], float]:
            nonlocal room
            found, next_ms = await self._scripts.run(
                "claim",
                partition,
                room.shared,
                self._lease_ms,
                room.run,
                room.control,
                self.holder,
            )
            claims = [
                wire.decode_claim(c[0], int(c[1]), int(c[2]), int(c[3]), c[4:]) for c in found
            ]
            for claimed in claims:
                room = room.without(claimed.kind)
            return claims, int(next_ms) / 1000

        found, next_s = await self._sweep.run(claim, room.total)
        return LeasedLanes(claims=tuple(found), next_s=next_s)

    async def renew(self, claim: Claim) -> None:
        """Keep the lease; raises LeaseLost when another holds the lane."""
        partition = self._partitions.of_lane(claim.lane)
        if not await self._scripts.run("renew", partition, claim.lane, claim.fence, self._lease_ms):
            raise LeaseLost(claim.lane)

    async def commit(
        self,
        claim: Claim,
        effects: Effects,
        *,
        pop: bool,
        front: str = "",
        after: AfterCommit = "keep",
        on_sent: Callable[[], None] = lambda: None,
    ) -> Claim | None:
        """Apply all effects or none; returns the lane's next mail."""
        resent = self._scripts.resent
        if self._scripts.in_order:
            # Whoever is woken now sends in the same round trip, for which the file is synced once.
            on_sent()
        answer = await self._scripts.run(
            "commit",
            self._partitions.of_lane(claim.lane),
            claim.lane,
            claim.fence,
            claim.commits,
            secrets.token_hex(8),
            self._lease_ms,
            int(pop),
            front,
            after,
            wire.encode_effects(effects, self._scripts.run_keep_ms),
        )
        if answer[0] == "FENCED":
            raise LeaseLost(claim.lane)
        if answer[0] == "STALE":
            raise StaleWrite(answer[1])
        if not self._scripts.in_order or self._scripts.resent != resent:
            # A server that was restarted did not know the script: who was woken came before it.
            on_sent()
        if len(answer) == 1:
            return None
        attempts = 1 if pop else claim.attempts
        return wire.decode_claim(
            claim.lane, claim.fence, claim.commits + 1, attempts, answer[1:], follows=True
        )

    async def release(self, claim: Claim, *, retry_in_s: float, counts: bool) -> None:
        """Give the lane back unhandled."""
        partition = self._partitions.of_lane(claim.lane)
        delay_ms = int(retry_in_s * 1000)
        await self._scripts.run(
            "release", partition, claim.lane, claim.fence, delay_ms, int(not counts)
        )

    async def wait(self, timeout_s: float) -> bool:
        """Wait for the doorbell, at most `timeout_s`; whether there may be something to show."""
        with translate_errors():
            rung = await self._bell.blpop([keys.BELL], timeout=min(timeout_s, BLOCK_S))
        return rung is None or rung[1] == SHOWS


class RedisDecisions:
    """Cards, runs and replies as stored."""

    def __init__(self, scripts: Scripts, partitions: keys.Partitions) -> None:
        self._scripts = scripts
        self._partitions = partitions

    async def card(self, token: str) -> CardNow | None:
        """The card and the server's time, or None; raises NewerState."""
        partition = self._partitions.of_id(token)
        if partition is None:
            return None
        fields, now = await self._scripts.run("card", partition, token)
        found = wire.decode_card(fields)
        if found is None:
            return None
        return CardNow(card=_read_card(found), now=datetime.fromtimestamp(int(now) / 1000, UTC))

    async def open_cards(self, conversation: str) -> Sequence[Card]:
        """Return a conversation's open cards, oldest first, without those of newer versions."""
        partition = self._partitions.of_conversation(conversation)
        found = await self._scripts.run("open_cards", partition, conversation)
        cards: list[Card] = []
        for fields in found:
            with suppress(NewerState):
                stored = wire.decode_card(fields)
                cards += [_read_card(stored)] if stored else []
        return [card for card in cards if card.status == "open"]

    async def decide(self, token: str, *, update_id: str, answer: str, effects: Effects) -> str:
        """Record an answer under the update's id; returns the answer that holds."""
        partition = self._partitions.of_id(token) or 0
        encoded = wire.encode_effects(effects, self._scripts.run_keep_ms)
        result = await self._scripts.run("decide", partition, update_id, DEDUPE_MS, answer, encoded)
        if result[0] == "STALE":
            raise StaleWrite(result[1])
        if result[0] == "OK":
            self._scripts.bell.ring(shows=True)
        return str(result[1])

    async def run(self, run_id: str) -> tuple[str, str] | None:
        """A run's body and terminal status."""
        partition = self._partitions.of_id(run_id)
        if partition is None:
            return None
        fields = await self._hash(partition, f"run:{run_id}")
        return (unpack(fields["body"]), fields.get("ended", "")) if fields else None

    async def active_runs(self, conversation: str) -> Sequence[tuple[str, str]]:
        """Id and body of each run that has not ended."""
        partition = self._partitions.of_conversation(conversation)
        found = await self._scripts.run("active_runs", partition, conversation)
        return [(run_id, unpack(body)) for run_id, body in found if body]

    async def reply(self, reply_id: str) -> tuple[str, tuple[str, ...]] | None:
        """A reply's head and parts."""
        partition = self._partitions.of_id(reply_id)
        if partition is None:
            return None
        fields = await self._hash(partition, f"reply:{reply_id}")
        return (unpack(fields["head"]), wire.decode_parts(fields)) if fields else None

    async def _hash(self, partition: int, name: str) -> dict[str, str]:
        with translate_errors():
            found = await self._scripts.client.hgetall(keys.tag(partition) + name)
        return {str(name): str(value) for name, value in found.items()}


def _read_card(stored: StoredCard) -> Card:
    try:
        return stored.read()
    except ValidationError as error:
        log.error("unreadable_card", faults=error.error_count())
        raise NewerState("a newer version wrote the card") from error


class RedisOutbox:
    """Rows to show, leased one at a time per destination by the worker of that name."""

    def __init__(
        self, scripts: Scripts, partitions: keys.Partitions, *, lease_s: float, holder: str = ""
    ) -> None:
        self._scripts = scripts
        self._holder = holder
        self._sweep = _Sweep(partitions.count, scripts.place)
        self._lease_ms = int(lease_s * 1000)

    async def take_rows(self, limit: int) -> tuple[Sequence[OutboxRow], float]:
        """Lease up to `limit` destinations with a due row."""
        return await self._sweep.run(self._send, limit)

    async def _send(self, partition: int, limit: int) -> tuple[list[OutboxRow], float]:
        found, next_ms = await self._scripts.run(
            "send", partition, limit, self._lease_ms, self._holder
        )
        return [wire.decode_row(partition, answer) for answer in found], int(next_ms) / 1000

    async def sent(self, row: OutboxRow, message_id: str, *, pace: Pace = _NO_PACE) -> Following:
        """The row was shown; the destination goes on, unless it has to rest."""
        return await self._settle(row, "sent", message_id, pace)

    async def later(self, row: OutboxRow, *, in_s: float) -> Following:
        """The row is not to be shown yet."""
        return await self._settle(row, "later", int(in_s * 1000), unsure=False)

    async def retry(self, row: OutboxRow, *, in_s: float, unsure: bool = True) -> Following:
        """Hold this destination for `in_s` seconds."""
        return await self._settle(row, "retry", int(in_s * 1000), unsure=unsure)

    async def drop(self, row: OutboxRow, reason: str) -> Following:
        """The row can never be shown."""
        return await self._settle(row, "drop", reason)

    async def _settle(
        self,
        row: OutboxRow,
        outcome: str,
        value: str | int,
        pace: Pace = _NO_PACE,
        *,
        unsure: bool = True,
    ) -> Following:
        answer = await self._scripts.run(
            "sent",
            row.partition,
            row.conversation,
            row.fence,
            row.row,
            row.revision,
            outcome,
            value,
            self._lease_ms,
            int(pace.every_s * 1000),
            pace.burst,
            int(unsure),
            self._holder,
            row.ref,
        )
        if len(answer) < 2:
            return None
        if answer[1]:
            return wire.decode_row(row.partition, answer[1])
        return int(answer[2]) / 1000 if int(answer[2]) >= 0 else None
