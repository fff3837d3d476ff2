"""What the service and Redis said to each other: who held what, and what was noted, and when.

The proxy hands over both directions of every connection, so this knows also what a process that
was killed or paused had asked for, and what it was never told.
"""

import hashlib
import json
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import hiredis

from adapters.redis.scripts import script_text

SCRIPTS = {
    hashlib.sha1(script_text(name).encode()).hexdigest(): name
    for name in ("claim", "commit", "release", "send", "sent")
}

# What the service waits for replicas of.
_WAITED = ("commit", "send", "sent")


@dataclass(frozen=True, slots=True)
class Lease:
    """A row given to a deliverer: `by` asked for it, and may show it; "" as `message` is new."""

    by: str
    partition: str
    dest: str
    fence: str
    row: str
    ref: str
    message: str
    parts: tuple[str, ...]
    asked: float
    at: float


@dataclass(slots=True)
class Note:
    """What a deliverer wanted noted about a lease; `answered` 0 when no answer was seen."""

    by: str
    partition: str
    dest: str
    fence: str
    row: str
    outcome: str
    value: str
    asked: float
    answered: float = 0.0


@dataclass(slots=True)
class Posted:
    """A new reply's row: first asked for and last answered when, and due how long after that."""

    asked: float
    due_s: float
    answered: float = math.inf


@dataclass(frozen=True, slots=True)
class TakeOver:
    """A lane or destination that `by` held since `since` and another took when it came due."""

    what: str
    by: str
    since: float
    at: float


@dataclass
class Ledger:
    """All leases, notes and take-overs of a run, in the order of their answers."""

    clock: Callable[[], float]
    # Whether an answer counts only once replicas have what it says.
    acks: bool = False
    leases: list[Lease] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    takeovers: list[TakeOver] = field(default_factory=list)
    # Hears of each commit, and when it was asked for.
    on_commit: Callable[[float], None] = lambda asked: None
    posted: dict[str, Posted] = field(default_factory=dict)
    # What is held: by whom, under which fence, since when.
    _held: dict[str, tuple[str, str, float]] = field(default_factory=dict)

    def wire(self) -> "Wire":
        """A new connection."""
        return Wire(self)

    def busy(self, by: str) -> bool:
        """Whether this process holds a talk or run lane now."""
        held = (what for what, (holder, _, _) in self._held.items() if holder == by)
        return any(what.split(":")[1] in ("talk", "run") for what in held)

    def answer(self, said: "Command", told: Any) -> None:
        """A script answered."""
        if isinstance(told, hiredis.ReplyError):
            return
        match said.script:
            case "send":
                for row in told[0]:
                    self._leased(said, row)
            case "sent":
                self._noted(said, told)
            case "claim":
                for lane, fence, *_ in told[0]:
                    self._take(f"{said.partition}:{lane}", said.by, str(fence))
            case "commit" if told[0] == "OK":
                self.on_commit(said.at)
                for row in said.rows:
                    self.posted[row].answered = self.clock()
                if len(told) == 1:
                    self._let_go(f"{said.partition}:{said.words[0]}", said.words[1])
            case "release":
                self._let_go(f"{said.partition}:{said.words[0]}", said.words[1])

    def _leased(self, said: "Command", row: Sequence[Any]) -> None:
        dest, fence, name, _, _, ref, message, _, _, shown, *_ = row
        parts = tuple(v for k, v in zip(shown[::2], shown[1::2], strict=True) if "part:" in k)
        place = (said.partition, dest, str(fence))
        now = self.clock()
        self.leases.append(Lease(said.by, *place, name, ref, message, parts, said.at, now))
        self._take(f"{said.partition}:{dest}", said.by, str(fence))

    def _noted(self, said: "Command", told: Sequence[Any]) -> None:
        assert said.note is not None
        said.note.answered = self.clock()
        if told[0] == "OK":
            self._let_go(f"{said.partition}:{said.words[0]}", said.words[1])
            if len(told) > 1 and told[1]:
                self._leased(said, told[1])

    def _take(self, what: str, by: str, fence: str) -> None:
        now = self.clock()
        if what in self._held:
            before, _, since = self._held[what]
            self.takeovers.append(TakeOver(what, before, since, now))
        self._held[what] = (by, fence, now)

    def _let_go(self, what: str, fence: str) -> None:
        if what in self._held and self._held[what][1] == fence:
            del self._held[what]


