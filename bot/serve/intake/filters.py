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
from engine.text.language import detect_language
from engine.time_limit import allow_seconds
from engine.understanding.router.command import parse_command

log = structlog.get_logger()
REMEMBERED = 10_000
TAPS_PER_MESSAGE = 2
"""Taps, forms and commands that are taken for each message that is."""
REPEATS_PER_MESSAGE = 8
"""Repeats that are taken for each message: Slack sends up to four, and a mention as two events."""
MINUTE_S = 60.0
QUICK_S = 1.5
"""Taps on one button within this time count as one."""
_KEEP_S = 24 * 3600.0
_WITHIN_S = 0.5
_LOOK_S = 0.05
Repeated = Callable[[Update], Awaitable[Outcome | None]]
"""The answer to a message that the store has already; None for a new one. Does not raise."""


@dataclass(frozen=True, slots=True)
class OverheardFilter:
    """Takes overheard messages only while a card waits there for a text, or edits of those taken.

    What is not for us is neither counted nor logged nor stored.
    """

    intake: Intake
    decisions: Decisions
    people: Directory
    arrivals: Arrivals

    async def __call__(self, update: Update) -> Outcome:
        """The outcome of the intake, or NotForUs."""
        message = update.to if isinstance(update, MessageEdited) else update
        if not isinstance(message, MessageReceived) or not message.overheard:
            return await self.intake(update)
        try:
            async with allow_seconds(WITHIN_S):
                if not await self._is_for_us(message, update):
                    return NotForUs()
        except (StoreUnavailable, TimeoutError) as error:
            log.warning("not_recorded", update=update.id, error=str(error) or "time limit")
            return NotRecorded("")
        message = message.model_copy(update={"overheard": False})
        if isinstance(update, MessageEdited):
            return await self.intake(update.model_copy(update={"to": message}))
        return await self.intake(message)

    async def _is_for_us(self, message: MessageReceived, update: Update) -> bool:
        if isinstance(update, MessageEdited):
            return await self.arrivals.has(f"talk:{message.conversation}", update_id=message.id)
        return await self._is_answer(message)

    async def _is_answer(self, update: MessageReceived) -> bool:
        cards = await self.decisions.open_cards(update.conversation)
        principal = self.people.principal(update.actor)
        return any(_can_answer_by_text(principal, card) for card in cards)


def _can_answer_by_text(principal: Principal, card: Card) -> bool:
    """Whether a text of this person can answer the card; reviews are decided by buttons alone."""
    return card.text_answer is not None and may_answer(card, principal)


class RepeatedAnswerFilter:
    """Marks an outcome as given `again`, for a repeated update and for a double tap.

    An answer counts as given once the platform calls `shown`; that to a stranger at once, since a
    mention comes as two events. While the store is away each answer is given. A tap waits until the
    answer to the same tap just before it is shown, and is answered itself if it never is.
    """

    def __init__(self, intake: Intake, slate: ExpiringTexts, clock: Clock) -> None:
        self._intake = intake
        self._slate = slate
        self._clock = clock

    async def __call__(self, update: Update) -> Outcome:
        """The outcome of the intake; `again` when its answer was shown before."""
        outcome = await self._intake(update)
        if not isinstance(outcome, DirectAnswer | FormWanted | FormRefused):
            return outcome
        try:
            async with allow_seconds(_WITHIN_S):
                again = await self._repeats(update, outcome)
        except (StoreUnavailable, TimeoutError):
            again = ""
        return replace(
            outcome, again=again, shown=None if again else partial(self._mark_shown, update)
        )

    async def _repeats(self, update: Update, outcome: Outcome) -> RepeatOf:
        if isinstance(outcome, DirectAnswer) and outcome.stranger:
            return "" if await self._mark_told(update) else "update"
        if await self._slate.read(f"told/{update.id}"):
            return "update"
        if not isinstance(update, CardTapped):
            return ""
        while before := await self._begin_tap(update):
            if before == "shown":
                return "tap"
            await asyncio.sleep(_LOOK_S)
        return ""

    async def _begin_tap(self, tap: CardTapped) -> Literal["", "begun", "shown"]:
        """The state of the same tap just before this one; "" for none, then this one is stored."""
        was = await self._slate.read(_tap_key(tap))
        state, _, at = was.rpartition(" ")
        if was and self._clock.now().timestamp() - float(at) < QUICK_S:
            return "begun" if state == "begun" else "shown"
        return "" if await self._mark_tap(tap, "begun", was) else "begun"

    async def _mark_tap(self, tap: CardTapped, state: Literal["begun", "shown"], was: str) -> bool:
        text = f"{state} {self._clock.now().timestamp()}"
        return await self._slate.write(_tap_key(tap), text, was=was, keep_s=2 * QUICK_S)

    async def _mark_told(self, update: Update) -> bool:
        """Whether it was not marked before."""
        return await self._slate.write(f"told/{update.id}", "1", was="", keep_s=_KEEP_S)

    async def _mark_shown(self, update: Update) -> None:
        with suppress(StoreUnavailable, TimeoutError):
            async with allow_seconds(_WITHIN_S):
                await self._mark_told(update)
                if isinstance(update, CardTapped):
                    await self._mark_tap(update, "shown", await self._slate.read(_tap_key(update)))


