"""Runs and open cards of all partitions, in pages that cost the same however many there are."""

import asyncio
import json
import math
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from adapters.redis import keys
from adapters.redis.client import Client, translate_errors
from adapters.redis.packing.bodies import unpack, unpack_once
from adapters.redis.scripts import Scripts
from cards.model import Card
from engine.ports.storage.archive import History, OpenCard, RunFilter, RunPage
from engine.ports.storage.outbox import StoredCard

LOOKS = 20_000
"""The most runs that are looked at for one page, besides the first round."""
ROUND = 500
"""The most runs that a partition looks at in one call, which takes a few milliseconds."""
BODIES = 100
"""The most bodies that are searched for a text before others have their turn."""

_RUNS_AT_ONCE = 500
_Position = tuple[float, str]
_NEWEST: _Position = (math.inf, "")


class RedisListing:
    """The listing port. `looks` and `round_` are other bounds, for tests."""

    def __init__(
        self,
        scripts: Scripts,
        partitions: keys.Partitions,
        *,
        looks: int = LOOKS,
        round_: int = ROUND,
    ) -> None:
        self._scripts = scripts
        self._partitions = partitions
        self._looks = looks
        self._round = round_
        self._listed = False

    async def runs(self, wanted: RunFilter, *, after: str, limit: int) -> RunPage:
        """Return a page of the newest matching runs; partitions are read only as far as needed."""
        left = dict.fromkeys(range(self._partitions.count), _parse_position(after))
        found: list[_Position] = []
        looked = 0
        while left and looked <= self._looks:
            found.sort(reverse=True)
            enough = found[limit] if len(found) > limit else (-math.inf, "")
            asked = [n for n, position in left.items() if position > enough]
            if not asked:
                break
            answers = await asyncio.gather(
                *(self._look_in(n, left[n], limit + 1, wanted) for n in asked)
            )
            for n, (new, position, count) in zip(asked, answers, strict=True):
                found += new
                looked += count
                left = (
                    {**left, n: position} if position else {m: p for m, p in left.items() if m != n}
                )
        return await self._page(sorted(found, reverse=True), left, looked, limit)

    async def _look_in(
        self, partition: int, after: _Position, limit: int, wanted: RunFilter
    ) -> tuple[list[_Position], _Position | None, int]:
        """Return what was found, where it stopped (None: at the end), how many were looked at."""
        score = "+inf" if after[0] == math.inf else f"{after[0]:.0f}"
        # A text is looked for here, where bodies can be unpacked.
        most = BODIES if wanted.text else limit
        found, last, looked = await self._scripts.run(
            "runs", partition, score, after[1], most, self._round, _filter(wanted)
        )
        position = (float(last[1]), str(last[0])) if last else None
        text = _fold(json.dumps(wanted.text, ensure_ascii=False)[1:-1])
        return (
            [(float(at), str(run)) for run, at, *body in found if _has_text(body, text)],
            position,
            int(looked),
        )

    async def _page(
        self, found: list[_Position], left: dict[int, _Position], looked: int, limit: int
    ) -> RunPage:
        reached = max(left.values(), default=(-math.inf, ""))
        safe = [position for position in found if position >= reached]
        page, more = safe[:limit], len(safe) > limit
        cut = bool(left) and not more
        older = _format_position(page[-1]) if more else _format_position(reached) if cut else ""
        return RunPage(await self._histories([run for _, run in page]), older, looked, cut)

    async def _histories(self, runs: Sequence[str]) -> list[tuple[str, History]]:
        kept = await self._hashes("run", runs, ("body", "ended"))
        return [
            (run, History(unpack(str(body)), str(ended or ""), ()))
            for run, (body, ended) in zip(runs, kept, strict=True)
            if body is not None
        ]

    async def mark(self, run: str = "") -> str:
        """Return a value that changes with the run: its log's length; without a run, with any."""
        partition = self._partitions.of_id(run)
        with translate_errors():
            async with self._scripts.client.pipeline(transaction=False) as pipe:
                if partition is not None:
                    pipe.llen(f"{keys.tag(partition)}log:{run}")
                for n in range(self._partitions.count) if not run else ():
                    pipe.get(f"{keys.tag(n)}fence")
                counted = await pipe.execute() if len(pipe) else []
        return str(sum(int(count or 0) for count in counted))

    async def open_cards(self, limit: int) -> tuple[Sequence[OpenCard], int]:
        """Return the oldest of all partitions; lists those of older versions once per store."""
        if not self._listed:
            await list_older_cards(self._scripts.client, self._partitions)
            self._listed = True
        numbers = range(self._partitions.count)
        answers = await asyncio.gather(*(self._scripts.run("open", n, limit) for n in numbers))
        rows = sorted((int(at), fields) for found, _ in answers for _, at, *fields in found)
        cards = [
            OpenCard(card, datetime.fromtimestamp(at / 1000, UTC))
            for at, fields in rows[:limit]
            if (card := _card(fields)) is not None and card.status == "open"
        ]
        return cards, sum(int(count) for _, count in answers)

    async def cards(self, tokens: Sequence[str]) -> Sequence[Card]:
        """Return those of the cards that are kept, and that this version can read."""
        kept = await self._hashes("card", tokens, ("body", "status", "version"))
        return [card for fields in kept if (card := _card(fields)) is not None]

    async def _hashes(
        self, kind: str, names: Sequence[str], fields: Sequence[str]
    ) -> list[list[Any]]:
        """Return these fields of each, in one round trip."""
        partitions = [(name, self._partitions.of_id(name)) for name in names]
        with translate_errors():
            async with self._scripts.client.pipeline(transaction=False) as pipe:
                for name, partition in partitions:
                    pipe.hmget(f"{keys.tag(partition or 0)}{kind}:{name}", list(fields))
                return list(await pipe.execute())