@dataclass(slots=True)
class Command:
    """A command on its way: its script, or "" for what is of no interest here."""

    by: str
    at: float
    script: str = ""
    partition: str = ""
    words: tuple[str, ...] = ()
    note: Note | None = None
    rows: tuple[str, ...] = ()
    waits: bool = False


def _digest(words: Sequence[bytes]) -> str:
    """The digest of the script that is called, by it or with its text; "" for another command."""
    match words[0]:
        case b"EVALSHA":
            return words[1].decode("latin-1")
        case b"EVAL":
            return hashlib.sha1(words[1], usedforsecurity=False).hexdigest()
        case _:
            return ""


class Wire:
    """One connection: pairs answers with commands. The client tells its name first."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._commands = hiredis.Reader(notEnoughData=...)
        self._answers = hiredis.Reader(notEnoughData=..., encoding="utf-8", errors="replace")
        self._waiting: deque[Command] = deque()
        self._unsafe: list[tuple[Command, Any]] = []
        self._by = ""
        self._replica = False

    @property
    def slot(self) -> str:
        """Whose connection it is, whichever of its processes; "" while nobody said."""
        return self._by.partition("-")[0]

    def asked(self, data: bytes) -> None:
        """The client sent these bytes."""
        if self._replica:
            return
        self._commands.feed(data)
        while (words := self._commands.gets()) is not ...:
            if words[0] == b"REPLCONF":
                # What follows is no conversation.
                self._replica = True
                return
            self._waiting.append(self._command(words))

    def answered(self, data: bytes) -> None:
        """Redis sent these bytes."""
        if self._replica:
            return
        self._answers.feed(data)
        while (told := self._answers.gets()) is not ...:
            if isinstance(told, hiredis.PushNotification):
                continue
            said = self._waiting.popleft()
            if said.waits:
                self._acknowledged(told)
            elif said.script in _WAITED and self._ledger.acks:
                self._unsafe.append((said, told))
            elif said.script:
                self._ledger.answer(said, told)

    def _acknowledged(self, told: Any) -> None:
        """Replicas have what was said before, or too few have, and then nobody was told."""
        for said, answer in self._unsafe if told == 1 else ():
            self._ledger.answer(said, answer)
        self._unsafe.clear()

    def _command(self, words: Sequence[bytes]) -> Command:
        now = self._ledger.clock()
        if words[0] == b"CLIENT" and words[1] == b"SETNAME":
            self._by = words[2].decode()
        script = SCRIPTS.get(_digest(words), "")
        if words[0] == b"WAIT":
            return Command(self._by, now, waits=True)
        if not script:
            return Command(self._by, now)
        partition = words[3].decode().partition(":")[0]
        # After the keys and the clock's offset.
        first = 4 + int(words[2])
        told = tuple(word.decode() for word in words[first : first + 6])
        if script == "commit":
            rows = self._posted(words[-1], now)
            return Command(self._by, now, script, partition, told, rows=rows)
        if script != "sent":
            return Command(self._by, now, script, partition, told)
        dest, fence, row, _, outcome, value = told
        note = Note(self._by, partition, dest, fence, row, outcome, value, now)
        self._ledger.notes.append(note)
        return Command(self._by, now, script, partition, told, note)

    def _posted(self, effects: bytes, now: float) -> tuple[str, ...]:
        """The replies that a commit wants posted."""
        posts = json.loads(effects)["posts"]
        replies = {post["row"]: post["due_ms"] / 1000 for post in posts if post["kind"] == "reply"}
        for row, due_s in replies.items():
            self._ledger.posted.setdefault(row, Posted(now, due_s))
        return tuple(replies)
