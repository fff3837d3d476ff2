"""Every text that the store keeps, by the kinds of keys in `keys.py`; read in pages of keys."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from redis.asyncio import Redis

from adapters.redis.client import Client, translate_errors
from adapters.redis.packing.bodies import repack, unpack_lines, unpack_once
from adapters.redis.scripts import LUA, LuaScript
from engine.errors import StoreUnavailable
from engine.ports.records import StoredRecord, SwapOutcome

AT_ONCE: Final = 200
"""So many keys are read in one round trip."""


@dataclass(frozen=True, slots=True)
class KeyKind:
    """What stands under keys of a `form`: its name is what the star stands for.

    `shape` is how it is stored. Of a hash, `parts` are records, named or by how they begin (`*`).
    The name has not got the letter `without`, if there is one.
    """

    kind: str
    form: str
    shape: str
    parts: tuple[str, ...] = ("*",)
    without: str = ""

    def match(self, key: str) -> str | None:
        """The name of what stands there; None where the key is of another kind."""
        head, star, tail = self.form.partition("*")
        if not star:
            return key if key == self.form else None
        is_one = key.startswith(head) and key.endswith(tail) and len(key) > len(head) + len(tail)
        name = key[len(head) : len(key) - len(tail)]
        return None if not is_one or (self.without and self.without in name) else name

    def has_part(self, name: str) -> bool:
        """Whether that part of a hash is a record; what begins with @ counts messages."""
        if name.startswith("@"):
            return False
        return any(
            name.startswith(part[:-1]) if part.endswith("*") else name == part
            for part in self.parts
        )


_TAG: Final = "{p"
KINDS: Final = (
    # Of a conversation there is a colon in its name, and of a case there is none.
    KeyKind("case", "c:*:st", "string", without=":"),
    KeyKind("case_list", "cases", "zset"),
    KeyKind("session", "c:*:st", "string"),
    KeyKind("reply", "reply:*", "hash", ("head", "part:*", "rows")),
    KeyKind("cards_of_run", "run:*:cards", "set"),
    KeyKind("run", "run:*", "run", ("body", "who", "own", "conversation")),
    KeyKind("own_runs", "mine:*:ended", "key"),
    KeyKind("own_runs", "mine:*", "key"),
    KeyKind("own_runs", "voted:*", "key"),
    KeyKind("card", "card:*", "hash", ("body", "who", "rows")),
    KeyKind("log", "log:*", "list"),
    KeyKind("trace", "trace:*", "string"),
    KeyKind("answer", "e:*", "string"),
    KeyKind("mail", "l:*:in", "list"),
    KeyKind("lane", "l:talk:*:h", "key"),
    KeyKind("lane", "l:control:*:h", "key"),
    KeyKind("lane", "l:case:*:h", "key"),
    KeyKind("aside", "aside", "hash"),
    KeyKind("retried", "retried", "list"),
    KeyKind("row", "row:*", "hash", ("body",)),
    KeyKind("shown_by", "rows:*", "set"),
    KeyKind("unsent", "d:*:h", "key"),
    KeyKind("unsent", "d:*", "key"),
    KeyKind("message", "chat:*:now", "message"),
    KeyKind("messages", "chat:*:order", "key"),
    KeyKind("messages", "chat:*:draft", "key"),
    KeyKind("change", "chat:*", "stream"),
    KeyKind("memo", "signoff:{memory:*}", "list"),
    KeyKind("finding", "signoff:{findings:*}", "hash"),
    KeyKind("chats", "signoff:{chats:*}:titles", "hash"),
    KeyKind("chats", "signoff:{chats:*}:seen", "key"),
    KeyKind("chats", "signoff:{chats:*}", "key"),
    KeyKind("admitted", "signoff:admitted", "hash"),
    KeyKind("login_era", "signoff:login:era:*", "string"),
    KeyKind("login", "signoff:login:*", "string"),
    KeyKind("admin_session", "signoff:session:*", "string"),
    KeyKind("platform_note", "signoff:slate:*", "string"),
    KeyKind("limit", "signoff:pace:*", "string"),
    KeyKind("limit", "signoff:first:*", "string"),
)
"""Every kind of key with a record; a new kind is a line here. The first that matches counts."""


class RedisRecords:
    """The records port, over all partitions and what stands beside them."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._script = LuaScript(client, LUA.joinpath("swap.lua").read_text())

    async def all(self) -> AsyncIterator[StoredRecord]:
        """Every record. Raises StoreUnavailable where a slot moved meanwhile, once it is known.

        A key that moves from node to node may be looked for on each while it is on the other.
        """
        page: list[tuple[KeyKind, str, str]] = []
        before = await self._places()
        with translate_errors():
            async for key in self._client.scan_iter(count=1000):
                if found := _kind_of(str(key)):
                    page.append(found)
                if len(page) == AT_ONCE:
                    for record in await self._read(page):
                        yield record
                    page.clear()
            for record in await self._read(page):
                yield record
        if await self._places() != before:
            raise StoreUnavailable("slots have moved between nodes: not all may have been found")

    async def _places(self) -> Mapping[str, Any]:
        """Which node of a Cluster has which slots, and since when. Raises StoreUnavailable."""
        places: dict[str, Any] = {}
        if isinstance(self._client, Redis):
            return places
        with translate_errors():
            await self._client.initialize()
            for node in self._client.get_primaries():
                told = await self._client.execute_command("CLUSTER NODES", target_nodes=node)
                own = next(each for each in told.values() if "myself" in each["flags"])
                if own["migrations"]:
                    raise StoreUnavailable("slots move between nodes: try again when they have")
                places[node.name] = own["slots"], own["epoch"]
        return places

    async def _read(self, page: Sequence[tuple[KeyKind, str, str]]) -> list[StoredRecord]:
        async with self._client.pipeline(transaction=False) as pipe:
            for kind, _, key in page:
                _READ[kind.shape](pipe, key)
            answers = await pipe.execute() if page else []
        return [
            StoredRecord(kind.kind, name, text, part, beside, (kind.shape, key, kept))
            for (kind, name, key), answer in zip(page, answers, strict=True)
            for part, kept, beside in _parts(kind, answer)
            for text in (unpack_lines([kept]) if kind.shape == "list" else (unpack_once(kept),))
        ]

    async def swap(self, record: StoredRecord, text: str) -> SwapOutcome:
        """Compare and set, in one script."""
        shape, _, kept = record.place
        if shape == "list" and kept != record.text:
            return await self._swap_line(record, text)
        return await self._run(record, kept, repack(kept, text), whole=False)

    async def forget(self, record: StoredRecord) -> SwapOutcome:
        """Compare and delete."""
        return await self._run(record, record.place[2], "", whole=True)

    async def _swap_line(self, record: StoredRecord, text: str) -> SwapOutcome:
        """Compare and set one of the lines that are packed together, as they are by now."""
        with translate_errors():
            packed = await self._client.lrange(record.place[1], 0, -1)
        for kept in map(str, packed):
            lines = unpack_lines([kept])
            if record.text in lines:
                at = lines.index(record.text)
                lines[at : at + 1] = [text] if text else []
                return await self._run(record, kept, repack(kept, "\n".join(lines)), whole=False)
        return "changed"

    async def _run(self, record: StoredRecord, was: str, text: str, *, whole: bool) -> SwapOutcome:
        shape, key, _ = record.place
        keys = [key]
        if shape == "message":
            keys.append(f"{key.removesuffix(':now')}:order")
        if shape == "run":
            keys.append(f"{key.partition(':')[0]}:l:run:{record.name}:h")
        args: list[str | bytes | int | float] = [shape, record.field, was, text, int(whole)]
        with translate_errors():
            outcome: SwapOutcome = await self._script(keys=keys, args=args)
        return outcome


