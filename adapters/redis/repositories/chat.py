"""What the web chat showed, and which conversations are whose, in Redis."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adapters.redis import keys
from adapters.redis.client import Client, translate_errors
from adapters.redis.connect import BLOCK_S
from adapters.redis.scripts import LUA, LuaScript, ScriptCall, Scripts
from engine.ports.conversations import (
    ChatEntry,
    ChatMessage,
    ChatPage,
    ConversationEntry,
    Cursor,
    ListedFor,
)

CHAT_ENTRIES = 2_000
CHAT_MESSAGES = 20_000
CHAT_KEEP_S = 30 * 24 * 3600
CONVERSATIONS = 1_000
DRAFT_KEEP_S = 60


class RedisChatLog:
    """A web conversation: a stream of its last 2,000 changes, and its last 20,000 messages as they
    are now, for 30 idle days.

    `reader` is a client whose reads may block.
    """

    def __init__(self, scripts: Scripts, reader: Client, partitions: keys.Partitions) -> None:
        self._scripts = scripts
        self._client = scripts.client
        self._reader = reader
        self._partitions = partitions
        self._script = LuaScript(self._client, LUA.joinpath("chat.lua").read_text())
        self._list = _ListScript(self._client)

    def _key(self, conversation: str) -> str:
        return keys.chat(self._partitions.of_conversation(conversation), conversation)

    async def append(
        self, conversation: str, body: Mapping[str, Any], *, listed: ListedFor | None = None
    ) -> str:
        """Add an entry; returns its `seq`."""
        entry = json.dumps(body, ensure_ascii=False)
        if listed is None:
            seq, *_ = await self._run(conversation, entry)
        elif self._scripts.is_single:
            # In one round trip, for which the server syncs its file once.
            called = self._call(conversation, entry)
            messages = f"{self._key(conversation)}:now"
            listing = self._list.call(listed.person, conversation, listed.title, messages)
            (seq, *_), _ = await self._scripts.call_each((called, listing), waits=True)
        else:
            seq, *_ = await self._run(conversation, entry)
            (number,) = await self.newest([conversation])
            listing = self._list.call(listed.person, conversation, listed.title, seen=number)
            await self._scripts.call_each((listing,))
        return str(seq)

    def reply_id(self, conversation: str, update_id: str) -> str:
        """The id of the message that will answer an update: the same that its turn will name."""
        return self._partitions.derived_id(conversation, "reply", update_id)

    async def draft(self, conversation: str, body: Mapping[str, Any]) -> None:
        """Show a draft to who reads now; the next replaces it, and it expires after a minute."""
        key = self._key(conversation) + ":draft"
        with translate_errors():
            async with self._client.pipeline(transaction=False) as pipe:
                pipe.xadd(
                    key, {"b": json.dumps(body, ensure_ascii=False)}, maxlen=1, approximate=False
                )
                pipe.expire(key, DRAFT_KEEP_S)
                await pipe.execute()

    async def read(
        self, conversation: str, after: str, *, wait_s: float, drafts: Cursor | None = None
    ) -> Sequence[ChatEntry]:
        """Entries after `after`, waiting up to `wait_s` seconds (15 at most) for the first."""
        block = int(min(wait_s, BLOCK_S) * 1000)
        key = self._key(conversation)
        places: dict[Any, Any] = {key: after or "0"}
        if drafts is not None:
            drafts.at = drafts.at or await self._last(f"{key}:draft")
            places[f"{key}:draft"] = drafts.at
        with translate_errors():
            found: Any = await self._reader.xread(places, count=500, block=block or None)
        by_key = {str(name): entries for name, entries in found or ()}
        growing = by_key.get(f"{key}:draft", [])
        if drafts is not None and growing:
            drafts.at = str(growing[-1][0])
        # Drafts go before the message that they grow into.
        return [
            *(ChatEntry(seq="", body=json.loads(fields["b"])) for _, fields in growing),
            *(
                ChatEntry(seq=seq, body=json.loads(fields["b"]))
                for seq, fields in by_key.get(key, [])
            ),
        ]

    async def _last(self, key: str) -> str:
        """Return the newest entry's position: a new reader needs no older draft."""
        with translate_errors():
            newest: Any = await self._client.xrevrange(key, count=1)
        return str(newest[0][0]) if newest else "0"

    async def page(self, conversation: str, *, before: int | None, count: int) -> ChatPage:
        """The newest `count` messages before that number (None: of all)."""
        last = "+inf" if before is None else before
        seq, *found = await self._run(conversation, "", last, count + 1)
        messages = [
            ChatMessage(int(number), json.loads(body))
            for number, body in zip(found[::2], found[1::2], strict=True)
        ]
        return ChatPage(tuple(reversed(messages[:count])), str(seq), len(messages) > count)

    async def newest(self, conversations: Sequence[str]) -> Sequence[int]:
        """The number of the newest message of each, 0 where there is none."""
        with translate_errors():
            async with self._client.pipeline(transaction=False) as pipe:
                for name in conversations:
                    pipe.hget(f"{self._key(name)}:now", "@newest")
                found = await pipe.execute()
        return [int(number or 0) for number in found]

    async def _run(
        self, conversation: str, entry: str, before: int | str = 0, count: int = 0
    ) -> Sequence[Any]:
        called = self._call(conversation, entry, before, count)
        answer: Sequence[Any]
        (answer,) = await self._scripts.call_each((called,), waits=True)
        return answer

    def _call(
        self, conversation: str, entry: str, before: int | str = 0, count: int = 0
    ) -> ScriptCall:
        key = self._key(conversation)
        kept = (CHAT_ENTRIES, CHAT_MESSAGES, CHAT_KEEP_S)
        places = (key, f"{key}:order", f"{key}:now")
        return ScriptCall(self._script, places, (entry, *kept, before, count))


