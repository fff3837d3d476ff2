"""What waits for whom, over all partitions (design §3): lists that the cards' own scripts keep."""

import heapq
from collections.abc import Iterable, Sequence
from typing import Any

import structlog
from pydantic import ValidationError

from adapters.redis import keys, wire
from adapters.redis.client.client import translated
from adapters.redis.scripts import Scripts
from cards.model import Card
from engine.ports.storage.inbox import OpenCardTokens

log = structlog.get_logger()
LISTED = 2_000
"""So many cards of a partition are listed for a name."""

SHOWN_AGAIN = 20
"""So many messages that showed a card again follow it; of more, the oldest stays as it is."""

_AT_ONCE = 200
_FIELDS = ("body", "status", "version")
# The name of a command's method, and its arguments.
_Ask = tuple[str, tuple[Any, ...]]


class RedisInbox:
    """Reads without scripts, so that all partitions are asked in one round trip, also a Cluster's.

    `listed_most` bounds what is listed of each partition.
    """

    def __init__(
        self, scripts: Scripts, partitions: keys.Partitions, *, listed_most: int = LISTED
    ) -> None:
        self._scripts = scripts
        self._partitions = partitions
        self._most = listed_most

    async def listed(self, names: Sequence[str]) -> OpenCardTokens:
        """Cards that wait for any of the names, the oldest first."""
        lists = [
            f"{keys.tag(number)}inbox:{wire.inbox_name(name)}"
            for number in range(self._partitions.count)
            for name in dict.fromkeys(names)
        ]
        if not lists:
            return OpenCardTokens()
        asked: list[_Ask] = []
        for each in lists:
            asked += [("zrange", (each, 0, self._most - 1, False, True)), ("zcard", (each,))]
        answers = await self._pipelined(asked)
        found = heapq.merge(*(_by_time(answer) for answer in answers[::2]))
        tokens = dict.fromkeys(token for _, token in found)
        return OpenCardTokens(tuple(tokens), sum(map(int, answers[1::2])))

    async def cards(self, tokens: Sequence[str]) -> Sequence[Card]:
        """Those of the cards that are open, in this order; unreadable ones are logged."""
        places = [(self._partitions.of_id(token), token) for token in tokens]
        known = [(number, token) for number, token in places if number is not None]
        answers = await self._pipelined(
            [("hmget", (f"{keys.tag(n)}card:{token}", _FIELDS)) for n, token in known]
        )
        found = [_read(token, fields) for (_, token), fields in zip(known, answers, strict=True)]
        return [card for card in found if card is not None and card.status == "open"]

    async def show(self, token: str, *, row: str, place: str, due_s: float = 0.0) -> bool:
        """Show an open card at a place under this row's name."""
        partition = self._partitions.of_id(token)
        if partition is None:
            return False
        due_ms = int(due_s * 1000)
        shown = await self._scripts.run("show", partition, token, row, place, due_ms, SHOWN_AGAIN)
        if shown:
            self._scripts.bell.ring(shows=True)
        return bool(shown)

    async def repair(self) -> int:
        """List the open cards that no list names."""
        mended, found = 0, set[str]()
        with translated():
            async for key in self._scripts.client.scan_iter(match="{p*}:c:*:cards", count=1000):
                found.add(str(key))
                if len(found) >= _AT_ONCE:
                    mended += await self._mend(sorted(found))
                    found.clear()
        return mended + await self._mend(sorted(found))

    async def _mend(self, places: Sequence[str]) -> int:
        """List the unlisted open cards of these conversations."""
        opened = await self._pipelined([("zrange", (key, 0, -1)) for key in places])
        cards = [
            (key, str(token))
            for key, tokens in zip(places, opened, strict=True)
            for token in tokens
        ]
        tags = {key: key.partition(":c:")[0] for key in places}
        listed = await self._pipelined(
            [("hexists", (f"{tags[key]}:card:{token}", "who")) for key, token in cards]
        )
        missing = {
            token: key for (key, token), there in zip(cards, listed, strict=True) if not there
        }
        mended = 0
        for card in await self.cards(tuple(missing)):
            conversation = missing[card.token].partition(":c:")[2].removesuffix(":cards")
            mended += await self._relist(card, conversation)
        return mended

    async def _relist(self, card: Card, conversation: str) -> int:
        partition = self._partitions.of_id(card.token) or 0
        who = wire.who(card)
        return int(
            await self._scripts.run(
                "relist", partition, card.token, card.version, conversation, who
            )
        )

    async def _pipelined(self, asked: Sequence[_Ask]) -> list[Any]:
        answers: list[Any] = []
        with translated():
            for start in range(0, len(asked), _AT_ONCE):
                async with self._scripts.client.pipeline(transaction=False) as pipe:
                    for method, arguments in asked[start : start + _AT_ONCE]:
                        getattr(pipe, method)(*arguments)
                    answers += await pipe.execute()
        return answers


def _by_time(answer: Iterable[Any]) -> list[tuple[float, str]]:
    return [(float(score), str(token)) for token, score in answer]


def _read(token: str, fields: Sequence[Any]) -> Card | None:
    stored = wire.card(list(fields))
    try:
        return stored.read() if stored else None
    except ValidationError as error:
        log.error("unreadable_card", card=token, faults=error.error_count())
        return None
