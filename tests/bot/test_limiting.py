"""One person's messages over the limit are refused, told once, and nobody else notices."""

from datetime import UTC, date, datetime

from bot.limiting import PRESSED_PER_MIN, Limited
from engine.events import (
    Accepted,
    Actor,
    Answered,
    CardTapped,
    MessageReceived,
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
    def __init__(self) -> None:
        self.taken: list[str] = []

    async def __call__(self, update: Update) -> Outcome:
        self.taken.append(update.id)
        return Accepted()


def said(number: int, *, user: str = "U1", text: str = "hello") -> MessageReceived:
    actor = Actor(platform="slack", workspace="T1", user=user)
    return MessageReceived(id=f"{user}-{number}", conversation=HERE, actor=actor, text=text)


def limited(per_minute: int) -> tuple[Limited, Taking, SetClock]:
    taking, clock = Taking(), SetClock()
    return Limited(taking, clock, per_minute=per_minute), taking, clock


async def test_what_is_over_the_limit_is_refused_and_told_once() -> None:
    intake, taking, _ = limited(3)
    outcomes = [await intake(said(n)) for n in range(6)]

    assert taking.taken == ["U1-0", "U1-1", "U1-2"]
    told = [outcome for outcome in outcomes if isinstance(outcome, Answered)]
    assert [answer.ok for answer in told] == [False]
    assert "3 messages a minute" in told[0].text
    assert "20 seconds" in told[0].text


async def test_after_the_time_that_was_told_messages_are_taken_and_refusals_told_again() -> None:
    intake, taking, clock = limited(3)
    for n in range(5):
        await intake(said(n))
    clock.elapsed = 20.0
    assert await intake(said(5)) == Accepted()
    assert isinstance(await intake(said(6)), Answered)
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

    assert isinstance(outcome, Answered)
    assert outcome.text.startswith("一分钟最多")


async def test_taps_of_a_program_are_refused_and_told_each_time_and_others_decide() -> None:
    intake, taking, clock = limited(1)
    actor = Actor(platform="slack", workspace="T1", user="U1")

    def tap(number: int, user: str = "U1") -> CardTapped:
        by = actor.model_copy(update={"user": user})
        return CardTapped(id=f"{user}-{number}", conversation=HERE, actor=by, button="x")

    outcomes = [await intake(tap(n)) for n in range(500)]
    assert len(taking.taken) == PRESSED_PER_MIN
    told = [outcome for outcome in outcomes if isinstance(outcome, Answered)]
    assert len(told) == 500 - PRESSED_PER_MIN
    assert not any(answer.ok for answer in told)
    assert "taps and commands" in told[-1].text
    # What is refused for being too much takes nothing from their messages, and from nobody else.
    assert await intake(said(900)) == Accepted()
    assert await intake(tap(1, "U2")) == Accepted()
    clock.elapsed = 1.0
    assert await intake(tap(501)) == Accepted()
