"""The definitions of one moment, shared by all processes through the store (design §5)."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, TypeVar

import structlog
from pydantic import ValidationError

from bot.definitions.learning import NotLearned, learn_apart
from bot.definitions.loader import Definitions
from bot.people.directory import Directory
from cards.frozen import Frozen
from engine.errors import DefinitionError, StoreError
from engine.playbooks.legacy import NO_LEGACY, Legacy
from engine.playbooks.model import Playbook
from engine.ports.library import Document
from engine.ports.storage.published import Published
from engine.toolbox.toolbox import Toolbox
from engine.tools.model import Tool
from engine.understanding.learned.lessons import Lessons
from engine.understanding.learned.table import RouteTable
from engine.understanding.learned.talk import Talk

log = structlog.get_logger()
FEW = 500
"""So many examples are learned in no time, and need no process of their own."""
M = TypeVar("M", bound=Frozen)


class Pointer(Frozen):
    """What all processes follow: the digests of playbooks by id, of talk and of documents."""

    schema_version: Literal[1] = 1
    playbooks: dict[str, str]
    talk: str
    documents: tuple[str, ...]

    @property
    def short(self) -> str:
        """The beginning of its own digest, for people to compare."""
        return sha256(self.model_dump_json().encode()).hexdigest()[:12]


def replaced_pointer(stored: str | None, now: Pointer) -> str:
    """The short digest of the stored pointer that another takes the place of; "" for none."""
    if stored is None or stored == now.model_dump_json():
        return ""
    return sha256(stored.encode()).hexdigest()[:12]


class Routing:
    """What answers need of definitions, made at the first use: a web process has none."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions

    @cached_property
    def table(self) -> RouteTable:
        """What the router has learned, or learns at its first use."""
        return self._definitions.route_table(self.tools)

    @cached_property
    def tools(self) -> tuple[Tool[Any], ...]:
        """The tools that only read."""
        return self._definitions.tools

    @property
    def is_learned(self) -> bool:
        """Whether there is a table, and the router has used it."""
        return "table" in self.__dict__ and self.table.learned


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The definitions of one moment, which never change; `pointer` names them."""

    playbooks: Mapping[str, Playbook]
    talk: Talk
    documents: tuple[Document, ...]
    routing: Routing
    pointer: Pointer
    legacy: Legacy = NO_LEGACY

    @property
    def table(self) -> RouteTable:
        """As its routing has it."""
        return self.routing.table

    @property
    def tools(self) -> tuple[Tool[Any], ...]:
        """As its routing has them."""
        return self.routing.tools

    def bodies(self) -> dict[str, Frozen]:
        """All of it by digest, as it is published."""
        playbooks = {playbook.digest: playbook for playbook in self.playbooks.values()}
        documents = zip(self.pointer.documents, self.documents, strict=True)
        return {**playbooks, self.pointer.talk: self.talk, **dict(documents)}


def make_snapshot(definitions: Definitions) -> Snapshot:
    """The snapshot of loaded definitions."""
    pointer = Pointer(
        playbooks={name: playbook.digest for name, playbook in definitions.playbooks.items()},
        talk=_digest_of(definitions.talk),
        documents=tuple(map(_digest_of, definitions.documents)),
    )
    return _snapshot(definitions, pointer)


def _snapshot(definitions: Definitions, pointer: Pointer) -> Snapshot:
    return Snapshot(
        definitions.playbooks,
        definitions.talk,
        definitions.documents,
        Routing(definitions),
        pointer,
        definitions.legacy,
    )


def _digest_of(body: Frozen) -> str:
    return sha256(body.model_dump_json().encode()).hexdigest()


async def publish(snapshot: Snapshot, published: Published) -> None:
    """Have all processes switch to the snapshot: first every body is stored, then the pointer.

    What the pointer names already was stored before it.
    """
    pointer = snapshot.pointer.model_dump_json()
    if await published.pointer() == pointer:
        return
    for digest, body in snapshot.bodies().items():
        await published.publish(digest, body.model_dump_json())
    await published.point(pointer)


async def fetch_snapshot(
    text: str,
    published: Published,
    *,
    current: Snapshot,
    people: Directory,
    toolbox: Toolbox,
) -> Snapshot | None:
    """The snapshot that a stored pointer names, or None when it is the `current` one.

    Raises DefinitionError with the reasons when it cannot be used here.
    """
    pointer = _parse(Pointer.model_validate_json, text, "the pointer")
    if pointer == current.pointer:
        return None
    known = current.bodies()

    async def body(model: type[M], digest: str, read: Callable[[str], M]) -> M:
        if isinstance(known_body := known.get(digest), model):
            return known_body
        text = await published.load(digest)
        if text is None:
            raise DefinitionError(f"what the pointer names is not published: {digest}")
        return _parse(read, text, digest)

    definitions = Definitions(
        people,
        {
            name: await body(Playbook, digest, current.legacy.read_playbook)
            for name, digest in pointer.playbooks.items()
        },
        await body(Talk, pointer.talk, Talk.model_validate_json),
        tuple([await body(Document, d, Document.model_validate_json) for d in pointer.documents]),
        toolbox,
        current.legacy,
    )
    _check_roles(definitions)
    return _snapshot(definitions, pointer)


async def learn_routes(table: RouteTable, published: Published) -> None:
    """Have the router learn its examples, once for all processes; alone without the store."""
    lessons = await asyncio.to_thread(lambda: table.lessons)
    try:
        body = await published.load_learned(lessons.digest)
        if body is None or not lessons.recall(body):
            body = await _learn(lessons)
            await published.save_learned(lessons.digest, body)
    except StoreError as error:
        log.warning("learned_not_kept", error=str(error))
    await asyncio.to_thread(table.learn)


async def _learn(lessons: Lessons) -> bytes:
    """What the examples teach, packed, and taken over; learned here where no process helps."""
    if len(lessons.examples) > FEW:
        try:
            body = await learn_apart(lessons.examples, lessons.said)
        except (NotLearned, OSError) as error:
            log.warning("not_learned_apart", error=str(error))
        else:
            lessons.recall(body)
            return body
    return await asyncio.to_thread(lessons.teach)


def _parse(read: Callable[[str], M], text: str, name: str) -> M:
    try:
        return read(text)
    except ValidationError as error:
        why = "was written by another version of this service"
        raise DefinitionError(f"{name} {why}, and cannot be read by this one") from error


def _check_roles(definitions: Definitions) -> None:
    """Raise DefinitionError for a gate whose roles nobody holds by this process's people.yaml."""
    problems = [
        f"{playbook.id}: skill {skill.id}: nobody in people.yaml holds {' or '.join(part.roles)}"
        for playbook in definitions.playbooks.values()
        for skill in playbook.skills.values()
        for review in skill.reviews.values()
        for part in (review, *review.also)
        if part.roles and not definitions.people.held_roles & set(part.roles)
    ]
    if problems:
        raise DefinitionError(*problems)


