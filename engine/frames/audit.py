"""The run's log: one JSON object an entry, written in the script that does what it tells.

The log is append-only (I6, A42): `engine/runs/audit_state.py` folds it into how the run stands.
Every entry has `at`, and `event` or, of a step, `outcome`. What the fold reads of any entry:

    status     how the run stands after it
    to         where its top frame stands, as `kind:name` (of steps and the start; whom, of others)
    playbook   the digest of the playbook that it goes on with
    end        how it ended (of the entry that ends it), if that is not what its status says
    changes    {path: value} of its state; None clears
    approvals  {name: {by, name, digest}} added to its state
    written    names of writes that were done
    changed_cards
               every card that the same commit writes, whole, as `card_now` gives it

Whoever changes a card of a run adds an entry with that card under `changed_cards`, whatever the
change is; nothing else has to know of it. Who acted is `by` (a person's id, a skill, `signoff`, or
`operator:<login>`), from where is `via` (a platform or `command line`), `where` (a conversation)
and `user` (as the platform names them).

A run that ends closes its open cards in the store; no entry tells so, the fold does the same.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from cards.model import Card
from engine.frames.state import Patch, Run, position
from engine.ports.storage.store import CardWrite, Effects

CLOCK: Final = "signoff"
"""Who acts when time does."""

# What a card shows, and what it has been opened with for good.
_SHOWN: Final = frozenset(
    {
        *("schema_version", "run", "reply", "part", "conversation", "lang", "title", "text"),
        *("rows", "problems", "known", "choices", "requester", "requester_name"),
        *("requester_accounts", "waiting_for"),
    }
)
Entry = tuple[str, str]
"""Whose log, and the entry as JSON: what `Effects.log` holds."""


def card_now(card: Card) -> dict[str, Any]:
    """What the log keeps of a card: how it stands, its votes, its decision, who may decide."""
    told = card.model_dump(mode="json", exclude=set(_SHOWN), exclude_defaults=True)
    return {**told, "status": card.status, "version": card.version}


def entry(
    log: str, at: datetime, event: str, told: Mapping[str, Any], *, cards: Sequence[Card] = ()
) -> Entry:
    """An entry of that log; what is empty is left out. `cards` are written by the same commit."""
    body = {
        "at": at.isoformat(),
        "event": event,
        **{name: value for name, value in told.items() if value not in ("", None, {}, (), [])},
    }
    if cards:
        body["changed_cards"] = [card_now(card) for card in cards]
    return log, json.dumps(body, ensure_ascii=False)


def about_card(
    card: Card, at: datetime, event: str, told: Mapping[str, Any], *, after: Card | None = None
) -> Entry:
    """An entry about a card, in its run's log (a card of the talk has one of its own).

    `after` is the card as it is written by the same commit.
    """
    cards = (after,) if after else ()
    return entry(card.run or card.token, at, event, {"card": card.token, **told}, cards=cards)


def started(run: Run) -> Entry:
    """That the run began: by whom, from where, and what it knows from the start."""
    state = run.state
    known = Patch(by="", profile=state.profile, decisions=state.decisions, data=dict(state.data))
    told = {
        "by": run.requester.id,
        **origin(run.conversation),
        "playbook": run.digest,
        "request": run.request,
        "reply": run.reply,
        "parent": run.parent,
        "key": run.key,
        "why": run.part.intent.why,
        "status": run.status,
        "to": position(run.frames[-1]),
        "changes": known.paths,
        "approvals": approvals(state.approvals),
        "written": state.written,
    }
    return entry(run.id, run.started_at, "started", told)


def approvals(given: Any) -> dict[str, Any]:
    """Approvals by name, as an entry has them."""
    return {name: one.model_dump(mode="json", exclude_none=True) for name, one in given.items()}


def origin(conversation: str) -> dict[str, str]:
    """From where, for what comes from a conversation."""
    return {"via": conversation.partition(":")[0], "where": conversation}


def cancelled(run: Run, told: Mapping[str, str], at: datetime, *, in_flight: bool) -> Entry:
    """That somebody ended the run; `in_flight` when a write may have happened meanwhile.

    `told` is who, and from where.
    """
    how = {"status": "cancelled", "in_flight": in_flight or None}
    return entry(run.id, at, "cancelled", {**told, **how})


def with_parent(run: str, parent: str, at: datetime) -> Entry:
    """That a child run ended because the one above it did."""
    told = {"by": CLOCK, "parent": parent, "status": "cancelled"}
    return entry(run, at, "cancelled", told)


def untold(effects: Effects) -> tuple[str, ...]:
    """Cards of runs that the effects write and no entry of theirs tells of; none in our code."""
    told = {
        (log, card["token"], card["version"])
        for log, body in effects.log
        for card in json.loads(body).get("changed_cards", ())
    }
    return tuple(
        write.card.token for write in effects.cards if write.card.run and _mark(write) not in told
    )


def _mark(write: CardWrite) -> tuple[str, str, int]:
    return (write.card.run, write.card.token, write.card.version)