def _filter(wanted: RunFilter) -> str:
    """Return the filter as runs.lua reads it."""
    asked: dict[str, Any] = {
        "statuses": dict.fromkeys(wanted.statuses, True),
        "playbook": wanted.playbook,
        "who": _lower(wanted.who),
        "conversation": _lower(wanted.conversation),
        "bodies": bool(wanted.text),
        "children": wanted.children,
    }
    return json.dumps({name: value for name, value in asked.items() if value}, ensure_ascii=False)


def _fold(text: str) -> bytes:
    """Return a text in lower case, as far as it is ASCII."""
    return text.encode("utf-8", "surrogatepass").lower()


def _has_text(body: Sequence[str], text: bytes) -> bool:
    """Whether the body has the text, which is escaped as in JSON."""
    return not text or text in _fold(unpack_once(str(body[0])))


def _lower(text: str) -> str:
    # Lua knows the case of ASCII only.
    return "".join(c.lower() if c.isascii() else c for c in text)


def _card(fields: Sequence[str | None]) -> Card | None:
    body, status, version = fields
    with suppress(ValidationError):
        return StoredCard(unpack(body or ""), status or "", int(version or 0)).read()
    return None


def _parse_position(after: str) -> _Position:
    """Read what `_format_position` wrote; anything else is the newest position."""
    score, _, run = after.partition(":")
    return (float(score), run) if score.isdecimal() and len(score) < 16 else _NEWEST


def _format_position(position: _Position) -> str:
    return f"{position[0]:.0f}:{position[1]}"


async def list_older_cards(client: Client, partitions: keys.Partitions) -> None:
    """List the open cards that were opened before open cards were listed, once per store.

    A card that is closed meanwhile may stay listed: readers check its status.
    """
    with translate_errors():
        if await client.get(keys.OPEN_LISTED):
            return
        for n in range(partitions.count):
            runs = [str(run) for run in await client.zrange(f"{keys.tag(n)}runs", 0, -1)]
            for at in range(0, len(runs), _RUNS_AT_ONCE):
                await _list_cards_of_runs(client, keys.tag(n), runs[at : at + _RUNS_AT_ONCE])
        await client.set(keys.OPEN_LISTED, "1")


async def _list_cards_of_runs(client: Client, tag: str, runs: Sequence[str]) -> None:
    kept = await _run_all(
        client, [("hmget", f"{tag}run:{run}", ["ended", "conversation"]) for run in runs]
    )
    live = dict.fromkeys(str(where) for ended, where in kept if where and ended is None)
    cards = await _run_all(
        client, [("zrange", f"{tag}c:{where}:cards", 0, -1, False, True) for where in live]
    )
    for opened in filter(None, cards):
        await client.zadd(f"{tag}open", dict(opened), nx=True)


async def _run_all(client: Client, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Return the answers, in one round trip."""
    async with client.pipeline(transaction=False) as pipe:
        for name, *arguments in commands:
            getattr(pipe, name)(*arguments)
        return list(await pipe.execute())
