"""What somebody is told of an update is marked as told before when it comes again."""

import asyncio
from datetime import UTC, date, datetime

import pytest
from redis.asyncio import Redis

from adapters.redis.repositories.platform_texts import RedisExpiringTexts
from adapters.redis.scripts import Scripts
from bot.serve.intake import filters
from bot.serve.intake.filters import QUICK_S, RepeatedAnswerFilter
from cards.showing.view import FormView
from engine.errors import StoreUnavailable
from engine.events import (
    Accepted,
    Actor,
    CardTapped,
    DirectAnswer,
    FormRefused,
    FormSubmitted,
    FormWanted,
    MessageReceived,
    NotRecorded,
    Outcome,
    Update,
    note_shown,
)

FORM = FormView(data="b", lang="en", title="t", submit="s", cancel="c", fields=())
ANSWERS = (DirectAnswer("Approved.", ok=True), DirectAnswer("Not you.", ok=False), FormWanted(FORM))


class SetClock:
    def __init__(self) -> None:
        self.at = 1_000.0

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.at, UTC)

    def today(self) -> date:
        return self.now().date()

    def elapsed_s(self) -> float:
        return self.at


class Answering:
    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    async def __call__(self, update: Update) -> Outcome:
        return self.outcome


class AwaySlate:
    async def read(self, name: str) -> str:
        raise StoreUnavailable("away")

    async def write(self, name: str, text: str, *, was: str, keep_s: float) -> bool:
        raise StoreUnavailable("away")


def tap(number: int, *, user: str = "U1", button: str = "approve") -> CardTapped:
    actor = Actor(platform="slack", workspace="T1", user=user)
    return CardTapped(id=f"tap-{number}", conversation="slack:T1:C1", actor=actor, button=button)


@pytest.mark.parametrize("answer", ANSWERS)
async def test_a_tap_that_comes_again_is_answered_once(redis: Redis, answer: Outcome) -> None:
    clock = SetClock()
    # Two processes: the repeat may come to another one, and late.
    intakes = [
        RepeatedAnswerFilter(Answering(answer), RedisExpiringTexts(Scripts(redis)), clock)
        for _ in range(2)
    ]
    for _ in range(2):
        # Whoever was to show it went away before it did.
        first = await intakes[0](tap(1))
        assert first == answer
    await note_shown(first)
    clock.at += 300
    repeated = await intakes[1](tap(1))
    assert isinstance(repeated, DirectAnswer | FormWanted)
    assert repeated.again == "update"


@pytest.mark.parametrize("answer", ANSWERS)
async def test_a_double_tap_is_answered_once_and_a_later_one_anew(
    redis: Redis, answer: Outcome
) -> None:
    clock = SetClock()
    intake = RepeatedAnswerFilter(Answering(answer), RedisExpiringTexts(Scripts(redis)), clock)
    # Of a tap before it nothing was shown: whoever was to show it went away.
    await intake(tap(0))
    first = await intake(tap(1))
    await note_shown(first)
    clock.at += QUICK_S - 0.1
    assert [first, await intake(tap(2))] == [answer, replaced(answer)]
    # Others, and another button, are not meant by it.
    assert await intake(tap(3, user="U2")) == answer
    assert await intake(tap(4, button="reject")) == answer
    clock.at += QUICK_S
    assert await intake(tap(5)) == answer


async def test_of_two_taps_at_once_one_is_answered(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "_WITHIN_S", 60)

    async def tap_at(process: RepeatedAnswerFilter, number: int) -> Outcome:
        outcome = await process(tap(number))
        await note_shown(outcome)
        return outcome

    for answer in ANSWERS:
        await redis.flushall()
        # Two processes, as behind a balancer.
        intakes = [
            RepeatedAnswerFilter(Answering(answer), RedisExpiringTexts(Scripts(redis)), SetClock())
            for _ in range(2)
        ]
        told = await asyncio.gather(*(tap_at(each, n) for n, each in enumerate(intakes)))
        assert sorted(getattr(each, "again", "") for each in told) == ["", "tap"]


async def test_a_message_and_a_form_are_answered_once_whatever_else_is_written(
    redis: Redis,
) -> None:
    actor = Actor(platform="telegram", workspace="9", user="1")
    said = {"conversation": "telegram:9:1", "actor": actor}
    told = RepeatedAnswerFilter(
        Answering(DirectAnswer("Who are you?", ok=False)),
        RedisExpiringTexts(Scripts(redis)),
        SetClock(),
    )
    sent = RepeatedAnswerFilter(
        Answering(FormRefused({"a": "No."})), RedisExpiringTexts(Scripts(redis)), SetClock()
    )
    for number in (1, 2):
        message = MessageReceived(id=f"m{number}", text="hello", **said)
        form = FormSubmitted(id=f"f{number}", button="b", values={"a": "1"}, **said)
        for intake, update in ((told, message), (sent, form)):
            first = await intake(update)
            await note_shown(first)
            outcomes = [first, await intake(update), await intake(update)]
            assert [getattr(each, "again", None) for each in outcomes] == ["", "update", "update"]


async def test_a_stranger_is_told_once_though_two_events_of_a_mention_come_together(
    redis: Redis,
) -> None:
    stranger = DirectAnswer("Who are you?", ok=False, stranger=True)
    intakes = [
        RepeatedAnswerFilter(Answering(stranger), RedisExpiringTexts(Scripts(redis)), SetClock())
        for _ in range(2)
    ]
    outcomes = await asyncio.gather(*(intake(tap(1)) for intake in intakes))
    assert sorted(getattr(each, "again", "") for each in outcomes) == ["", "update"]


@pytest.mark.parametrize("outcome", [Accepted(), NotRecorded("Tap again.")])
async def test_what_was_not_recorded_is_said_each_time_and_leaves_the_next_tap_its_answer(
    redis: Redis, outcome: Outcome
) -> None:
    answering = Answering(outcome)
    intake = RepeatedAnswerFilter(answering, RedisExpiringTexts(Scripts(redis)), SetClock())
    assert [await intake(tap(1)), await intake(tap(1))] == [outcome, outcome]
    answering.outcome = ANSWERS[0]
    assert await intake(tap(2)) == ANSWERS[0]


async def test_while_the_store_is_away_nobody_goes_without_an_answer() -> None:
    intake = RepeatedAnswerFilter(Answering(ANSWERS[0]), AwaySlate(), SetClock())
    assert [await intake(tap(1)), await intake(tap(1))] == [ANSWERS[0]] * 2


def replaced(answer: Outcome) -> Outcome:
    if isinstance(answer, DirectAnswer):
        return DirectAnswer(answer.text, answer.ok, again="tap")
    return FormWanted(FORM, again="tap")
