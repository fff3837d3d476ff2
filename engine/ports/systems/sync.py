"""The system of record: where what a run learns is copied to, change by change (spec 003, Sync)."""

import ipaddress
from datetime import datetime
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from cards.frozen import Frozen

SAMPLE = "sample"
"""The target that needs no server."""


class ChangeVote(Frozen):
    """A vote on a card: who (an id of people.yaml, and their name), what, when.

    `reason` is why they rejected it, in their words; `seat` the id of whose place it was given in.
    """

    person: str
    name: str
    choice: str
    at: datetime
    reason: str = ""
    seat: str = ""


class ChangeDecision(Frozen):
    """What people decided on a card of the run since the change before.

    `about` is the skill that asked (with an SOP's node behind a stroke), `choice` the button's name
    (`approve`, `reject`, `change` sends it back), `option` the text of the option that was chosen.
    `reason` is text of people, as it is here: it may say anything. `votes` are all who voted, the
    one that decided it last.
    """

    about: str
    choice: str
    option: str = ""
    reason: str = ""
    votes: tuple[ChangeVote, ...]


class ChangeEnd(Frozen):
    """How the run ended: its `state` as programs read it, and what people read of it (Markdown)."""

    state: str
    text: str


class Change(Frozen):
    """Fields that a skill changed, for the system of record that the playbook names.

    `to` is `sample` or an http(s) address. `number` counts a run's changes from 1; a change is sent
    only after the one before it was taken. `attempt` counts how often an operator had it sent
    again. `fields` holds JSON values by path (`profile.x`, `decisions.x`, `name`), None for one
    that was cleared; `by` is the skill or person that changed them, `by_kind` says which ("" where
    an earlier version wrote it). `case` is what the run's case is `of`, and its `key` there; None
    for a run with a state of its own. `decided` is what people decided since the change before.
    `request` is the playbook's request, and `request_key` the key under which a program asked for
    it ("" where a person did). `ended` is set in the last change alone, where the playbook wants
    ends.
    """

    run: str
    playbook: str
    conversation: str
    requester: str
    to: str
    number: int
    attempt: int = 1
    project: str = ""
    case: dict[str, str] | None = None
    by: str
    at: datetime
    fields: dict[str, Any]
    by_kind: Literal["skill", "person", ""] = ""
    decided: tuple[ChangeDecision, ...] = ()
    request: str = ""
    request_key: str = ""
    ended: ChangeEnd | None = None

    @property
    def key(self) -> str:
        """The idempotency key: the same for every repeat of this change."""
        return f"{self.run}:sync:{self.number}"

    @property
    def row(self) -> str:
        """The outbox row that carries it."""
        return f"{self.run}/sync/{self.number}.{self.attempt}"


class SystemOfRecord(Protocol):
    """Takes changes, at least once each, in order per run."""

    async def take(self, change: Change) -> None:
        """Keep the change; a repeat of its key changes nothing.

        Raises SyncRefused when trying again cannot help, RateLimited or Unavailable when it may.
        """
        ...


def target_fault(to: str, *, signed: bool) -> str | None:
    """What is wrong with a playbook's target, for the one who wrote it; None for a good one.

    `signed` says whether there is a secret to sign with.
    """
    if to == SAMPLE:
        return None
    wrong = address_fault(to)
    if wrong:
        return f"should be {SAMPLE} or an address; {to!r} {wrong}"
    if not signed:
        return "needs SIGNOFF_SYNC_SECRET, to sign what is sent to that address"
    return None


def address_fault(address: str) -> str | None:
    """Why no change can be sent to this address, as a clause; None when one can."""
    try:
        parts = urlsplit(address)
        port, host = parts.port, parts.hostname
    except ValueError:
        return "is not an address"
    if parts.scheme not in ("http", "https"):
        return "should begin with https://"
    if not host or port == 0 or not address.isascii() or not address.isprintable():
        return "is not an address"
    if " " in address or parts.fragment:
        return "should have no space and no #"
    if parts.username is not None or parts.password is not None:
        return "should have no name and no password in it: changes are signed"
    if parts.scheme == "http" and not _is_loopback(host):
        return "should begin with https://, because it is not on this machine"
    return None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
