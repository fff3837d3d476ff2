"""The run's log: one JSON object for each entry, written in the script that does what it says.

The log is append-only (I6, A42): `engine/runs/audit_state.py` folds it into the run's state.
Every entry has `at`, and `event` or, of a step, `outcome`. What the fold reads of any entry:

    status     how the run stands after it
    to         where its top frame stands, as `kind:name` (of steps and the start; whom, of others)
    playbook   the digest of the playbook that it goes on with
    end        how it ended (of the entry that ends it), if that is not what its status says
    changes    {path: value} of its state; None clears
    approvals  {name: {by, name, digest}} added to its state
    written    names of writes that were done
    changed_cards
               every card that the same commit writes, whole, as `card_facts` gives it

Whoever changes a card of a run adds an entry with that card under `changed_cards`. Who acted is
`by` (a person's id, a skill, `signoff`, or `operator:<login>`), from where is `via` (a platform or
`command line`), `where` (a conversation) and `user` (as the platform names them).

A run that ends closes its open cards in the store; that has no entry, and the fold does the same.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from cards.model import Card
from engine.frames.state import Approval, Patch, Run, position_of

CLOCK: Final = "signoff"
"""Who acts when time does."""

# What a card shows, and what it has been opened with for good.
_SHOWN: Final = frozenset(
    {
        *("schema_version", "run", "reply", "part", "conversation", "lang", "title", "text"),
        *("rows", "problems", "known", "choices", "requester", "requester_name"),
        *("requester_accounts", "waiting_for", "project"),
    }
)
Entry = tuple[str, str]
"""The id of a run, or of a card of the talk, and the entry as JSON (`Effects.log`)."""


def card_facts(card: Card) -> dict[str, Any]:
    """What the log keeps of a card: how it stands, its votes, its decision, who may decide."""
    facts = card.model_dump(mode="json", exclude=set(_SHOWN), exclude_defaults=True)
    return {**facts, "status": card.status, "version": card.version}


def log_entry(
    log: str, at: datetime, event: str, facts: Mapping[str, Any], *, cards: Sequence[Card] = ()
) -> Entry:
    """An entry of that log; what is empty is left out. `cards` are written by the same commit."""
    body = {
        "at": at.isoformat(),
        "event": event,
        **{name: value for name, value in facts.items() if value not in ("", None, {}, (), [])},
    }
    if cards:
        body["changed_cards"] = [card_facts(card) for card in cards]
    return log, json.dumps(body, ensure_ascii=False)


def card_entry(
    card: Card, at: datetime, event: str, facts: Mapping[str, Any], *, after: Card | None = None
) -> Entry:
    """An entry about a card, in its run's log (a card of the talk has one of its own).

    `after` is the card as it is written by the same commit.
    """
    cards = (after,) if after else ()
    return log_entry(card.run or card.token, at, event, {"card": card.token, **facts}, cards=cards)


def start_entry(run: Run) -> Entry:
    """The run began: by whom, from where, and what it knows from the start."""
    state = run.state
    known = Patch(by="", profile=state.profile, decisions=state.decisions, data=dict(state.data))
    facts = {
        "by": run.requester.id,
        **origin_facts(run.conversation),
        "project": run.project,
        "playbook": run.digest,
        "request": run.request,
        "reply": run.reply,
        "parent": run.parent,
        "key": run.key,
        "why": run.part.intent.why,
        "status": run.status,
        "to": position_of(run.frames[-1]),
        "changes": known.paths,
        "approvals": approval_facts(state.approvals),
        "written": state.written,
    }
    return log_entry(run.id, run.started_at, "started", facts)


def approval_facts(approvals: Mapping[str, Approval]) -> dict[str, Any]:
    """Approvals by name, as an entry has them."""
    return {n: each.model_dump(mode="json", exclude_defaults=True) for n, each in approvals.items()}


def origin_facts(conversation: str) -> dict[str, str]:
    """Where something came from: the platform and the conversation."""
    return {"via": conversation.partition(":")[0], "where": conversation}


def cancel_entry(run: Run, origin: Mapping[str, str], at: datetime, *, in_flight: bool) -> Entry:
    """Somebody ended the run; `in_flight` when a write may have happened meanwhile.

    `origin` says who, and from where.
    """
    facts = {"status": "cancelled", "in_flight": in_flight or None}
    return log_entry(run.id, at, "cancelled", {**origin, **facts})


def parent_cancel_entry(run: str, parent: str, at: datetime) -> Entry:
    """A child run ended because the one above it did."""
    facts = {"by": CLOCK, "parent": parent, "status": "cancelled"}
    return log_entry(run, at, "cancelled", facts)
