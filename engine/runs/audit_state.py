"""A run's log folded into how the run stands (A42): by the entries alone, in their order.

`engine/frames/audit.py` says what an entry tells.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.frames.state import ENDED
from engine.playbooks.end_kinds import USUAL

LogEntry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AuditState:
    """How a run stands by its log; `cards` by token as the log tells them, `values` by path.

    `end` is how it ended, "" while it has not.
    """

    status: str = ""
    end: str = ""
    position: str = ""
    playbook: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    approvals: Mapping[str, Any] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    cards: Mapping[str, LogEntry] = field(default_factory=dict)

    @property
    def waiting(self) -> tuple[str, ...]:
        """The cards that are open."""
        return tuple(token for token, card in self.cards.items() if card["status"] == "open")


def reconstruct_state(entries: Sequence[str]) -> AuditState:
    """How the run stands after these entries; what comes after its end changes nothing."""
    standing = AuditState()
    for body in entries:
        if standing.status not in ENDED:
            standing = _state_after(standing, json.loads(body))
    return standing


def position_in(told: LogEntry) -> str:
    """Where the run stood after an entry; "" where it says nothing of that, or means a person."""
    moves = "outcome" in told or told.get("event") == "started"
    return str(told.get("to", "")) if moves else ""


def _state_after(standing: AuditState, told: LogEntry) -> AuditState:
    status = _status(standing, told)
    values = {**standing.values, **told.get("changes", {})}
    cards = _cards(standing.cards, told)
    if status in ENDED:
        cards = {token: _close_card(card) for token, card in cards.items()}
    return replace(
        standing,
        status=status,
        end=str(told.get("end", "")) or USUAL.get(status, ""),
        position=position_in(told) or standing.position,
        playbook=_playbook(standing, told),
        values={path: value for path, value in values.items() if value is not None},
        approvals={**standing.approvals, **told.get("approvals", {})},
        written=(*standing.written, *told.get("written", ())),
        cards=cards,
    )


def _status(standing: AuditState, told: LogEntry) -> str:
    if told.get("event") in ("started", "cancelled"):
        # Logs of before runs told how they stand.
        usual = "running" if told["event"] == "started" else "cancelled"
        return str(told.get("status", usual))
    return str(told.get("status", standing.status))


def _playbook(standing: AuditState, told: LogEntry) -> str:
    if told.get("input") == "migrated" and told.get("outcome"):
        return str(told["mail"]["to"])
    return str(told.get("playbook", standing.playbook))


def _cards(known: Mapping[str, LogEntry], told: LogEntry) -> dict[str, LogEntry]:
    """The cards after an entry; one that tells an older state of a card is not believed."""
    cards = {**_cards_of_old_entry(known, told)}
    for card in told.get("changed_cards", ()):
        have = cards.get(card["token"])
        if have is None or card["version"] > have["version"]:
            cards[card["token"]] = card
    return cards


def _cards_of_old_entry(known: Mapping[str, LogEntry], told: LogEntry) -> Mapping[str, LogEntry]:
    """The cards by an entry of before entries had whole cards: it names them."""
    if "changed_cards" in told or "outcome" not in told or told.get("status") == "blocked":
        return known
    cards = dict(known)
    for token in told.get("cards", ()):
        cards.setdefault(token, {"token": token, "status": "open", "version": 1})
    mail = told.get("mail", {})
    card = cards.get(mail.get("card", ""))
    if card is not None and card["status"] == "open":
        status = "decided" if "decision" in mail else "expired"
        after = {**card, "status": status, "version": card["version"] + 1}
        cards[card["token"]] = after | (
            {"decision": mail["decision"]} if "decision" in mail else {}
        )
    return cards


def _close_card(card: LogEntry) -> LogEntry:
    """As the store leaves a card of a run that has ended."""
    if card["status"] != "open":
        return card
    return {**card, "status": "cancelled", "version": card["version"] + 1}
