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
from adapters.redis.client.client import translated
from adapters.redis.open_cards import list_all
from adapters.redis.scripts import Scripts
from cards.model import Card
from engine.ports.storage.archive import History, OpenCard, RunFilter, RunPage
from engine.ports.storage.outbox import StoredCard

LOOKS = 20_000
"""So many runs are looked at for one page at most, beside the first round."""
ROUND = 500
"""So many a partition looks at in one go, which keeps it for a few milliseconds at most."""

_Place = tuple[float, str]
_NEWEST: _Place = (math.inf, "")


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
        """The newest that fit; all partitions are read side by side, only as far as needed."""
        left = dict.fromkeys(range(self._partitions.count), _place(after))
        found: list[_Place] = []
        looked = 0
        while left and looked <= self._looks:
            found.sort(reverse=True)
            enough = found[limit] if len(found) > limit else (-math.inf, "")
            asked = [n for n, place in left.items() if place > enough]
            if not asked:
                break
            answers = await asyncio.gather(
                *(self._look(n, left[n], limit + 1, wanted) for n in asked)
            )
            for n, (new, place, count) in zip(asked, answers, strict=True):
                found += new
                looked += count
                left = {**left, n: place} if place else {m: p for m, p in left.items() if m != n}
        return await self._page(sorted(found, reverse=True), left, looked, limit)

    async def _look(
        self, partition: int, after: _Place, limit: int, wanted: RunFilter
    ) -> tuple[list[_Place], _Place | None, int]:
        """What a partition has, where it stopped (None: at its end), how many it looked at."""
        score = "+inf" if after[0] == math.inf else f"{after[0]:.0f}"
        found, last, looked = await self._scripts.run(
            "runs", partition, score, after[1], limit, self._round, _filter(wanted)
        )
        place = (float(last[1]), str(last[0])) if last else None
        return [(float(at), str(run)) for run, at in found], place, int(looked)

    async def _page(
        self, found: list[_Place], left: dict[int, _Place], looked: int, limit: int
    ) -> RunPage:
        reached = max(left.values(), default=(-math.inf, ""))
        safe = [place for place in found if place >= reached]
        page, more = safe[:limit], len(safe) > limit
        cut = bool(left) and not more
        older = _written(page[-1]) if more else _written(reached) if cut else ""
        return RunPage(await self._histories([run for _, run in page]), older, looked, cut)

    async def _histories(self, runs: Sequence[str]) -> list[tuple[str, History]]:
        kept = await self._hashes("run", runs, ("body", "ended"))
        return [
            (run, History(str(body), str(ended or ""), ()))
            for run, (body, ended) in zip(runs, kept, strict=True)
            if body is not None
        ]

    async def mark(self, run: str = "") -> str:
        """How long a run's log is; of all, how often lanes and rows were taken."""
        partition = self._partitions.of_id(run)
        with translated():
            async with self._scripts.client.pipeline(transaction=False) as pipe:
                if partition is not None:
                    pipe.llen(f"{keys.tag(partition)}log:{run}")
                for n in range(self._partitions.count) if not run else ():
                    pipe.get(f"{keys.tag(n)}fence")
                counted = await pipe.execute() if len(pipe) else []
        return str(sum(int(count or 0) for count in counted))

    async def open_cards(self, limit: int) -> tuple[Sequence[OpenCard], int]:
        """The oldest of all partitions; the first time ever, cards of older versions are found."""
        if not self._listed:
            await list_all(self._scripts.client, self._partitions)
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
        """Those that are kept, and that this version can read."""
        kept = await self._hashes("card", tokens, ("body", "status", "version"))
        return [card for fields in kept if (card := _card(fields)) is not None]

    async def _hashes(
        self, kind: str, names: Sequence[str], fields: Sequence[str]
    ) -> list[list[Any]]:
        """These fields of each, in one round trip."""
        partitions = [(name, self._partitions.of_id(name)) for name in names]
        with translated():
            async with self._scripts.client.pipeline(transaction=False) as pipe:
                for name, partition in partitions:
                    pipe.hmget(f"{keys.tag(partition or 0)}{kind}:{name}", list(fields))
                return list(await pipe.execute())


def _filter(wanted: RunFilter) -> str:
    """What runs.lua reads; a part of JSON is looked for as JSON writes it."""
    text = json.dumps(wanted.text, ensure_ascii=False)[1:-1]
    asked: dict[str, Any] = {
        "statuses": dict.fromkeys(wanted.statuses, True),
        "playbook": wanted.playbook,
        "who": _lower(wanted.who),
        "conversation": _lower(wanted.conversation),
        "text": _lower(text),
        "children": wanted.children,
    }
    return json.dumps({name: value for name, value in asked.items() if value}, ensure_ascii=False)


def _lower(text: str) -> str:
    # Lua knows the case of ASCII only.
    return "".join(c.lower() if c.isascii() else c for c in text)


def _card(fields: Sequence[str | None]) -> Card | None:
    body, status, version = fields
    with suppress(ValidationError):
        return StoredCard(body or "", status or "", int(version or 0)).read()
    return None


def _place(after: str) -> _Place:
    """A place as `_written`; the newest for anything else."""
    score, _, run = after.partition(":")
    return (float(score), run) if score.isdecimal() and len(score) < 16 else _NEWEST


def _written(place: _Place) -> str:
    return f"{place[0]:.0f}:{place[1]}"
