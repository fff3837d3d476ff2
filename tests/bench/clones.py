"""Many suspended runs out of one real one: each of its keys again, under names of its own."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from redis.asyncio import Redis

from adapters.redis.keys import Partitions
from adapters.redis.packing.bodies import repack, unpack, unpack_lines
from engine.reviews.approvals import call_digest

ROOM, DAY = "bench", "2001-01-02"
REQUEST = f"补录 P003 {DAY} 的访视，体重 61.5，血压 120/80，ECOG 1"
_ONE = Partitions(1)
FIRST_DAY = date(1400, 1, 1)
BATCH = 500
# What the web chat showed is no part of a run, and other platforms keep it themselves.
_SHOWN = "{p0}:chat:"

# A template's text is a list of pieces; a number stands for one of the clone's own names.
_CLONE = """
local template = cjson.decode(ARGV[1])
local function text(pieces, names)
  local out = {}
  for i, piece in ipairs(pieces) do
    out[i] = type(piece) == 'number' and names[piece] or piece
  end
  return table.concat(out)
end
for at = 2, #ARGV do
  local names = cjson.decode(ARGV[at])
  for _, key in ipairs(template) do
    local words = {}
    for i, pieces in ipairs(key.words) do words[i] = text(pieces, names) end
    local name = text(key.key, names)
    redis.call(key.command, name, unpack(words))
    if key.ttl > 0 then redis.call('PEXPIRE', name, key.ttl) end
  end
end
return #ARGV - 1
"""
_COMMANDS = {"hash": "HSET", "string": "SET", "list": "RPUSH", "set": "SADD", "zset": "ZADD"}
_KINDS = {
    "audit": re.compile(r":log:"),
    "trace": re.compile(r":trace:"),
    "gone in a day": re.compile(r":e:|:[ld]:.*:h$|:row:.*/check/"),
}


@dataclass(frozen=True, slots=True)
class Names:
    """What tells one run from another."""

    run: str
    card: str
    reply: str
    room: str
    day: str
    shown: str

    @property
    def words(self) -> tuple[str, ...]:
        """As they stand in keys and values."""
        return (self.run, self.card, self.reply, f"web:local:{self.room}", self.day, self.shown)

    @property
    def button(self) -> str:
        """What the approving tap sends."""
        return f"s1:{self.card}:approve:1"

    @property
    def stream(self) -> str:
        """Where the requester's chat is shown."""
        return f"{_SHOWN}web:local:{self.room}"


@dataclass(frozen=True, slots=True)
class Original:
    """The real run, as its names, its data and its keys.

    What is packed of it is packed anew for each clone: in the template, such a word is one number,
    that of its place behind the clone's names.
    """

    names: Names
    data: dict[str, Any]
    keys: tuple[str, ...]
    template: str
    packed: tuple[str, ...]

    def clone(self, number: int) -> Names:
        """The names of a clone; it is about a day of its own, as a study takes a visit once."""
        day = (FIRST_DAY + timedelta(days=number)).isoformat()
        arguments = {**self.data, "visit_date": day}
        return Names(
            **{kind: _ONE.derived_id(ROOM, kind, str(number)) for kind in ("run", "card", "reply")},
            room=f"b{number:06d}",
            day=day,
            shown=_digest(arguments),
        )

    def words_of(self, clone: Names) -> list[str]:
        """What the template's numbers stand for in the clone."""
        texts = ["\n".join(unpack_lines([word])) for word in self.packed]
        cut = [_pieces(text, self.names) for text in texts]
        named = [
            "".join(clone.words[piece - 1] if isinstance(piece, int) else piece for piece in pieces)
            for pieces in cut
        ]
        repacked = [repack(word, text) for word, text in zip(self.packed, named, strict=True)]
        return [*clone.words, *repacked]


def _digest(arguments: dict[str, Any]) -> str:
    return call_digest(({"tool": "record_visit", "arguments": arguments},))


async def original(client: Redis, card: str) -> Original:
    """The run that waits for this card, and everything that the store has of it."""
    held: Any = client
    run = await held.hget(f"{{p0}}:card:{card}", "run")
    body = json.loads(unpack(await held.hget(f"{{p0}}:run:{run}", "body")))
    data = {**body["state"]["data"]}
    data.setdefault("adverse_event", None)
    names = Names(run, card, body["reply"], ROOM, DAY, body["frames"][-1]["shown_digest"])
    if names.shown != _digest(data):
        raise RuntimeError("what is approved is put together in another way than here")
    found = [key async for key in held.scan_iter("*", count=1000)]
    mine = tuple(sorted(k for k in found if not k.startswith(_SHOWN) and _names_any(k, names)))
    packed: list[str] = []
    mentions = [await _entry(client, key, names, packed) for key in mine]
    return Original(names, data, mine, json.dumps(mentions, ensure_ascii=False), (*packed,))


def _names_any(key: str, names: Names) -> bool:
    # The update's id names nobody else, as this store has taken one message.
    return any(word in key for word in names.words) or ":e:web:" in key


async def _entry(client: Redis, key: str, names: Names, packed: list[str]) -> dict[str, Any]:
    kind = str(await client.type(key))
    cut: list[list[str | int]] = []
    for word in await _words(client, key, kind):
        if unpack(word) == word:
            cut.append(_pieces(word, names))
        else:
            packed.append(word)
            cut.append([len(names.words) + len(packed)])
    name = _pieces(key, names)
    if len(name) == 1:
        name = [*name, "-", 1]
    ttl = max(0, int(await client.pttl(key)))
    return {"command": _COMMANDS[kind], "key": name, "words": cut, "ttl": ttl}


async def _words(client: Any, key: str, kind: str) -> list[str]:
    match kind:
        case "hash":
            return [w for pair in (await client.hgetall(key)).items() for w in pair]
        case "string":
            return [str(await client.get(key))]
        case "list":
            return list(await client.lrange(key, 0, -1))
        case "set":
            return list(await client.smembers(key))
        case "zset":
            entries = await client.zrange(key, 0, -1, withscores=True)
            return [w for member, score in entries for w in (str(int(score)), member)]
    raise RuntimeError(f"{key}: a {kind} is not part of a run")


def _pieces(text: str, names: Names) -> list[str | int]:
    places = {word: index for index, word in enumerate(names.words, start=1)}
    cut = re.split("(" + "|".join(re.escape(word) for word in names.words) + ")", text)
    return [places.get(piece, piece) for piece in cut if piece]


async def fill(client: Redis, real: Original, numbers: Iterable[int]) -> None:
    """A clone of each number."""
    script = client.register_script(_CLONE)
    waiting = [json.dumps(real.words_of(real.clone(number))) for number in numbers]
    await client.config_set("appendfsync", "everysec")
    for first in range(0, len(waiting), BATCH):
        await script(keys=["{p0}:q"], args=[real.template, *waiting[first : first + BATCH]])
    await client.config_set("appendfsync", "always")


async def weights(client: Redis, real: Original, of: Names) -> dict[str, float]:
    """Bytes of one clone's keys: what the run needs, its audit and trace, what is gone in a day."""
    sums: dict[str, float] = {"run": 0.0, **dict.fromkeys(_KINDS, 0.0)}
    for entry in json.loads(real.template):
        key = "".join(of.words[p - 1] if isinstance(p, int) else p for p in entry["key"])
        kind = next((name for name, shape in _KINDS.items() if shape.search(key)), "run")
        sums[kind] += float(await client.memory_usage(key, samples=0) or 0)
    return sums
