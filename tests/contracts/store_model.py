"""What a store must do, said plainly: the reference of test_store_property.py (design §3)."""

from collections import defaultdict
from dataclasses import dataclass, field, replace

from cards.model import Card, CardStatus, Decision
from engine.errors import LeaseLost, StaleWrite
from engine.ports.storage.arrivals import EditOutcome
from engine.ports.storage.store import (
    AfterCommit,
    CardWrite,
    Claim,
    Effects,
    LaneBounds,
    RunWrite,
    Timer,
)

# In seconds.
LEASE_S, DEADLINE_S = 3_000, 6_000
BOUNDS = LaneBounds(length=5, age_s=20_000)


@dataclass(slots=True)
class Lane:
    """A lane: `fence` 0 is nobody's; it may be taken from `ready` on, never while that is None.

    `moved` is when it last had nothing to do, or was committed.
    """

    mail: list[str] = field(default_factory=list)
    fence: int = 0
    commits: int = 0
    attempts: int = 0
    ready: int | None = None
    moved: int = 0
    late: int = 0
    begun: bool = False


class Model:
    """What must be true, said plainly; it is told the fences, and decides everything else."""

    def __init__(self) -> None:
        self.now = 0
        self.lanes: defaultdict[str, Lane] = defaultdict(Lane)
        self.updates: set[str] = set()
        self.messages: dict[str, tuple[str, str]] = {}
        self.answers: dict[str, str] = {}
        self.sessions: dict[str, str] = {}
        self.runs: dict[str, RunWrite] = {}
        self.cards: dict[str, Card] = {}
        self.deadlines: dict[str, int] = {}
        self.timers: dict[Timer, int] = {}
        self.accepted: defaultdict[str, list[str]] = defaultdict(list)
        self.dropped: set[str] = set()

    def overloaded(self, name: str, update: str) -> bool:
        lane = self.lanes[name]
        old = bool(lane.mail) and self.now - lane.moved > BOUNDS.age_s
        return update not in self.updates and (len(lane.mail) >= BOUNDS.length or old)

    def put(self, lane: str, mail: str, update: str) -> bool:
        new = update not in self.updates
        self.updates.add(update)
        if new:
            self.messages[update] = lane, mail
            self._append(lane, mail)
        elif self.lanes[lane].mail:
            self._wake(lane)
        return new

    def edit(self, update: str, mail: str) -> EditOutcome:
        name, was = self.messages[update]
        lane = self.lanes[name]
        if was not in lane.mail or (was == lane.mail[0] and (lane.fence or lane.begun)):
            return "taken"
        self.messages[update] = name, mail
        for mails in (lane.mail, self.accepted[name]):
            mails[mails.index(was)] = mail
        return "replaced"

    def _append(self, lane: str, mail: str) -> None:
        if not self.lanes[lane].mail:
            self.lanes[lane].moved = self.now
        self.lanes[lane].mail.append(mail)
        self.accepted[lane].append(mail)
        self._wake(lane)

    def _wake(self, lane: str) -> None:
        if self.lanes[lane].ready is None:
            self.lanes[lane].ready = self.now

    def fire_timers(self) -> None:
        for timer in [timer for timer, due in self.timers.items() if due <= self.now]:
            del self.timers[timer]
            self._append(timer.lane, timer.mail)

    def due(self) -> set[str]:
        return {
            name
            for name, lane in self.lanes.items()
            if lane.ready is not None and lane.ready <= self.now
        }

    def take(self, name: str, fence: int) -> Claim:
        lane = self.lanes[name]
        lane.fence, lane.ready, lane.attempts = fence, self.now + LEASE_S, lane.attempts + 1
        return self._claim(name)

    def _claim(self, name: str) -> Claim:
        lane = self.lanes[name]
        run = self.runs.get(name.removeprefix("run:"))
        state = run.body if run else self.sessions.get(name.partition(":")[2], "")
        ended = run.ended if run else ""
        place = name.partition(":")[2]
        where = run.conversation if run else place
        cards = sum(c.status == "open" and c.conversation == where for c in self.cards.values())
        count = (lane.commits, lane.attempts)
        runs = sum(not r.ended and r.conversation == place for r in self.runs.values())
        return Claim(name, lane.fence, *count, lane.mail[0], state, ended, cards, runs)

    def holds(self, claim: Claim) -> bool:
        return claim.fence == self.lanes[claim.lane].fence

    def renew(self, claim: Claim) -> None:
        self.lanes[claim.lane].ready = self.now + LEASE_S

    def renew_late(self, claim: Claim) -> None:
        # Who was only late is no attempt that failed, however often it asks.
        lane = self.lanes[claim.lane]
        if lane.attempts > 1 and lane.late != claim.fence:
            lane.attempts, lane.late = lane.attempts - 1, claim.fence

    def release(self, claim: Claim, in_s: int, *, counts: bool) -> None:
        lane = self.lanes[claim.lane]
        lane.fence, lane.ready = 0, self.now + in_s
        lane.attempts -= not counts

    def refuses(self, claim: Claim, e: Effects) -> type[Exception] | None:
        if not self.holds(claim) or claim.commits != self.lanes[claim.lane].commits:
            return LeaseLost
        run = self.runs.get(claim.lane.removeprefix("run:"))
        if run and run.ended and e.runs:
            return StaleWrite
        return StaleWrite if self.stale(e) else None

    def stale(self, e: Effects) -> bool:
        return any(self._card_is_stale(write) for write in e.cards) or any(
            self.runs[run].ended or self.runs[run].steps != steps for run, steps in e.cancels
        )

    def _card_is_stale(self, write: CardWrite) -> bool:
        card = self.cards.get(write.card.token)
        if card is None or write.expect == 0:
            return card is not None
        late = write.card.status == "decided" and self.now >= self.deadlines[card.token]
        over = self.runs[card.run].ended != "" or card.status != "open"
        return late or over or card.version != write.expect

    def commit(
        self, claim: Claim, e: Effects, *, pop: bool, front: str, after: AfterCommit
    ) -> Claim | None:
        lane = self.lanes[claim.lane]
        if pop:
            lane.mail.pop(0)
        if front:
            lane.mail.insert(0, front)
        lane.commits, lane.moved, lane.begun = lane.commits + 1, self.now, not pop
        if pop or after != "keep":
            lane.attempts = 0
        self.apply(e, claim.lane.partition(":")[2])
        if lane.mail and after == "keep":
            lane.ready, lane.attempts = self.now + LEASE_S, 1 if pop else lane.attempts
            attempts = 1 if pop else claim.attempts
            return replace(self._claim(claim.lane), follows=True, attempts=attempts)
        lane.fence = 0
        lane.ready = self.now if lane.mail and after == "release" else None
        return None

    def apply(self, e: Effects, conversation: str) -> None:
        if e.session is not None:
            self.sessions[conversation] = e.session
        for write in e.cards:
            self.cards[write.card.token] = write.card
            self.deadlines.setdefault(write.card.token, self.now + DEADLINE_S)
        for run in e.runs:
            self.runs[run.id] = run
            if run.ended:
                self._end(run.id, run.ended)
        for run_id, _ in e.cancels:
            self._end(run_id, "cancelled")
            lane = self.lanes[f"run:{run_id}"]
            self.dropped.update(lane.mail)
            lane.mail, lane.fence, lane.ready = [], -1, None
        for lane_name, mail in e.mails:
            self._append(lane_name, mail)
        for timer in e.timers:
            self.timers[timer] = self.now + DEADLINE_S

    def _end(self, run: str, status: str) -> None:
        self.runs[run] = replace(self.runs[run], ended=status)
        for card in [card for card in self.cards.values() if card.run == run]:
            if card.status == "open":
                self.cards[card.token] = changed(card, "cancelled")


def changed(card: Card, status: CardStatus, decision: Decision | None = None) -> Card:
    update = {"status": status, "version": card.version + 1, "decision": decision}
    return card.model_copy(update=update)