def refused_text(count: int) -> str:
    """How files with so many problems are called for operators; "" for none."""
    return f"refused, {count} problem{'s'[: count - 1]}" if count else ""


class LiveDefinitions:
    """What this process works by. Whoever handles something reads `snapshot` once, at its start.

    `problems` are those of the playbooks folder while it is refused, `unread_files` the names of
    files that were written since this process read them, once. `people_health` is `ok`, or how
    many problems a refused people.yaml has. `own_pointer` names what stands in
    this process's folder.
    """

    def __init__(self, snapshot: Snapshot, published: Published) -> None:
        self.snapshot = snapshot
        self.problems: tuple[str, ...] = ()
        self.unread_files: tuple[str, ...] = ()
        self.people_health = "ok"
        self.own_pointer = snapshot.pointer
        self._published = published
        self._known: dict[str, Playbook] = {}
        self.switch(snapshot)

    @property
    def health(self) -> str:
        """`ok`, or how many problems the refused folder has."""
        return refused_text(len(self.problems)) or self.differs or "ok"

    @property
    def differs(self) -> str:
        """How the folder of this process is not what all processes work by; "" where it is."""
        here, current = self.own_pointer.short, self.snapshot.pointer.short
        if here == current:
            return ""
        return f"other than this process's folder: {current} is current, {here} is in the folder"

    def switch(self, snapshot: Snapshot) -> None:
        """Work by this snapshot from now on; what is being handled keeps its own."""
        self.snapshot = snapshot
        self._known |= {playbook.digest: playbook for playbook in snapshot.playbooks.values()}

    def switch_legacy(self, legacy: Legacy) -> None:
        """Read by this mapping from now on what older playbooks name."""
        if legacy != self.snapshot.legacy:
            self.snapshot = replace(self.snapshot, legacy=legacy)

    async def playbook(self, digest: str) -> Playbook | None:
        """The playbook that a run began with, or None when it is published nowhere."""
        if digest not in self._known:
            legacy = self.snapshot.legacy
            playbook = await load_published_playbook(self._published, digest, legacy)
            if playbook is None:
                return None
            self._known[digest] = playbook
        return self._known[digest]


class PublishedPlaybooks:
    """Playbooks of runs by their digests, for who only shows what there is."""

    def __init__(self, published: Published) -> None:
        self._published = published
        self._known: dict[str, Playbook] = {}

    async def __call__(self, digest: str) -> Playbook | None:
        """The playbook; None when this version cannot read it. Raises StoreUnavailable."""
        if digest not in self._known:
            playbook = await load_published_playbook(self._published, digest, NO_LEGACY)
            if playbook is None:
                return None
            self._known[digest] = playbook
        return self._known[digest]


async def load_published_playbook(
    published: Published, digest: str, legacy: Legacy
) -> Playbook | None:
    """The playbook of that digest; None when it is not published, or cannot be read any more."""
    body = await published.load(digest)
    try:
        return legacy.read_playbook(body) if body is not None else None
    except ValidationError as error:
        log.error("unreadable_playbook", digest=digest, faults=error.error_count())
        return None
