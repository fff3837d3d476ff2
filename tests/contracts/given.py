"""Effects to write and things to find: the vocabulary of the store's contract."""

import itertools
from datetime import UTC, datetime

from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from cards.model import Card, Choice, Decision, Review
from engine.ports.storage.store import (
    CardWrite,
    Claim,
    Effects,
    Post,
    RunWrite,
)


async def claim_one(mailbox: RedisMailbox) -> Claim:
    taken = await mailbox.take(1)
    assert len(taken.claims) == 1
    return taken.claims[0]


def card_for(run: str, token: str, conversation: str, **changes: object) -> Card:
    base = Card(
        kind="confirm",
        token=token,
        run=run,
        conversation=conversation,
        lang="en",
        title="Write it?",
        choices=(Choice(id="approve", label="Approve"), Choice(id="reject", label="Reject")),
        review=Review(roles=("reviewer",)),
        requester="lin",
    )
    return base.model_copy(update=changes)


def run_write(run: str, conversation: str, *, ended: str = "", reply: str = "") -> RunWrite:
    return RunWrite(id=run, conversation=conversation, reply=reply, body="{}", ended=ended)


async def open_card(
    mailbox: RedisMailbox, partitions: Partitions, conversation: str, **changes: object
) -> Card:
    """A run with one open card, through a commit of its lane."""
    run = partitions.new_id(conversation)
    card = card_for(run, partitions.new_id(conversation), conversation, **changes)
    await mailbox.put(f"run:{run}", "start", update_id=f"start-{run}")
    claim = await claim_one(mailbox)
    effects = Effects(runs=(run_write(run, conversation),), cards=(CardWrite(card),))
    await mailbox.commit(claim, effects, pop=True)
    return card


def decided(card: Card, by: str = "chen", choice: str = "approve") -> Card:
    decision = Decision(choice=choice, person=by, name=by, at=datetime(2026, 11, 21, tzinfo=UTC))
    update = {"status": "decided", "version": card.version + 1, "decision": decision}
    return card.model_copy(update=update)


def deciding(card: Card, by: str = "chen", choice: str = "approve") -> Effects:
    after = CardWrite(decided(card, by, choice), expect=card.version)
    return Effects(cards=(after,), mails=((f"run:{card.run}", f"{by} {choice}"),))


EMPTY = (
    '{"parts":[],"runs":[],"cards":[],"mails":[],"timers":[],"slots":[],"posts":[],'
    '"touches":[],"log":[],"cancels":[],"aside":[],"traces":[],"seen":[]}'
)


_updates = itertools.count(1)


async def handle(mailbox: RedisMailbox, lane: str, effects: Effects) -> None:
    """Commit these effects under a mail of their own; nothing else may be due."""
    await mailbox.put(lane, "mail", update_id=f"update-{next(_updates)}")
    assert await mailbox.commit(await claim_one(mailbox), effects, pop=True) is None


def note(row: str, conversation: str, *, due_s: float = 0.0, ref: str = "") -> Post:
    return Post(row, conversation, "note", ref or row, due_s=due_s, body="{}")


def shown_card(card: Card) -> Post:
    return Post(f"row-{card.token}", card.conversation, "card", card.token)


async def lives(scripts: Scripts, tag: str, *names: str) -> list[str]:
    """How long each key of the partition is kept."""
    ttls = [await scripts.client.ttl(tag + name) for name in names]
    return [{-2: "gone", -1: "for ever"}.get(ttl, "for a time") for ttl in ttls]


def sync(row: str, run: str) -> Post:
    return Post(row, f"sync:{run}", "sync", row, body=f'{{"run":"{run}"}}')
