"""Open cards by who may decide them, over all partitions; cards' scripts keep the lists (§3)."""

import heapq
from collections.abc import Iterable, Sequence
from typing import Any

import structlog
from pydantic import ValidationError

from adapters.redis import keys, wire
from adapters.redis.client import translate_errors
from adapters.redis.scripts import Scripts
from cards.model import Card
from engine.ports.storage.inbox import OpenCardTokens

log = structlog.get_logger()
LISTED = 2_000
"""The most cards of a partition that are listed for a name."""

SHOWN_AGAIN = 20
"""The most repeated messages of a card that are kept up to date; older ones stay as they are."""

_AT_ONCE = 200
_FIELDS = ("body", "status", "version")
# The name of a command's method, and its arguments.
_Command = tuple[str, tuple[Any, ...]]


class RedisInbox:
    """Reads without scripts, so that one round trip asks all partitions, also of a Cluster.

    `listed_most` bounds what is listed of each partition.
    """

    def __init__(
        self, scripts: Scripts, partitions: keys.Partitions, *, listed_most: int = LISTED
    ) -> None:
        self._scripts = scripts
        self._partitions = partitions
        self._most = listed_most

    async def find_tokens(self, names: Sequence[str]) -> OpenCardTokens:
        """Cards that wait for any of the names, the oldest first."""
        lists = [
            f"{keys.tag(number)}inbox:{wire.encode_inbox_name(name)}"
            for number in range(self._partitions.count)
            for name in dict.fromkeys(names)
        ]
        if not lists:
            return OpenCardTokens()
        commands: list[_Command] = []
        for each in lists:
            commands += [("zrange", (each, 0, self._most - 1, False, True)), ("zcard", (each,))]
        answers = await self._run_all(commands)
        found = heapq.merge(*(_by_time(answer) for answer in answers[::2]))
        tokens = dict.fromkeys(token for _, token in found)
        return OpenCardTokens(tuple(tokens), sum(map(int, answers[1::2])))

    async def cards(self, tokens: Sequence[str]) -> Sequence[Card]:
        """Those of the cards that are open, in this order; unreadable ones are logged."""
        found = [_read_card(token, fields) for token, fields in await self._stored(tokens)]
        return [card for card in found if card is not None and card.status == "open"]

    async def unreadable(self, tokens: Sequence[str]) -> int:
        """How many of the cards are open and cannot be read."""
        stored = await self._stored(tokens)
        is_open = [(token, fields) for token, fields in stored if fields[1] == "open"]
        return sum(_read_card(token, fields) is None for token, fields in is_open)

    async def _stored(self, tokens: Sequence[str]) -> list[tuple[str, list[Any]]]:
        """The fields of each card that may be there."""
        places = [(self._partitions.of_id(token), token) for token in tokens]
        known = [(number, token) for number, token in places if number is not None]
        answers = await self._run_all(
            [("hmget", (f"{keys.tag(n)}card:{token}", _FIELDS)) for n, token in known]
        )
        return [(token, list(f)) for (_, token), f in zip(known, answers, strict=True)]

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
        repaired, found = 0, set[str]()
        with translate_errors():
            async for key in self._scripts.client.scan_iter(match="{p*}:c:*:cards", count=1000):
                found.add(str(key))
                if len(found) >= _AT_ONCE:
                    repaired += await self._repair_conversations(sorted(found))
                    found.clear()
        return repaired + await self._repair_conversations(sorted(found))

    async def _repair_conversations(self, places: Sequence[str]) -> int:
        """List the unlisted open cards of these conversations; returns how many."""
        opened = await self._run_all([("zrange", (key, 0, -1)) for key in places])
        cards = [
            (key, str(token))
            for key, tokens in zip(places, opened, strict=True)
            for token in tokens
        ]
        tags = {key: key.partition(":c:")[0] for key in places}
        listed = await self._run_all(
            [("hexists", (f"{tags[key]}:card:{token}", "who")) for key, token in cards]
        )
        missing = {
            token: key for (key, token), there in zip(cards, listed, strict=True) if not there
        }
        repaired = 0
        for card in await self.cards(tuple(missing)):
            conversation = missing[card.token].partition(":c:")[2].removesuffix(":cards")
            repaired += await self._relist(card, conversation)
        return repaired

    async def _relist(self, card: Card, conversation: str) -> int:
        partition = self._partitions.of_id(card.token) or 0
        who = wire.encode_inbox_names(card)
        return int(
            await self._scripts.run(
                "relist", partition, card.token, card.version, conversation, who
            )
        )

    async def _run_all(self, commands: Sequence[_Command]) -> list[Any]:
        answers: list[Any] = []
        with translate_errors():
            for start in range(0, len(commands), _AT_ONCE):
                async with self._scripts.client.pipeline(transaction=False) as pipe:
                    for method, arguments in commands[start : start + _AT_ONCE]:
                        getattr(pipe, method)(*arguments)
                    answers += await pipe.execute()
        return answers


def _by_time(answer: Iterable[Any]) -> list[tuple[float, str]]:
    return [(float(score), str(token)) for token, score in answer]


def _read_card(token: str, fields: Sequence[Any]) -> Card | None:
    stored = wire.decode_card(list(fields))
    try:
        return stored.read() if stored else None
    except ValidationError as error:
        log.error("unreadable_card", card=token, faults=error.error_count())
        return None
