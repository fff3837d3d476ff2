"""A run's state from the entries of its log alone, in their order (A42).

`engine/frames/audit.py` says what an entry holds.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.frames.state import ENDED
from engine.playbooks.end_kinds import USUAL

LogEntry = Mapping[str, Any]
CardFacts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AuditState:
    """The state of a run by its log; `cards` by token, as the log has them, `values` by path.

    `end` is how it ended, "" while it has not.
    """

    status: str = ""
    end: str = ""
    position: str = ""
    playbook: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    approvals: Mapping[str, Any] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    cards: Mapping[str, CardFacts] = field(default_factory=dict)

    @property
    def waiting(self) -> tuple[str, ...]:
        """The cards that are open."""
        return tuple(token for token, card in self.cards.items() if card["status"] == "open")


def reconstruct_state(entries: Sequence[str]) -> AuditState:
    """The run's state after these entries; what comes after its end changes nothing."""
    state = AuditState()
    for body in entries:
        if state.status not in ENDED:
            state = _state_after(state, json.loads(body))
    return state


def position_in(entry: LogEntry) -> str:
    """The run's position after an entry; "" where `to` is missing, or is a person."""
    moves = "outcome" in entry or entry.get("event") == "started"
    return str(entry.get("to", "")) if moves else ""


def _state_after(state: AuditState, entry: LogEntry) -> AuditState:
    status = _status_after(state, entry)
    values = {**state.values, **entry.get("changes", {})}
    cards = _cards_after(state.cards, entry)
    if status in ENDED:
        cards = {token: _close_card(card) for token, card in cards.items()}
    return replace(
        state,
        status=status,
        end=str(entry.get("end", "")) or USUAL.get(status, ""),
        position=position_in(entry) or state.position,
        playbook=_playbook_after(state, entry),
        values={path: value for path, value in values.items() if value is not None},
        approvals={**state.approvals, **entry.get("approvals", {})},
        written=(*state.written, *entry.get("written", ())),
        cards=cards,
    )


def _status_after(state: AuditState, entry: LogEntry) -> str:
    if entry.get("event") in ("started", "cancelled"):
        # Older logs do not have the status.
        usual = "running" if entry["event"] == "started" else "cancelled"
        return str(entry.get("status", usual))
    return str(entry.get("status", state.status))


def _playbook_after(state: AuditState, entry: LogEntry) -> str:
    if entry.get("input") == "migrated" and entry.get("outcome"):
        return str(entry["mail"]["to"])
    return str(entry.get("playbook", state.playbook))


def _cards_after(known: Mapping[str, CardFacts], entry: LogEntry) -> dict[str, CardFacts]:
    """The cards after an entry; an older version of a card than the known one is ignored."""
    cards = {**_cards_of_old_entry(known, entry)}
    for card in entry.get("changed_cards", ()):
        have = cards.get(card["token"])
        if have is None or card["version"] > have["version"]:
            cards[card["token"]] = card
    return cards


def _cards_of_old_entry(known: Mapping[str, CardFacts], entry: LogEntry) -> Mapping[str, CardFacts]:
    """The cards after an entry of an older log, which only names them."""
    if "changed_cards" in entry or "outcome" not in entry or entry.get("status") == "blocked":
        return known
    cards = dict(known)
    for token in entry.get("cards", ()):
        cards.setdefault(token, {"token": token, "status": "open", "version": 1})
    mail = entry.get("mail", {})
    card = cards.get(mail.get("card", ""))
    if card is not None and card["status"] == "open":
        status = "decided" if "decision" in mail else "expired"
        after = {**card, "status": status, "version": card["version"] + 1}
        cards[card["token"]] = after | (
            {"decision": mail["decision"]} if "decision" in mail else {}
        )
    return cards


def _close_card(card: CardFacts) -> CardFacts:
    """The card as the store leaves it when its run has ended."""
    if card["status"] != "open":
        return card
    return {**card, "status": "cancelled", "version": card["version"] + 1}
