"""The processes of a test session learn the same examples once, as those of a service do.

What they learn lies in a folder of the session, under the digest of the examples; whoever was told
of the folder takes it from there: the session's own processes, and the forge's. A service keeps it
in its store too; in one that a test emptied it comes from another database of the same server.
How it is learned, packed and kept is tested where that is called by name.
"""

import fcntl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from redis.asyncio import Redis

from adapters.redis import keys
from bot.definitions import snapshot
from engine.understanding.learned import lessons
from engine.understanding.learned.classifier import Classifier, Example, Learned, digest_of

FEWEST = 300
"""Fewer examples are learned in no time."""
APART = 1
"""The database of the server in which nothing is emptied."""


@dataclass(frozen=True, slots=True)
class _Known:
    learned: Learned
    body: bytes


_known: dict[str, _Known] = {}


def learn_once(folder: Path) -> None:
    """Have this process share what is learned with all others of the same folder, from now on."""
    pack = Learned.pack

    def classifier(
        examples: Sequence[Example], said: Sequence[str], learned: Learned | None = None
    ) -> Classifier:
        if learned is not None or len(examples) < FEWEST:
            return Classifier(examples, said, learned)
        digest = digest_of(examples, said)
        path = folder / digest
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            body = path.read_bytes() if path.exists() else b""
            found = Classifier(examples, said, Learned.unpack(body) if body else None)
            body = body or pack(found.learned)
            path.write_bytes(body)
        _known[digest] = _Known(found.learned, body)
        return found

    def packed(learned: Learned) -> bytes:
        known = (each.body for each in _known.values() if each.learned is learned)
        return next(known, None) or pack(learned)

    async def learned_here(examples: Sequence[Example], said: Sequence[str]) -> bytes:
        return packed(classifier(examples, said).learned)

    lessons.Classifier = classifier  # type: ignore[assignment, misc]
    snapshot.learn_apart = learned_here
    Learned.pack = packed  # type: ignore[method-assign]


async def teach_store(url: str) -> None:
    """Have the embedded server at that URL keep what this process has learned."""
    if not _known or not url.startswith("unix:"):
        return
    async with Redis.from_url(url, db=APART) as apart:
        for digest, known in _known.items():
            key = keys.learned(digest)
            if not await apart.copy(key, key, destination_db=0, replace=True):
                await apart.set(key, known.body)
                await apart.copy(key, key, destination_db=0, replace=True)
