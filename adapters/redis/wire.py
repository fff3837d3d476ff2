"""Effects as the scripts take them, and answers of the scripts as the ports give them."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from adapters.redis.packing.bodies import pack, pack_lines, unpack
from cards.deciding.inbox import inbox_names_of_card, voters_of
from cards.model import Card
from engine.ports.storage.outbox import OutboxRow, StoredCard
from engine.ports.storage.store import CardWrite, Claim, Effects, PartWrite, Post, RunWrite


def _ms(moment: datetime | None) -> int:
    return int(moment.timestamp() * 1000) if moment else 0


def _card(write: CardWrite) -> dict[str, Any]:
    card = write.card
    body = card.stored()
    return {
        "token": card.token,
        "expect": write.expect,
        # One that only informs is short, and there are many of them.
        "body": body if card.status == "told" else pack("card", body),
        "version": card.version,
        "status": card.status,
        "deadline": _ms(card.deadline),
        "run": card.run,
        "conversation": card.conversation,
        "who": encode_inbox_names(card),
        "voters": encode_names(voters_of(card)),
    }


def encode_inbox_names(card: Card) -> str:
    """Return the names under which the card is listed, separated by spaces."""
    return encode_names(inbox_names_of_card(card))


def encode_names(names: Iterable[str]) -> str:
    """Return names of lists, separated by spaces."""
    return " ".join(map(encode_inbox_name, names))


def encode_inbox_name(name: str) -> str:
    """Return a name under which cards are listed, without spaces."""
    return quote(name, safe=":@")


def _run(write: RunWrite) -> dict[str, Any]:
    return {
        "id": write.id,
        "conversation": write.conversation,
        "reply": write.reply,
        "body": pack("run", write.body) if _stands(write) else write.body,
        "steps": write.steps,
        "ended": write.ended,
        "status": write.status,
        "playbook": write.playbook,
        "who": write.who,
        "parent": write.parent,
        **({"owners": encode_names(write.owners)} if write.owners else {}),
    }


def _post(post: Post) -> dict[str, Any]:
    return {
        "row": post.row,
        "dest": post.conversation,
        "kind": post.kind,
        "ref": post.ref,
        "due_ms": int(post.due_s * 1000),
        "body": post.body,
    }


def _stands(write: RunWrite) -> bool:
    """Whether the run will stay as it is for long, so that packing it pays."""
    return write.status == "suspended" or bool(write.ended)


def _part(write: PartWrite, *, stands: bool) -> dict[str, Any]:
    """A part, packed where its run will stay as it is for long."""
    body = pack("reply", write.body) if stands else write.body
    return {"reply": write.reply, "index": write.index, "body": body}


def _log(entries: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The entries, those of one log packed together."""
    logs: dict[str, list[str]] = {}
    for log, entry in entries:
        logs.setdefault(log, []).append(entry)
    return [(log, line) for log, lines in logs.items() for line in pack_lines("log", lines)]


def encode_effects(effects: Effects, run_keep_ms: int) -> str:
    """Return the JSON that `apply` in effects.lua reads; a run that ends is kept for so long.

    Bodies that stand for long are packed: of runs that wait or have ended and of what is told of
    them, of cards, logs, and of messages that start a run. Nothing of a look-up is, nor of what is
    written at every step.
    """
    out: dict[str, Any] = {
        "run_ms": run_keep_ms,
        "parts": [_part(p, stands=any(map(_stands, effects.runs))) for p in effects.parts],
        "runs": [_run(r) for r in effects.runs],
        "cards": [_card(c) for c in effects.cards],
        "mails": effects.mails,
        "timers": [
            {"lane": t.lane, "id": t.id, "at": _ms(t.at), "mail": t.mail} for t in effects.timers
        ],
        "slots": effects.slots,
        "posts": [_post(p) for p in effects.posts],
        "seen": [
            {
                "card": s.card,
                "dest": s.conversation,
                "message_id": s.message_id,
                "due_ms": int(s.due_s * 1000),
            }
            for s in effects.seen
        ],
        "touches": [{"ref": t.ref, "due_ms": int(t.due_s * 1000)} for t in effects.touches],
        "log": _log(effects.log),
        "traces": [
            {
                "id": t.id,
                "body": pack("trace", t.body) if effects.runs else t.body,
                "keep_ms": int(t.keep_s * 1000),
            }
            for t in effects.traces
        ],
        "cancels": effects.cancels,
        "aside": [{"lane": a.lane, "mail": a.mail, "why": a.why} for a in effects.aside],
    }
    if effects.session is not None:
        out["session"] = pack("session", effects.session) if effects.runs else effects.session
        out["session_keep_ms"] = int(effects.session_keep_s * 1000)
    if effects.reply is not None:
        out["reply"] = {
            "id": effects.reply.id,
            "head": pack("reply", effects.reply.head) if effects.runs else effects.reply.head,
            "parts": effects.reply.parts,
        }
    return json.dumps(out, ensure_ascii=False, separators=(",", ":"))


def decode_card(fields: list[str | None]) -> StoredCard | None:
    """Return a card from (body, status, version), None for none."""
    if not fields or fields[0] is None:
        return None
    return StoredCard(unpack(fields[0]), fields[1] or "", int(fields[2] or 0))


def decode_claim(
    lane: str, fence: int, commits: int, attempts: int, rest: list[str], *, follows: bool = False
) -> Claim:
    """Return a claim from (mail, state, ended, open cards, active runs, now in ms)."""
    mail, state, ended, cards, runs, now = rest
    return Claim(
        lane=lane,
        fence=fence,
        commits=commits,
        attempts=attempts,
        mail=mail,
        state=unpack(state),
        ended=ended,
        cards=int(cards),
        runs=int(runs),
        follows=follows,
        now=datetime.fromtimestamp(int(now) / 1000, UTC),
    )


def decode_parts(fields: dict[str, str]) -> tuple[str, ...]:
    """Return the parts of a reply's hash, in order."""
    return tuple(unpack(fields[f"part:{i}"]) for i in range(int(fields.get("count", 0))))


def decode_row(partition: int, answer: list[Any]) -> OutboxRow:
    """Return a leased row with the state of what it shows."""
    dest, fence, name, revision, kind, ref, message_id, attempts, body, *rest = answer
    shown, card_fields, answer_id, tried = rest
    # RESP3 gives a hash from a script as a flat list.
    fields = dict(zip(shown[::2], shown[1::2], strict=True))
    return OutboxRow(
        partition=partition,
        conversation=dest,
        fence=int(fence),
        row=name,
        revision=int(revision),
        kind=kind,
        ref=ref,
        message_id=message_id,
        attempts=int(attempts),
        body=body,
        head=unpack(fields.get("head", "")),
        parts=decode_parts(fields),
        card=decode_card(card_fields),
        answer_id=answer_id,
        tried=datetime.fromtimestamp(int(tried) / 1000, UTC) if tried else None,
    )