class _ListScript:
    """The script that puts a conversation first in a person's list."""

    def __init__(self, client: Client) -> None:
        self._script = LuaScript(client, LUA.joinpath("listed.lua").read_text())

    def call(
        self, person: str, conversation: str, title: str, *messages: str, seen: int | str = ""
    ) -> ScriptCall:
        """Return its call; the person has seen all of `messages`, or up to the number `seen`."""
        key = keys.conversations(person)
        places = (key, f"{key}:titles", f"{key}:seen", *messages)
        kept = (CONVERSATIONS, CHAT_KEEP_S)
        return ScriptCall(self._script, places, (conversation, title, *kept, seen))


class RedisConversations:
    """The conversations port: 1,000 of each person, for 30 idle days."""

    def __init__(self, scripts: Scripts, partitions: keys.Partitions) -> None:
        self._scripts = scripts
        self._client = scripts.client
        self._partitions = partitions
        self._list = _ListScript(self._client)

    async def list_newest(
        self,
        person: str,
        *,
        before_us: int | None,
        count: int,
        matches: Callable[[str, str], bool] | None = None,
    ) -> Sequence[ConversationEntry]:
        """A page of them, the newest first."""
        key, last = keys.conversations(person), "+inf" if before_us is None else f"({before_us}"
        most = CONVERSATIONS if matches else count
        with translate_errors():
            found: Any = await self._client.zrevrangebyscore(
                key, last, "-inf", start=0, num=most, withscores=True
            )
            names = [name for name, _ in found]
            titles = await self._client.hmget(f"{key}:titles", names) if names else []
            seen = await self._client.hmget(f"{key}:seen", names) if names else []
        return [
            ConversationEntry(name, str(title or ""), int(at_us), int(number or 0))
            for (name, at_us), title, number in zip(found, titles, seen, strict=True)
            if matches is None or matches(str(name), str(title or ""))
        ][:count]

    async def note_message(self, person: str, conversation: str, title: str) -> None:
        """Put it first."""
        await self._scripts.call_each((self._list.call(person, conversation, title),))

    async def mark_read(self, person: str, conversation: str, number: int) -> None:
        """Keep how far they saw it."""
        key = f"{keys.conversations(person)}:seen"
        with translate_errors():
            async with self._client.pipeline(transaction=False) as pipe:
                pipe.hset(key, conversation, str(number))
                pipe.expire(key, CHAT_KEEP_S)
                await pipe.execute()

    async def last_read(self, person: str, conversation: str) -> int:
        """How far they saw it."""
        with translate_errors():
            found = await self._client.hget(f"{keys.conversations(person)}:seen", conversation)
        return int(found or 0)

    async def rename(self, person: str, conversation: str, title: str) -> bool:
        """Give it this title in the person's list; False when it is not there."""
        key = keys.conversations(person)
        with translate_errors():
            if await self._client.zscore(key, conversation) is None:
                return False
            await self._client.hset(f"{key}:titles", conversation, title)
        return True

    async def forget(self, person: str, conversation: str, *, whole: bool) -> bool:
        """Take it off the list, after what was said there is deleted if `whole`."""
        partition = self._partitions.of_conversation(conversation)
        if whole and not await self._scripts.run("forget", partition, conversation):
            return False
        key = keys.conversations(person)
        with translate_errors():
            async with self._client.pipeline(transaction=False) as pipe:
                pipe.hdel(f"{key}:titles", conversation)
                pipe.hdel(f"{key}:seen", conversation)
                # Last, so that what broke off here is still in the list, and can be deleted again.
                pipe.zrem(key, conversation)
                await pipe.execute()
        return True
