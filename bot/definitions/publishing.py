"""Definitions on their way from one process to the others, through the store (design §5)."""

import asyncio
from typing import TypeVar

import structlog
from pydantic import ValidationError

from bot.definitions.current import Pointer, Snapshot
from bot.definitions.definitions import Definitions
from bot.people.directory import Directory
from cards.frozen import Frozen
from engine.errors import DefinitionError, StoreError
from engine.playbooks.model import Playbook
from engine.ports.library import Document
from engine.ports.storage.published import Published
from engine.understanding.learned.table import RouteTable
from engine.understanding.learned.talk import Talk

log = structlog.get_logger()
M = TypeVar("M", bound=Frozen)


async def publish(snapshot: Snapshot, published: Published) -> None:
    """Have all processes switch to the snapshot; every body is there before the pointer is."""
    for digest, body in snapshot.bodies().items():
        await published.publish(digest, body.model_dump_json())
    pointer = snapshot.pointer.model_dump_json()
    if await published.pointer() != pointer:
        await published.point(pointer)


async def fetch(
    text: str, published: Published, *, have: Snapshot, people: Directory
) -> Snapshot | None:
    """What a stored pointer names, or None when that is what this process has.

    Raises DefinitionError with the reasons when it cannot be used here.
    """
    pointer = _parsed(Pointer, text, "the pointer")
    if pointer == have.pointer:
        return None
    known = have.bodies()

    async def body(model: type[M], digest: str) -> M:
        at_hand = known.get(digest)
        if isinstance(at_hand, model):
            return at_hand
        text = await published.load(digest)
        if text is None:
            raise DefinitionError(f"what the pointer names is not published: {digest}")
        return _parsed(model, text, digest)

    found = Definitions(
        people,
        {name: await body(Playbook, digest) for name, digest in pointer.playbooks.items()},
        await body(Talk, pointer.talk),
        tuple([await body(Document, digest) for digest in pointer.documents]),
    )
    _check_roles(found)
    return Snapshot(found.playbooks, found.talk, found.documents, found.table(), pointer)


async def learn(table: RouteTable, published: Published) -> None:
    """Have the router learn its examples, once for all processes; by itself without the store."""
    lessons = table.lessons
    try:
        body = await published.load_learned(lessons.digest)
        recalled = body is not None and lessons.recall(body)
        await asyncio.to_thread(table.learn)
        if not recalled:
            await published.save_learned(lessons.digest, lessons.classifier.learned.pack())
    except StoreError as error:
        log.warning("learned_not_kept", error=str(error))
        await asyncio.to_thread(table.learn)


def _parsed(model: type[M], text: str, name: str) -> M:
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        why = "was written by another version of this service"
        raise DefinitionError(f"{name} {why}, and cannot be read by this one") from error


def _check_roles(found: Definitions) -> None:
    """Another process checked against its own people; a gate needs somebody here too."""
    problems = [
        f"{playbook.id}: skill {skill.id}: nobody in people.yaml holds {' or '.join(review.roles)}"
        for playbook in found.playbooks.values()
        for skill in playbook.skills.values()
        for node in (skill.sop.nodes.values() if skill.sop else ())
        if (review := node.review) and not found.people.held_roles & set(review.roles)
    ]
    if problems:
        raise DefinitionError(*problems)
