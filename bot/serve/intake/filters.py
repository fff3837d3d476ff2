"""What stands before the intake: overheard talk, repeated answers and rate limits, a class each."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import structlog

from bot.people.directory import Directory
from bot.serve.intake.intake import WITHIN_S
from cards.deciding.seats import may_answer
from cards.model import Card, Principal
from cards.texts import COMPLETE, say
from engine.errors import StoreUnavailable
from engine.events import (
    Accepted,
    CardTapped,
    DirectAnswer,
    FormRefused,
    FormWanted,
    MessageEdited,
    MessageReceived,
    NotForUs,
    NotRecorded,
    Outcome,
    RepeatOf,
    Update,
)
from engine.ports.clock import Clock
from engine.ports.platform import Intake
from engine.ports.storage.arrivals import Arrivals
from engine.ports.storage.platform_texts import ExpiringTexts
from engine.ports.storage.store import Decisions
from engine.text.language import detect
from engine.understanding.router.command import parse_command

log = structlog.get_logger()
REMEMBERED = 10_000
PRESSED = 2
"""So many taps, forms and commands for each message: a program that presses on fills no log."""
REPEATED = 8
"""So many repeats for each message: Slack brings each up to four times, a mention as two events."""
MINUTE_S = 60.0
QUICK_S = 1.5
"""Who taps the same button again within this time meant one tap."""
_KEEP_S = 24 * 3600.0
_WITHIN_S = 0.5
_LOOK_S = 0.05
Repeated = Callable[[Update], Awaitable[Outcome | None]]
"""What a message is answered that the store has already; None for a new one. Does not raise."""


@dataclass(frozen=True, slots=True)
class OverheardFilter:
    """Nothing of what is not for us is counted, logged or stored, whoever wrote or edited it."""

    intake: Intake
    decisions: Decisions
    people: Directory
    arrivals: Arrivals

    async def __call__(self, update: Update) -> Outcome:
        """What the intake answers, or NotForUs."""
        said = update.to if isinstance(update, MessageEdited) else update
        if not isinstance(said, MessageReceived) or not said.overheard:
            return await self.intake(update)
        try:
            async with asyncio.timeout(WITHIN_S):
                if not await self._is_for_us(said, update):
                    return NotForUs()
        except (StoreUnavailable, TimeoutError) as error:
            log.warning("not_recorded", update=update.id, error=str(error) or "time limit")
            return NotRecorded("")
        said = said.model_copy(update={"overheard": False})
        if isinstance(update, MessageEdited):
            return await self.intake(update.model_copy(update={"to": said}))
        return await self.intake(said)

    async def _is_for_us(self, said: MessageReceived, update: Update) -> bool:
        if isinstance(update, MessageEdited):
            return await self.arrivals.has(f"talk:{said.conversation}", update_id=said.id)
        return await self._is_awaited(said)

    async def _is_awaited(self, update: MessageReceived) -> bool:
        cards = await self.decisions.open_cards(update.conversation)
        principal = self.people.principal(update.actor)
        return any(_takes_text_of(principal, card) for card in cards)


def _takes_text_of(principal: Principal, card: Card) -> bool:
    """Whether a text of theirs can answer the card: a review is decided by its buttons alone."""
    return card.traits.text is not None and may_answer(card, principal)


class RepeatedAnswerFilter:
    """An intake that marks an answer as given `again`: for a repeated update, and a double tap.

    What counts is decided before. An answer is given each time until somebody notes that it was
    shown, lest one be told nothing; that to a stranger once, since a mention comes as two events.
    So is every answer while the store cannot say, and one that was not recorded. A tap waits for
    the answer to the same one just before it to be shown, and is answered where it is not.
    """

    def __init__(self, intake: Intake, slate: ExpiringTexts, clock: Clock) -> None:
        self._intake = intake
        self._slate = slate
        self._clock = clock

    async def __call__(self, update: Update) -> Outcome:
        """What the intake answers; `again` when the person has been shown an answer to this."""
        outcome = await self._intake(update)
        if not isinstance(outcome, DirectAnswer | FormWanted | FormRefused):
            return outcome
        try:
            async with asyncio.timeout(_WITHIN_S):
                again = await self._again(update, outcome)
        except (StoreUnavailable, TimeoutError):
            again = ""
        return replace(outcome, again=again, shown=None if again else partial(self._shown, update))

    async def _again(self, update: Update, outcome: Outcome) -> RepeatOf:
        if isinstance(outcome, DirectAnswer) and outcome.stranger:
            return "" if await self._note(update) else "update"
        if await self._slate.read(f"told/{update.id}"):
            return "update"
        if not isinstance(update, CardTapped):
            return ""
        while was := await self._just_before(update):
            if was == "shown":
                return "tap"
            await asyncio.sleep(_LOOK_S)
        return ""

    async def _just_before(self, tap: CardTapped) -> Literal["", "begun", "shown"]:
        """What became of a quick tap before this one; "" for none, and then this one has begun."""
        was = await self._slate.read(_tap_key(tap))
        state, _, at = was.rpartition(" ")
        if was and self._clock.now().timestamp() - float(at) < QUICK_S:
            return "begun" if state == "begun" else "shown"
        return "" if await self._mark(tap, "begun", was) else "begun"

    async def _mark(self, tap: CardTapped, state: Literal["begun", "shown"], was: str) -> bool:
        text = f"{state} {self._clock.now().timestamp()}"
        return await self._slate.write(_tap_key(tap), text, was=was, keep_s=2 * QUICK_S)

    async def _note(self, update: Update) -> bool:
        """Whether it was not noted before."""
        return await self._slate.write(f"told/{update.id}", "1", was="", keep_s=_KEEP_S)

    async def _shown(self, update: Update) -> None:
        with suppress(StoreUnavailable, TimeoutError):
            async with asyncio.timeout(_WITHIN_S):
                await self._note(update)
                if isinstance(update, CardTapped):
                    await self._mark(update, "shown", await self._slate.read(_tap_key(update)))


def _tap_key(tap: CardTapped) -> str:
    actor = tap.actor
    who = f"{actor.platform}:{actor.workspace}:{actor.user}"
    return f"tapped/{who}/{tap.message_id}/{tap.button}"


class RateLimitFilter:
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
        return DirectAnswer(_told(key, text, allowance.per_minute, wait_s), ok=False)


@dataclass(slots=True)
class _Spoken:
    """How many messages are left of those that a person may send at once, as of a moment."""

    left: float
    at_s: float
    told: bool = False


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
