"""The processes of a test session learn the same examples once, as those of a service do.

What they learn lies in a folder of the session, under the digest of the examples; whoever was told
of the folder takes it from there: the session's own processes, and the forge's. A service keeps it
in its store too; in one that a test emptied it comes from another database of the same server.
How it is learned, packed and kept is tested where that is called by name.
"""

import asyncio
import fcntl
from collections.abc import Sequence
from pathlib import Path

from redis.asyncio import Redis

from adapters.redis import keys
from bot.definitions import snapshot
from engine.understanding.learned import lessons
from engine.understanding.learned.classifier import Example, Learned, digest_of

FEWEST = 300
"""Fewer examples are learned in no time."""
APART = 1
"""The database of the server in which nothing is emptied."""


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


async def teach_store(url: str) -> None:
    """Have the embedded server at that URL keep what this process has learned."""
    if not _known or not url.startswith("unix:"):
        return
    async with Redis.from_url(url, db=APART, driver_info=None) as apart:
        for digest, body in _known.items():
            key = keys.learned(digest)
            if not await apart.copy(key, key, destination_db=0, replace=True):
                await apart.set(key, body)
                await apart.copy(key, key, destination_db=0, replace=True)
