"""The store: what one commit writes, lanes with one writer at a time, cards with one decision.

Bodies (mail, sessions, runs, parts) are opaque JSON texts to the store. Everything that one call
writes lies in the partition of its lane or card and lands in one script, or not at all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from operator import attrgetter
from typing import Literal, Protocol

from cards.model import Card
from engine.ports.storage.arrivals import Arrival

RowKind = Literal["reply", "card", "note", "sync", "check", "cards", "ping", "letter"]
AfterCommit = Literal["keep", "release", "park"]


@dataclass(frozen=True, slots=True)
class CardWrite:
    """A card's next stored state; refused as stale unless `expect` is the stored version.

    `expect` 0 opens a new card.
    """

    card: Card
    expect: int = 0


@dataclass(frozen=True, slots=True)
class RunWrite:
    """A run's next stored state; `ended` is its terminal status, "" while it lives, `end` how.

    `reply` is the id of the reply that shows it; `steps` counts its steps. What runs are listed by:
    `status`, `playbook`, `who` asked for it (id and name), and the `parent` run; it is among the
    runs of each of its `owners` (ids).
    """

    id: str
    conversation: str
    reply: str
    body: str
    steps: int = 0
    ended: str = ""
    status: str = ""
    playbook: str = ""
    who: str = ""
    parent: str = ""
    end: str = ""
    owners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplyWrite:
    """A new reply: `head` and `parts` are JSON."""

    id: str
    head: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartWrite:
    """The next state of part `index` (from 0) of a reply; ignored when the reply is gone."""

    reply: str
    index: int
    body: str


@dataclass(frozen=True, slots=True)
class Timer:
    """Mail for `lane` at a moment; `at` None takes the timer of that `id` away."""

    lane: str
    id: str
    at: datetime | None
    mail: str = ""


@dataclass(frozen=True, slots=True)
class Post:
    """A platform message to keep up to date: row `row` at `conversation` shows `kind` `ref`.

    It is first due after `due_s` seconds; `body` is JSON: a note's view, a sync's change, what a
    step checked, which cards are to be shown again, a ping's number, or mail for another lane.
    """

    row: str
    conversation: str
    kind: RowKind
    ref: str
    due_s: float = 0.0
    body: str = ""


@dataclass(frozen=True, slots=True)
class Refresh:
    """Show everything that shows `ref` (a reply id or card token) again in `due_s` seconds."""

    ref: str
    due_s: float = 0.0


@dataclass(frozen=True, slots=True)
class TappedMessage:
    """A message at `conversation` in which the card was tapped.

    One that no row knows, as its id was lost when it was posted, is kept up to date from now on. It
    is shown again in `due_s` seconds, or as soon as the card changes.
    """

    card: str
    conversation: str
    message_id: str
    due_s: float = 0.0


@dataclass(frozen=True, slots=True)
class AsideWrite:
    """Mail that could not be handled, kept with the reason until an operator retries it."""

    lane: str
    mail: str
    why: str


@dataclass(frozen=True, slots=True)
class TraceWrite:
    """How something was decided, as JSON, kept for operators for `keep_s` seconds."""

    id: str
    body: str
    keep_s: float


@dataclass(frozen=True, slots=True)
class Effects:
    """Everything that handling one mail writes, in one commit.

    The session is kept for `session_keep_s` seconds after its last change, 0 for as long as one of
    a conversation. `slots` put a card inside a reply's message: (reply id, card token). `cancels`
    are runs that end now as cancelled: (run id, steps it had when read, or -1 for wherever it is).
    `aside` is mail for an operator to look at. `log` adds audit entries: (run id, JSON).
    """

    session: str | None = None
    session_keep_s: float = 0.0
    reply: ReplyWrite | None = None
    parts: tuple[PartWrite, ...] = ()
    runs: tuple[RunWrite, ...] = ()
    cards: tuple[CardWrite, ...] = ()
    mails: tuple[tuple[str, str], ...] = ()
    timers: tuple[Timer, ...] = ()
    slots: tuple[tuple[str, str], ...] = ()
    posts: tuple[Post, ...] = ()
    touches: tuple[Refresh, ...] = ()
    log: tuple[tuple[str, str], ...] = ()
    cancels: tuple[tuple[str, int], ...] = ()
    aside: tuple[AsideWrite, ...] = ()
    traces: tuple[TraceWrite, ...] = ()
    seen: tuple[TappedMessage, ...] = ()

    def plus(self, other: "Effects") -> "Effects":
        """Both together, these first; the session and reply of the other one, where it has them."""
        # Most steps of a turn bring nothing about.
        if other is NOTHING or other == NOTHING:
            return self
        if self == NOTHING:
            return other
        lists = (a + b for a, b in zip(_lists_of(self), _lists_of(other), strict=True))
        session = self.session if other.session is None else other.session
        keep_s = self.session_keep_s if other.session is None else other.session_keep_s
        return Effects(session, keep_s, other.reply or self.reply, *lists)

    @property
    def shows_in_s(self) -> float | None:
        """In how many seconds a platform message may change by them; None for none of them.

        What was checked is kept with what is shown next: nobody waits for it.
        """
        ends = any(run.ended for run in self.runs)
        if self.cards or self.cancels or self.seen or ends:
            return 0.0
        posted_s = (post.due_s for post in self.posts if post.kind != "check")
        return min([*posted_s, *(touch.due_s for touch in self.touches)], default=None)


NOTHING = Effects()
# All its fields but for the session, for how long that is kept, and the reply.
_lists_of = attrgetter(*(each.name for each in fields(Effects)[3:]))


@dataclass(frozen=True, slots=True)
class Claim:
    """A leased lane with its oldest mail; `state` is its session's or run's body, "" when new.

    `ended` is a run's terminal status. `attempts` counts takings of this mail, from 1. `cards` is
    how many cards are open in the lane's conversation, `runs` how many go on in that of a talk or
    control lane.
    `follows` when its holder itself committed the mail before, so that nothing was begun since.
    `now` is the store's own clock at that moment.
    """

    lane: str
    fence: int
    commits: int
    attempts: int
    mail: str
    state: str
    ended: str = ""
    cards: int = 0
    runs: int = 0
    follows: bool = False
    now: datetime | None = field(default=None, compare=False)

    @property
    def kind(self) -> str:
        """What kind of lane it is: talk, run or control."""
        return self.lane.partition(":")[0]


@dataclass(frozen=True, slots=True)
class LaneCapacity:
    """For how many lanes there are places: for any kind, and besides for runs and for commands."""

    shared: int
    run: int = 0
    control: int = 0

    @property
    def total(self) -> int:
        """The places for all kinds."""
        return self.shared + self.run + self.control

    def without(self, kind: str) -> "LaneCapacity":
        """The places left by one more lane of that kind; it takes a place of its own kind first."""
        if kind == "run" and self.run > 0:
            return replace(self, run=self.run - 1)
        if kind == "control" and self.control > 0:
            return replace(self, control=self.control - 1)
        return replace(self, shared=self.shared - 1)


@dataclass(frozen=True, slots=True)
class LeasedLanes:
    """Lanes leased now, and the seconds until the next known thing is due."""

    claims: tuple[Claim, ...]
    next_s: float


@dataclass(frozen=True, slots=True)
class LaneBounds:
    """How much mail a lane takes, and how old its oldest mail may be."""

    length: int = 1000
    age_s: float = 900.0


class Mailbox(Protocol):
    """Lanes: mail handled strictly in order by one holder at a time. Raises StoreUnavailable."""

    async def put(self, lane: str, mail: str, *, update_id: str, arrival: Arrival = ...) -> bool:
        """Append mail durably; False when the update was put before (its lane is woken again).

        With `arrival`, the message in it can be edited while it waits (`Arrivals`).
        Raises Overloaded when the lane's mail is as long or as old as the bounds allow.
        """
        ...

    async def take(self, limit: int, *, run: int = 0, control: int = 0) -> LeasedLanes:
        """Lease up to `limit` lanes that have mail, and up to so many runs and commands besides.

        `next_s` is of the kinds for which there was a place.
        """
        ...

    async def renew(self, claim: Claim) -> None:
        """Keep the lease; raises LeaseLost when another holds the lane."""
        ...

    async def commit(
        self,
        claim: Claim,
        effects: Effects,
        *,
        pop: bool,
        front: str = "",
        after: AfterCommit = "keep",
        on_sent: Callable[[], None] = lambda: None,
    ) -> Claim | None:
        """Apply all effects, or none, and return the lane's next mail if it is kept and has one.

        `pop` takes the handled mail away; `front` puts mail before all other. `after` a commit the
        lane is kept, released for others, or parked: not taken again until new mail comes. A run
        whose lane is parked is kept as blocked. `on_sent` is called once whatever is taken next
        comes behind the commit, which may not have been answered by then, and once more where it
        came before it after all. Raises LeaseLost, or StaleWrite when a card or run changed
        meanwhile.
        """
        ...

    async def release(self, claim: Claim, *, retry_in_s: float, counts: bool) -> None:
        """Give the lane back unhandled; it may be taken again after `retry_in_s`.

        `counts` when this was an attempt at the mail, and not a mere hindrance.
        """
        ...

    async def wait(self, timeout_s: float) -> bool:
        """Return when the doorbell rings, or after `timeout_s`; only a hint.

        True when there may be something to show, and not only mail.
        """
        ...


@dataclass(frozen=True, slots=True)
class CardNow:
    """A card as stored, and the server's time."""

    card: Card
    now: datetime


class Decisions(Protocol):
    """Cards: at most one decision each. Raises StoreUnavailable."""

    async def card(self, token: str) -> CardNow | None:
        """The card, or None for a token that is not known; raises NewerState."""
        ...

    async def open_cards(self, conversation: str) -> Sequence[Card]:
        """The open cards of a conversation's runs, oldest first."""
        ...

    async def decide(self, token: str, *, update_id: str, answer: str, effects: Effects) -> str:
        """Record an answer under the update's id, with its effects; returns the answer that holds.

        A repeat of the update gives the first answer and changes nothing. Raises StaleWrite when
        the card is not as it was read, its deadline passed, or its run ended: read again.
        """
        ...

    async def run(self, run_id: str) -> tuple[str, str] | None:
        """A run's body and terminal status ("" while it lives)."""
        ...

    async def active_runs(self, conversation: str) -> Sequence[tuple[str, str]]:
        """Id and body of each run of a conversation that has not ended."""
        ...

    async def reply(self, reply_id: str) -> tuple[str, tuple[str, ...]] | None:
        """A reply's head and parts."""
        ...
