"""Which process sent which message under which lease, and why one was sent twice.

A second copy is legal only when the first was applied and that could not be noted in time, because
its answer was lost, its sender was killed or paused, or the store was away; or when its sender was
paused between taking the row and sending it. Each is judged by what the wires and the faults say.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.chaos.faults import HARNESS, MOVE, REDIS, Faults
from tests.chaos.ledger import Lease, Ledger, Note
from tests.chaos.platforms import Shown

# How long a deliverer tries to reach the store: three times a second, and what is between.
TRIES_S = 5.0
Message = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Sending:
    """A message, the lease under which it was sent, and the first note of it, if one was tried."""

    shown: Shown
    lease: Lease
    note: Note | None


def place_of(dest: str) -> str:
    """The chat of a destination as the stubs know it; a user's id is a direct message."""
    if dest.startswith("checks:"):
        # What a step checked goes to the store, and to no place where messages are shown.
        return dest
    place = dest.split(":")[2]
    return f"D{place[1:]}" if place.startswith("U") else place


def message_of(dest: str, message_id: str) -> Message:
    """A message as the stubs know it, from the id that was noted."""
    if dest.startswith("slack:"):
        place, _, ts = message_id.partition(":")
        return place, ts
    return place_of(dest), message_id


@dataclass
class Copies:
    """Every message attributed; `rows` has the sendings of each row in the order of the leases."""

    ledger: Ledger
    faults: Faults
    rows: dict[str, list[Sending]] = field(default_factory=lambda: defaultdict(list))
    violations: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def judge(self, posts: Iterable[Shown]) -> None:
        """Attribute all messages and explain each that was not the last of its row."""
        self._attribute(list(posts))
        leases = defaultdict(list)
        for lease in self.ledger.leases:
            if not lease.message:
                leases[lease.row].append(lease)
        for row, sendings in self.rows.items():
            sendings.sort(key=lambda one: one.lease.at)
            for one in sendings[:-1]:
                following = next(le for le in leases[row] if le.at > one.lease.at)
                why = self._forgotten(one, following) or self._why(one, following)
                self.counts[f"sent twice: {why or 'UNEXPLAINED'}"] += 1
                if not why:
                    what = f"{row} at {one.shown.place} by {one.lease.by}"
                    times = self._times(one, following)
                    self.violations.append(f"sent twice without a fault: {what}: {times}")

    def first(self, row: str) -> float:
        """When the first message of the row was shown."""
        return min(one.shown.at for one in self.rows[row])

    def _attribute(self, posts: list[Shown]) -> None:
        leases = {(le.partition, le.fence): le for le in self.ledger.leases}
        noted: dict[Message, Note] = {}
        for note in self.ledger.notes:
            if note.outcome == "sent":
                noted.setdefault(message_of(note.dest, note.value), note)
        used = set()
        rest = []
        for shown in posts:
            found = noted.get((shown.place, shown.id))
            if found is None:
                rest.append(shown)
                continue
            lease = leases[found.partition, found.fence]
            used.add((lease.partition, lease.fence))
            self.rows[lease.row].append(Sending(shown, lease, found))
        new = [le for le in leases.values() if not le.message]
        for shown in rest:
            fit = [le for le in new if (le.partition, le.fence) not in used and _may(le, shown)]
            if not fit:
                self.violations.append(f"sent without a lease: {shown.place}/{shown.id}")
                continue
            last = max(fit, key=lambda le: le.at)
            used.add((last.partition, last.fence))
            self.rows[last.row].append(Sending(shown, last, None))

    def _forgotten(self, one: Sending, following: Lease) -> str:
        """It had been noted before the row was asked for again, and was sent all the same."""
        note = one.note
        if note is None or not note.answered or note.answered > following.asked:
            return ""
        self.violations.append(f"sent again though noted: {one.lease.row} at {one.shown.place}")
        return "THOUGH NOTED"

    def _why(self, one: Sending, following: Lease) -> str:
        """What kept the sender from noting the message before the row was given again."""
        sent, begun, end = one.shown.at, one.lease.at, following.at
        by = one.lease.by
        if one.shown.lost and sent <= end:
            return "the answer of the platform was lost"
        asked = min(one.note.asked, end) if one.note else end
        if self._fault("kill worker", by, begun, end):
            return "the sender was killed before it could note it"
        if self._fault("pause worker", by, begun, asked):
            what = "send" if sent > end else "note"
            return f"the sender was paused before it could {what} it"
        if self._fault("kill Redis", "", sent, min(sent + TRIES_S, end)):
            return "the store was away when it was to be noted"
        if self._fault(MOVE, one.lease.partition, sent, min(sent + TRIES_S, end)):
            return "its slot moved when it was to be noted"
        # A sender that was only slow says in the end what came of it.
        lease = (one.lease.partition, one.lease.fence)
        settled = [n.asked for n in self.ledger.notes if (n.partition, n.fence) == lease]
        if settled and self._held_up(by, begun, max(settled)) >= self.faults.lease_s / 2:
            return "the machine, busy elsewhere, held it up past the lease"
        return ""

    def _held_up(self, by: str, begun: float, end: float) -> float:
        """Seconds that a message's way waited for a processor, and that machine or disk stalled."""
        waited = sum(self.faults.waits.within(name, begun, end) for name in (by, HARNESS, REDIS))
        stalls = (min(f.ended, end) - max(f.begun, begun) for f in self.faults.stalls)
        return waited + sum(stall for stall in stalls if stall > 0)

    def _times(self, one: Sending, following: Lease) -> str:
        """Seconds from the lease to what came after it."""
        note, begun = one.note, one.lease.at
        moments = {
            "shown": one.shown.at,
            "note asked": note.asked if note else 0.0,
            "note answered": note.answered if note else 0.0,
            "asked for again": following.asked,
            "given again": following.at,
        }
        told = [f"{what} {at - begun:.2f}" for what, at in moments.items() if at]
        return ", ".join([*told, f"held up {self._held_up(one.lease.by, begun, following.at):.2f}"])

    def _fault(self, kind: str, whom: str, begun: float, end: float) -> bool:
        return any(
            f.kind.startswith(kind) and f.whom == whom and f.begun <= end and f.ended >= begun
            for f in self.faults.done
        )


def _may(lease: Lease, shown: Shown) -> bool:
    tokens = {button.token for button in shown.buttons.values()}
    card = "@" in lease.row
    return (
        lease.by == shown.by
        and place_of(lease.dest) == shown.place
        and lease.at <= shown.at
        and (not card or not tokens or lease.ref in tokens)
    )