def _tap_key(tap: CardTapped) -> str:
    actor = tap.actor
    who = f"{actor.platform}:{actor.workspace}:{actor.user}"
    return f"tapped/{who}/{tap.message_id}/{tap.button}"


class RateLimitFilter:
    """Refuses what is over `per_minute` messages of a person, and over twice as many taps.

    A message is refused aloud once until the person may write again, in the web chat each time, and
    so is each tap, since somebody waits for its answer. Repeats have a limit of their own. Each web
    process counts by itself, and asks the store only for repeats of what it would refuse.
    """

    def __init__(
        self, intake: Intake, clock: Clock, *, per_minute: int, repeated: Repeated
    ) -> None:
        self._intake = intake
        self._repeated = repeated
        self._messages = _Allowance(per_minute, clock)
        self._taps = _Allowance(TAPS_PER_MESSAGE * per_minute, clock)
        self._repeats = _Allowance(REPEATS_PER_MESSAGE * per_minute, clock)
        self._charged: OrderedDict[str, None] = OrderedDict()

    async def __call__(self, update: Update) -> Outcome:
        """The outcome of the intake, or a refusal."""
        if update.id in self._charged and self._repeats.take(update) is None:
            return await self._intake(update)
        is_message = isinstance(update, MessageReceived) and not parse_command(update.text)
        allowance = self._messages if is_message else self._taps
        wait_s = allowance.take(update)
        if wait_s is None:
            return await self._charge(update, allowance)
        if update.id not in self._charged and self._repeats.take(update) is None:
            outcome = await self._repeated(update)
            if outcome is not None:
                return outcome
        return self._refuse(update, wait_s, allowance)

    async def _charge(self, update: Update, allowance: "_Allowance") -> Outcome:
        """The outcome of the intake; a message that the store has already is not counted."""
        self._charged[update.id] = None
        if len(self._charged) > REMEMBERED:
            self._charged.popitem(last=False)
        outcome = await self._intake(update)
        if outcome == Accepted(duplicate=True) and self._repeats.take(update) is None:
            allowance.give_back(update)
        return outcome

    def _refuse(self, update: Update, wait_s: float, allowance: "_Allowance") -> Outcome:
        is_tap = allowance is self._taps
        written = update.to if isinstance(update, MessageEdited) else update
        text = written.text if isinstance(written, MessageReceived) else ""
        # The web chat's page shows it beside the message, whose text stays there.
        is_quiet = isinstance(written, MessageReceived) and (
            is_tap or update.actor.platform != "web"
        )
        if allowance.mark_told(update) and is_quiet:
            return Accepted(duplicate=True)
        key = "intake.too_fast" if is_tap else "intake.too_many"
        told = _refusal_text(key, text, allowance.per_minute, wait_s)
        return DirectAnswer(told, ok=False, code="rate_limited", wait_s=wait_s)


@dataclass(slots=True)
class _Balance:
    """How many updates a person has left, as of a moment; `told` once one was refused."""

    left: float
    at_s: float
    told: bool = False


class _Allowance:
    """A limit per minute for each person, which they may use up at once."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._balances: OrderedDict[str, _Balance] = OrderedDict()

    def take(self, update: Update) -> float | None:
        """Count the update: None within the limit, else the seconds until one more is taken."""
        balance = self._balance(update)
        if balance.left >= 1:
            balance.left, balance.told = balance.left - 1, False
            return None
        return (1 - balance.left) * MINUTE_S / self.per_minute

    def mark_told(self, update: Update) -> bool:
        """Whether the person was told of the limit before; from now on they were."""
        balance = self._balance(update)
        before, balance.told = balance.told, True
        return before

    def give_back(self, update: Update) -> None:
        """Take the last count back."""
        balance = self._balance(update)
        balance.left = min(self.per_minute, balance.left + 1)

    def _balance(self, update: Update) -> _Balance:
        actor, now_s = update.actor, self._clock.elapsed_s()
        who = f"{actor.platform}:{actor.workspace}:{actor.user}"
        balance = self._balances.setdefault(who, _Balance(self.per_minute, now_s))
        gained = (now_s - balance.at_s) * self.per_minute / MINUTE_S
        balance.left, balance.at_s = min(self.per_minute, balance.left + gained), now_s
        self._balances.move_to_end(who)
        if len(self._balances) > REMEMBERED:
            self._balances.popitem(last=False)
        return balance


def _refusal_text(key: str, text: str, n: int, wait_s: float) -> str:
    values = {"n": n, "s": f"{wait_s:.0f}"}
    if text:
        return say(key, detect_language(text), **values)
    # Before the intake, nobody knows which language they read.
    return " ".join(say(key, each, **values) for each in COMPLETE)