def _kind_of(key: str) -> tuple[KeyKind, str, str] | None:
    local = key.partition("}:")[2] if key.startswith(_TAG) else key
    for kind in KINDS:
        if (name := kind.match(local)) is not None:
            return kind, name, key
    return None


_READ: Final[Mapping[str, Callable[[Any, str], object]]] = {
    "string": lambda pipe, key: pipe.get(key),
    "hash": lambda pipe, key: pipe.hgetall(key),
    "run": lambda pipe, key: pipe.hgetall(key),
    "message": lambda pipe, key: pipe.hgetall(key),
    "list": lambda pipe, key: pipe.lrange(key, 0, -1),
    "set": lambda pipe, key: pipe.smembers(key),
    "zset": lambda pipe, key: pipe.zrange(key, 0, -1),
    "stream": lambda pipe, key: pipe.xrange(key),
    "key": lambda pipe, key: pipe.exists(key),
}


def _parts(kind: KeyKind, answer: Any) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yield part, text and what stands beside it, of what a key holds."""
    match kind.shape:
        case "hash" | "run" | "message":
            whole = {str(name): str(text) for name, text in answer.items()}
            read = {name: unpack_once(text) for name, text in whole.items()}
            beside = {} if kind.shape == "message" else read
            yield from ((name, whole[name], beside) for name in whole if kind.has_part(name))
        case "list" | "set" | "zset":
            yield from (("", str(text), {}) for text in answer)
        case "stream":
            yield from ((str(at), str(fields.get("b", "")), {}) for at, fields in answer)
        case "key":
            yield "", "", {}
        case _ if answer is not None:
            yield "", str(answer), {}
