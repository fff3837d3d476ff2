"""The breaker alone: what counts and when."""

from adapters.breaker import FAILURES, Breaker, Permit
from engine.ports.storage.model_numbers import BreakerState
from tests.adapters.openai.conftest import Clock


def entered(breaker: Breaker) -> Permit:
    permit = breaker.acquire()
    assert permit is not None
    return permit


def opened(clock: Clock) -> Breaker:
    breaker = Breaker(clock)
    for _ in range(FAILURES):
        breaker.record_failure(entered(breaker))
    return breaker


def test_only_failures_in_a_row_count(clock: Clock) -> None:
    breaker = Breaker(clock)
    for _ in range(3):
        for _ in range(FAILURES - 1):
            breaker.record_failure(entered(breaker))
        breaker.record_success(entered(breaker))
    assert breaker.admits()
    assert not opened(clock).admits()


def test_what_comes_back_late_changes_nothing(clock: Clock) -> None:
    changes: list[BreakerState] = []
    breaker = Breaker(clock, changes.append)
    late = [entered(breaker) for _ in range(FAILURES + 2)]
    for permit in late[:FAILURES]:
        breaker.record_failure(permit)
    clock.now += 29
    breaker.record_failure(late[-1])
    breaker.record_success(late[-2])
    assert not breaker.admits()
    clock.now += 1
    trial = entered(breaker)
    breaker.record_success(late[-2])
    assert breaker.acquire() is None
    breaker.record_success(trial)
    assert changes == ["open", "half_open", "closed"]


def test_after_a_trial_five_failures_are_needed_again(clock: Clock) -> None:
    breaker = opened(clock)
    clock.now += 30
    breaker.record_success(entered(breaker))
    for _ in range(FAILURES - 1):
        breaker.record_failure(entered(breaker))
    assert breaker.admits()


def test_one_trial_at_a_time_and_one_failure_of_it_is_enough(clock: Clock) -> None:
    breaker = opened(clock)
    clock.now += 30
    trial = entered(breaker)
    assert (trial.trial, breaker.acquire()) == (True, None)
    breaker.release(trial)
    again = entered(breaker)
    breaker.record_failure(again)
    breaker.release(again)
    assert not breaker.admits()


def test_a_rest_opens_at_once_and_holds_as_long_as_was_asked(clock: Clock) -> None:
    breaker = Breaker(clock)
    breaker.record_failure(entered(breaker), rest_s=100)
    clock.now += 99
    assert not breaker.admits()
    clock.now += 1
    assert breaker.admits()
