"""What a process works by at this moment: playbooks, talk, documents (design §5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

import structlog
from pydantic import ValidationError

from bot.definitions.definitions import Definitions
from cards.frozen import Frozen
from engine.playbooks.model import Playbook
from engine.ports.library import Document
from engine.ports.storage.published import Published
from engine.understanding.learned.table import RouteTable
from engine.understanding.learned.talk import Talk

log = structlog.get_logger()


class Pointer(Frozen):
    """What all processes follow: the digests of playbooks by id, of talk and of documents."""

    schema_version: Literal[1] = 1
    playbooks: dict[str, str]
    talk: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The definitions of one moment, which never change; `pointer` names them.

    `table` is what the router has learned, or learns at its first use.
    """

    playbooks: Mapping[str, Playbook]
    talk: Talk
    documents: tuple[Document, ...]
    table: RouteTable
    pointer: Pointer

    def bodies(self) -> dict[str, Frozen]:
        """All of it by digest, as it is published."""
        playbooks = {playbook.digest: playbook for playbook in self.playbooks.values()}
        documents = zip(self.pointer.documents, self.documents, strict=True)
        return {**playbooks, self.pointer.talk: self.talk, **dict(documents)}


def snapshot_of(found: Definitions) -> Snapshot:
    """The snapshot of what was loaded."""
    pointer = Pointer(
        playbooks={name: playbook.digest for name, playbook in found.playbooks.items()},
        talk=_digest(found.talk),
        documents=tuple(map(_digest, found.documents)),
    )
    return Snapshot(found.playbooks, found.talk, found.documents, found.table(), pointer)


def _digest(body: Frozen) -> str:
    return sha256(body.model_dump_json().encode()).hexdigest()


class Current:
    """The one place that knows what is current; `now` is read once for each thing that is handled.

    `problems` are those of the playbooks folder while it is refused.
    """

    def __init__(self, now: Snapshot, published: Published) -> None:
        self.now = now
        self.problems: tuple[str, ...] = ()
        self._published = published
        self._known: dict[str, Playbook] = {}
        self.switch(now)

    @property
    def health(self) -> str:
        """`ok`, or how many problems hold a changed folder off."""
        count = len(self.problems)
        return f"refused, {count} problem{'s'[: count - 1]}" if count else "ok"

    def switch(self, snapshot: Snapshot) -> None:
        """Work by this from now on; what is being handled keeps what it began with."""
        self.now = snapshot
        self._known |= {playbook.digest: playbook for playbook in snapshot.playbooks.values()}

    async def playbook(self, digest: str) -> Playbook | None:
        """The playbook that a run began with, or None when it is published nowhere."""
        if digest not in self._known:
            found = await published_playbook(self._published, digest)
            if found is None:
                return None
            self._known[digest] = found
        return self._known[digest]


async def published_playbook(published: Published, digest: str) -> Playbook | None:
    """The playbook of that digest; None when nobody published it, or only another version of us."""
    body = await published.load(digest)
    try:
        return Playbook.model_validate_json(body) if body is not None else None
    except ValidationError as error:
        log.error("unreadable_playbook", digest=digest, faults=error.error_count())
        return None
