"""What an operator does with what is remembered for a project: `signoff memory`."""

import json
from pathlib import Path

from redis.asyncio import Redis

from adapters.redis.repositories.memory import RedisMemory
from adapters.redis.server.embedded import EmbeddedServer
from tests.bot.signoff_process import FILES, ended


async def test_what_is_remembered_is_listed_and_forgotten_by_its_id(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    memory = RedisMemory(redis)
    for text in ("No letters.", "Two\nlines \u202e"):
        await memory.remember("MATTER-7", text, key=text, by="wu")
    variables = {**FILES, "REDIS_URL": redis_server.url}
    listed = await ended(tmp_path, "memory", "list", "MATTER-7", **variables)
    assert listed.status == 0
    head, newest, oldest = listed.out.splitlines()
    assert head.split() == ["id", "at", "approved", "by", "text"]
    assert "wu" in newest
    assert newest.endswith("Two lines ⟨U+202E⟩")
    name = oldest.split()[0]
    forgotten = await ended(tmp_path, "memory", "forget", "MATTER-7", name, "x", **variables)
    assert (forgotten.status, forgotten.out) == (1, f"{name}: forgotten\n")
    assert "x: no such memo; see signoff memory list MATTER-7" in forgotten.err
    left = await ended(tmp_path, "memory", "list", "MATTER-7", "--json", **variables)
    assert [memo["text"] for memo in json.loads(left.out)] == ["Two\nlines \u202e"]
    assert [m.text for m in await memory.memos("MATTER-7")] == ["Two\nlines \u202e"]
