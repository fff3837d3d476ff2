"""An intake that takes only so much of one person a minute: messages, and more taps."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from cards.texts import COMPLETE, say
from engine.events import (
    Accepted,
    Answered,
    MessageEdited,
    MessageReceived,
    Outcome,
    Update,
)
from engine.ports.clock import Clock
from engine.ports.platform import Intake
from engine.text.language import detect
from engine.understanding.router.command import parse_command

REMEMBERED = 10_000
PRESSED = 2
"""So many taps, forms and commands for each message: a program that presses on fills no log."""
REPEATED = 8
"""So many repeats for each message: Slack brings each up to four times, a mention as two events."""
MINUTE_S = 60.0

Repeated = Callable[[Update], Awaitable[Outcome | None]]
"""What a message is answered that the store has already; None for a new one. Does not raise."""


@dataclass(slots=True)
class _Spoken:
    """How many messages are left of those that a person may send at once, as of a moment."""

    left: float
    at_s: float
    told: bool = False


class Limited:
    """Refuses what is over `per_minute` messages of a person, and twice as many taps and the like.

    A message is refused aloud once until they may write again, in the web chat each time; and so is
    whatever is pressed, for somebody waits for its answer. Repeats of what was taken cost nothing,
    up to a limit of their own. Each web process counts by itself, and asks the store only whether
    what it would refuse is such a repeat.
    """

    def __init__(
        self, intake: Intake, clock: Clock, *, per_minute: int, repeated: Repeated
    ) -> None:
        self._intake = intake
        self._repeated = repeated
        self._said = _Allowance(per_minute, clock)
        self._pressed = _Allowance(PRESSED * per_minute, clock)
        self._repeats = _Allowance(REPEATED * per_minute, clock)
        self._charged: OrderedDict[str, None] = OrderedDict()

    async def __call__(self, update: Update) -> Outcome:
        """What the intake answers, or why it is not taken."""
        if update.id in self._charged and self._repeats.taken(update) is None:
            return await self._intake(update)
        said = isinstance(update, MessageReceived) and not parse_command(update.text)
        allowance = self._said if said else self._pressed
        wait_s = allowance.taken(update)
        if wait_s is None:
            return await self._charge(update, allowance)
        if update.id not in self._charged and self._repeats.taken(update) is None:
            outcome = await self._repeated(update)
            if outcome is not None:
                return outcome
        return self._refuse(update, wait_s, allowance)

    async def _charge(self, update: Update, allowance: "_Allowance") -> Outcome:
        """What the intake answers; a message that the store had already costs nothing."""
        self._charged[update.id] = None
        if len(self._charged) > REMEMBERED:
            self._charged.popitem(last=False)
        outcome = await self._intake(update)
        if outcome == Accepted(duplicate=True) and self._repeats.taken(update) is None:
            allowance.give_back(update)
        return outcome

    def _refuse(self, update: Update, wait_s: float, allowance: "_Allowance") -> Outcome:
        pressed = allowance is self._pressed
        written = update.to if isinstance(update, MessageEdited) else update
        text = written.text if isinstance(written, MessageReceived) else ""
        # The web chat's page tells it where the message is written, and keeps what is in there.
        quiet = isinstance(written, MessageReceived) and (pressed or update.actor.platform != "web")
        if allowance.tell(update) and quiet:
            return Accepted(duplicate=True)
        key = "intake.too_fast" if pressed else "intake.too_many"
        return Answered(_told(key, text, allowance.per_minute, wait_s), ok=False)


class _Allowance:
    """So many a minute of each person, all at once if they like."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._spoken: OrderedDict[str, _Spoken] = OrderedDict()

    def taken(self, update: Update) -> float | None:
        """None when it is within, and counted; else in how many seconds one more is taken."""
        spoken = self._of(update)
        if spoken.left >= 1:
            spoken.left, spoken.told = spoken.left - 1, False
            return None
        return (1 - spoken.left) * MINUTE_S / self.per_minute

    def tell(self, update: Update) -> bool:
        """Whether the person has been told already that it is too much; from now on they have."""
        spoken = self._of(update)
        before, spoken.told = spoken.told, True
        return before

    def give_back(self, update: Update) -> None:
        """Count the last one no more."""
        spoken = self._of(update)
        spoken.left = min(self.per_minute, spoken.left + 1)

    def _of(self, update: Update) -> _Spoken:
        actor, now_s = update.actor, self._clock.elapsed_s()
        who = f"{actor.platform}:{actor.workspace}:{actor.user}"
        spoken = self._spoken.setdefault(who, _Spoken(self.per_minute, now_s))
        gained = (now_s - spoken.at_s) * self.per_minute / MINUTE_S
        spoken.left, spoken.at_s = min(self.per_minute, spoken.left + gained), now_s
        self._spoken.move_to_end(who)
        if len(self._spoken) > REMEMBERED:
            self._spoken.popitem(last=False)
        return spoken


def _told(key: str, text: str, n: int, wait_s: float) -> str:
    told = {"n": n, "s": f"{wait_s:.0f}"}
    if text:
        return say(key, detect(text), **told)
    # Who taps is not known yet, and nor is what they read.
    return " ".join(say(key, each, **told) for each in COMPLETE)
