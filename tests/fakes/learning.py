"""The processes of a test session learn the same examples once, as those of a service do.

What they learn lies in a folder of the session, under the digest of the examples; whoever was told
of the folder takes it from there: the session's own processes, and the forge's. A service keeps it
in its store too; where a test emptied that, what a service asks for comes from another database of
the same server. It is unpacked once in a process, as nothing changes it.
How it is learned, packed and kept is tested where that is called by name.
"""

import asyncio
import fcntl
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from redis.asyncio import Redis

from adapters.redis import keys
from adapters.redis.client import translate_errors
from adapters.redis.repositories.published import RedisPublished
from bot.definitions import snapshot
from engine.understanding.learned import lessons
from engine.understanding.learned.classifier import Example, Learned, digest_of

FEWEST = 300
"""Fewer examples are learned in no time."""
APART = 1
"""The database of the server in which nothing is emptied."""
UNPACKED = 8
"""So many stay as they are unpacked, at some megabytes each."""


_known: dict[str, bytes] = {}


def learn_once(folder: Path) -> None:
    """Have this process share what is learned with all others of the same folder, from now on."""
    learn = lessons.learn

    def shared(examples: Sequence[Example], said: Sequence[str]) -> bytes:
        digest = digest_of(examples, said)
        if digest not in _known:
            path = folder / digest
            with (folder / f"{digest}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not path.exists():
                    path.write_bytes(learn(examples, said).pack())
                _known[digest] = path.read_bytes()
        return _known[digest]

    def learned_once(examples: Sequence[Example], said: Sequence[str]) -> Learned:
        if len(examples) < FEWEST:
            return learn(examples, said)
        learned = Learned.unpack(shared(examples, said))
        assert learned is not None
        return learned

    async def learned_here(examples: Sequence[Example], said: Sequence[str]) -> bytes:
        # Beside the loop, as a service's own process is: it takes seconds, or waits for another.
        return await asyncio.to_thread(shared, examples, said)

    lessons.learn = learned_once
    snapshot.learn_apart = learned_here
    Learned.unpack = lru_cache(maxsize=UNPACKED)(Learned.unpack)  # type: ignore[method-assign]


def teach_stores() -> None:
    """Have each embedded server keep what this process has learned, once a service asks for it."""
    load = RedisPublished.load_learned

    async def taught(published: RedisPublished, digest: str) -> bytes | None:
        path = published._client.get_connection_kwargs().get("path")
        if path is None or (body := _known.get(digest)) is None:
            return await load(published, digest)
        with translate_errors():
            if not await published._client.exists(key := keys.learned(digest)):
                await _copy_from_apart(path, key, body)
        return body

    RedisPublished.load_learned = taught  # type: ignore[method-assign]


async def _copy_from_apart(path: str, key: str, body: bytes) -> None:
    """A copy within the server costs a tenth of what sending megabytes does."""
    async with Redis(unix_socket_path=path, db=APART, driver_info=None) as apart:
        if not await apart.copy(key, key, destination_db=0):
            await apart.set(key, body)
            await apart.copy(key, key, destination_db=0)
