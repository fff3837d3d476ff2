"""One person's messages over the limit are refused, told once, and nobody else notices."""

import asyncio
from datetime import UTC, date, datetime

from bot.serve.intake.filters import REPEATS_PER_MESSAGE, TAPS_PER_MESSAGE, RateLimitFilter
from engine.events import (
    Accepted,
    Actor,
    CardTapped,
    DirectAnswer,
    MessageReceived,
    NotRecorded,
    Outcome,
    Update,
)

HERE = "slack:T1:C1"


class SetClock:
    elapsed = 0.0

    def now(self) -> datetime:
        return datetime(2026, 11, 22, tzinfo=UTC)

    def today(self) -> date:
        return self.now().date()

    def elapsed_s(self) -> float:
        return self.elapsed


class Taking:
    """A store that others may have put messages into before."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.known: set[str] = set()
        self.away = False
        self.asked = 0

    async def __call__(self, update: Update) -> Outcome:
        if self.away:
            return NotRecorded("away")
        self.taken.append(update.id)
        duplicate = update.id in self.known
        self.known.add(update.id)
        return Accepted(duplicate=duplicate)

    async def repeated(self, update: Update) -> Outcome | None:
        self.asked += 1
        if self.away:
            return NotRecorded("away")
        return Accepted(duplicate=True) if update.id in self.known else None


def said(number: int, *, user: str = "U1", text: str = "hello") -> MessageReceived:
    actor = Actor(platform="slack", workspace="T1", user=user)
    return MessageReceived(id=f"{user}-{number}", conversation=HERE, actor=actor, text=text)


def limited(per_minute: int) -> tuple[RateLimitFilter, Taking, SetClock]:
    taking, clock = Taking(), SetClock()
    intake = RateLimitFilter(taking, clock, per_minute=per_minute, repeated=taking.repeated)
    return intake, taking, clock


async def test_what_is_over_the_limit_is_refused_and_told_once() -> None:
    intake, taking, _ = limited(3)
    outcomes = [await intake(said(n)) for n in range(6)]

    assert taking.taken == ["U1-0", "U1-1", "U1-2"]
    told = [outcome for outcome in outcomes if isinstance(outcome, DirectAnswer)]
    assert [answer.ok for answer in told] == [False]
    assert "3 messages a minute" in told[0].text
    assert "20 seconds" in told[0].text


async def test_after_the_time_that_was_told_messages_are_taken_and_refusals_told_again() -> None:
    intake, taking, clock = limited(3)
    for n in range(5):
        await intake(said(n))
    clock.elapsed = 20.0
    assert await intake(said(5)) == Accepted()
    assert isinstance(await intake(said(6)), DirectAnswer)
    assert taking.taken[-1] == "U1-5"


async def test_others_taps_and_commands_are_not_limited() -> None:
    intake, taking, _ = limited(1)
    actor = Actor(platform="slack", workspace="T1", user="U1")
    tap = CardTapped(id="tap", conversation=HERE, actor=actor, button="x")
    for update in (said(0), said(1), said(2, user="U2"), said(3, text="/cancel"), tap):
        await intake(update)

    assert taking.taken == ["U1-0", "U2-2", "U1-3", "tap"]


async def test_a_refusal_is_in_the_language_of_the_message() -> None:
    intake, _, _ = limited(1)
    await intake(said(0))
    outcome = await intake(said(1, text="你好"))

    assert isinstance(outcome, DirectAnswer)
    assert outcome.text.startswith("一分钟最多")


async def test_taps_of_a_program_are_refused_and_told_each_time_and_others_decide() -> None:
    intake, taking, clock = limited(60)
    actor = Actor(platform="slack", workspace="T1", user="U1")

    def tap(number: int, user: str = "U1") -> CardTapped:
        by = actor.model_copy(update={"user": user})
        return CardTapped(id=f"{user}-{number}", conversation=HERE, actor=by, button="x")

    outcomes = [await intake(tap(n)) for n in range(500)]
    assert len(taking.taken) == TAPS_PER_MESSAGE * 60
    told = [outcome for outcome in outcomes if isinstance(outcome, DirectAnswer)]
    assert len(told) == 500 - TAPS_PER_MESSAGE * 60
    assert not any(answer.ok for answer in told)
    assert "taps and commands" in told[-1].text
    # What is refused for being too much takes nothing from their messages, and from nobody else.
    assert await intake(said(900)) == Accepted()
    assert await intake(tap(1, "U2")) == Accepted()
    clock.elapsed = 1.0
    assert await intake(tap(501)) == Accepted()


async def test_repeats_of_a_message_cost_its_sender_nothing() -> None:
    intake, taking, _ = limited(2)
    outcomes = [await intake(said(0)) for _ in range(8)]
    assert [outcome == Accepted(duplicate=True) for outcome in outcomes] == [False] + [True] * 7
    assert await intake(said(1)) == Accepted()
    assert await intake(said(1)) == Accepted(duplicate=True)
    # A repeat over the limit is no refusal that was told.
    assert isinstance(await intake(said(2)), DirectAnswer)
    # Over the limit, what was taken before is still known for what it is, and not told again.
    for number in (0, 1):
        assert await intake(said(number)) == Accepted(duplicate=True)
    # So is what another process took, or this one before it was started anew.
    taking.known.add("U1-7")
    assert await intake(said(7)) == Accepted(duplicate=True)


async def test_what_another_process_has_taken_costs_nothing() -> None:
    intake, taking, _ = limited(1)
    taking.known.add("U1-0")
    assert await intake(said(0)) == Accepted(duplicate=True)
    assert await intake(said(1)) == Accepted(duplicate=False)


async def test_a_repeat_that_comes_while_the_first_is_put_is_no_message_too_many() -> None:
    taking, put = Taking(), asyncio.Event()

    async def slowly(update: Update) -> Outcome:
        await put.wait()
        return await taking(update)

    intake = RateLimitFilter(slowly, SetClock(), per_minute=1, repeated=taking.repeated)
    async with asyncio.TaskGroup() as group:
        both = [group.create_task(intake(said(0))) for _ in range(2)]
        await asyncio.sleep(0)
        put.set()
    assert [task.result() for task in both] == [Accepted(), Accepted(duplicate=True)]


async def test_what_was_not_recorded_costs_nothing_more_when_it_comes_again() -> None:
    intake, taking, _ = limited(1)
    taking.away = True
    assert isinstance(await intake(said(0)), NotRecorded)
    # Whether it is a repeat cannot be known now, and it must not be lost for that.
    assert isinstance(await intake(said(1)), NotRecorded)
    taking.away = False
    assert await intake(said(0)) == Accepted()
    assert isinstance(await intake(said(2)), DirectAnswer)


async def test_a_repeat_without_end_is_charged_in_the_end() -> None:
    intake, taking, _ = limited(2)
    for _ in range(100):
        await intake(said(0))
    assert len(taking.taken) == 1 + 2 * REPEATS_PER_MESSAGE + 1


async def test_somebody_who_repeats_without_end_is_limited_all_the_same() -> None:
    intake, taking, clock = limited(1)
    for _ in range(100):
        await intake(said(0))
    assert (len(taking.taken), taking.asked) == (1 + REPEATS_PER_MESSAGE, 0)
    for number in range(2, 100):
        await intake(said(number))
    assert (len(taking.taken), taking.asked) == (1 + REPEATS_PER_MESSAGE, 0)
    clock.elapsed = 60.0
    assert await intake(said(1)) == Accepted()
