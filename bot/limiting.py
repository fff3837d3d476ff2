"""An intake that takes only so many messages of one person a minute; taps and commands always."""

from collections import OrderedDict
from dataclasses import dataclass

from cards.texts import say
from engine.events import Accepted, Answered, MessageReceived, Outcome, Update
from engine.language import detect
from engine.ports.clock import Clock
from engine.ports.platform import Intake
from engine.router.command import parse_command

REMEMBERED = 10_000
MINUTE_S = 60.0


@dataclass(slots=True)
class _Spoken:
    """How many messages are left of those that a person may send at once, as of a moment."""

    left: float
    at_s: float
    told: bool = False


class Limited:
    """Refuses what is over `per_minute` of a person, and says so once until they may write again
    (in the web chat each time).

    Each web process counts by itself, without asking anybody.
    """

    def __init__(self, intake: Intake, clock: Clock, *, per_minute: int) -> None:
        self._intake = intake
        self._clock = clock
        self._per_minute = per_minute
        self._spoken: OrderedDict[str, _Spoken] = OrderedDict()

    async def __call__(self, update: Update) -> Outcome:
        """What the intake answers, or why the message is not taken."""
        if not isinstance(update, MessageReceived) or parse_command(update.text):
            return await self._intake(update)
        spoken = self._of(update)
        if spoken.left >= 1:
            spoken.left, spoken.told = spoken.left - 1, False
            return await self._intake(update)
        # The web chat's page tells it where the message is written, and keeps what is in there.
        if spoken.told and update.actor.platform != "web":
            return Accepted(duplicate=True)
        spoken.told = True
        wait_s = (1 - spoken.left) * MINUTE_S / self._per_minute
        text = say("intake.too_many", detect(update.text), n=self._per_minute, s=f"{wait_s:.0f}")
        return Answered(text, ok=False)

    def _of(self, update: MessageReceived) -> _Spoken:
        actor, now_s = update.actor, self._clock.elapsed_s()
        who = f"{actor.platform}:{actor.workspace}:{actor.user}"
        spoken = self._spoken.setdefault(who, _Spoken(self._per_minute, now_s))
        gained = (now_s - spoken.at_s) * self._per_minute / MINUTE_S
        spoken.left, spoken.at_s = min(self._per_minute, spoken.left + gained), now_s
        self._spoken.move_to_end(who)
        if len(self._spoken) > REMEMBERED:
            self._spoken.popitem(last=False)
        return spoken
