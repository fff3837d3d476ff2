"""An intake that takes only so much of one person a minute: messages, and more taps."""

from collections import OrderedDict
from dataclasses import dataclass

from cards.texts import say
from engine.events import Accepted, Answered, MessageReceived, Outcome, Update
from engine.language import detect
from engine.ports.clock import Clock
from engine.ports.platform import Intake
from engine.router.command import parse_command

REMEMBERED = 10_000
PRESSED_PER_MIN = 120
"""Taps, forms and commands: more than any person, and little enough that a program fills no log."""
MINUTE_S = 60.0


@dataclass(slots=True)
class _Spoken:
    """How many messages are left of those that a person may send at once, as of a moment."""

    left: float
    at_s: float
    told: bool = False


class Limited:
    """Refuses what is over `per_minute` messages of a person, and what is pressed too often.

    A message is refused aloud once until they may write again; whatever is pressed, each time, for
    somebody waits for its answer. Each web process counts by itself, without asking anybody.
    """

    def __init__(self, intake: Intake, clock: Clock, *, per_minute: int) -> None:
        self._intake = intake
        self._clock = clock
        self._said = _Allowance(per_minute, clock)
        self._pressed = _Allowance(PRESSED_PER_MIN, clock)

    async def __call__(self, update: Update) -> Outcome:
        """What the intake answers, or why it is not taken."""
        text = update.text if isinstance(update, MessageReceived) else ""
        if not isinstance(update, MessageReceived) or parse_command(text):
            pressed = self._pressed.taken(update)
            if pressed is None:
                return await self._intake(update)
            key, n = "intake.too_fast", PRESSED_PER_MIN
            return Answered(_told(key, text, n, pressed.seconds), ok=False)
        refused = self._said.taken(update)
        if refused is None:
            return await self._intake(update)
        if refused.told:
            return Accepted(duplicate=True)
        return Answered(
            _told("intake.too_many", text, self._said.per_minute, refused.seconds), ok=False
        )


@dataclass(frozen=True, slots=True)
class _TooMuch:
    """In how many seconds one more is taken, and whether the person heard of it before."""

    seconds: float
    told: bool


class _Allowance:
    """So many a minute of each person, all at once if they like."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._spoken: OrderedDict[str, _Spoken] = OrderedDict()

    def taken(self, update: Update) -> _TooMuch | None:
        """None when it is within, and counted."""
        spoken = self._of(update)
        if spoken.left >= 1:
            spoken.left, spoken.told = spoken.left - 1, False
            return None
        before, spoken.told = spoken.told, True
        return _TooMuch((1 - spoken.left) * MINUTE_S / self.per_minute, before)

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
    return f"{say(key, 'zh', **told)} {say(key, 'en', **told)}"
