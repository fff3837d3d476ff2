"""Scenarios of runs-and-reviews in which several taps, or time and a tap, meet."""

import asyncio
from datetime import timedelta

import pytest

from cards.model import Card
from engine.errors import StaleWrite
from engine.ports.storage.store import CardWrite, Effects
from tests.fakes.review_desk import Desk, answered, results

REPETITIONS = 100
"""The bench does a thousand (`make bench ARGS="--only reviews"`)."""


async def test_a1_two_reviewers_at_the_same_instant_one_wins_and_the_other_is_told_who(
    desk: Desk,
) -> None:
    won = set()
    for attempt in range(REPETITIONS):
        card = await desk.card()
        taps = {
            "ana": desk.tap("ana", card, "approve", on="slack"),
            "cara": desk.tap("cara", card, "reject", on="telegram"),
        }
        # Each is a moment earlier half of the time.
        order = sorted(taps, reverse=attempt % 2 == 0)
        answers = await asyncio.gather(*(taps[person] for person in order))
        told = {who: answered(each) for who, each in zip(order, answers, strict=True)}
        stored = await desk.stored(card)
        assert stored.decision is not None
        winner = stored.decision.person
        loser = "cara" if winner == "ana" else "ana"
        assert (told[winner].ok, told[loser].ok) == (True, False)
        assert f"by {stored.decision.name} on" in told[loser].text
        decided = [m["decision"]["person"] for m in await desk.mails(card)]
        assert decided == [winner]
        assert sorted(results(await desk.log(card))) == sorted(
            [(winner, "decided"), (loser, "not_open")]
        )
        won.add(winner)
    assert won == {"ana", "cara"}


async def test_a2_a_double_click_is_one_decision_and_both_are_told_that_it_is_recorded(
    desk: Desk,
) -> None:
    for on in ("slack", "telegram", "web"):
        card = await desk.card()
        both = await asyncio.gather(*(desk.tap("ana", card, on=on) for _ in range(2)))
        texts = sorted(answered(each).text for each in both)
        assert all(answered(each).ok for each in both)
        assert texts[0].startswith("Already recorded: you chose Approve on")
        assert texts[1].startswith("Ana: Approve")
        assert len(await desk.mails(card)) == 1
        assert sorted(results(await desk.log(card))) == [("ana", "decided"), ("ana", "repeated")]


async def test_a2_a_redelivered_tap_hears_its_first_answer_again(desk: Desk) -> None:
    card = await desk.card(quorum=2)
    first = answered(await desk.tap("ana", card, update="same"))
    again = answered(await desk.tap("ana", card, update="same"))
    assert first == again
    assert first.ok
    assert len((await desk.stored(card)).votes) == 1


async def test_a4_a_double_click_on_one_gate_leaves_the_next_one_alone(desk: Desk) -> None:
    first = await desk.card()
    await desk.tap("ana", first)
    second = await desk.card(run=first.run)
    again = answered(await desk.tap("ana", first))
    assert again.ok
    assert again.text.startswith("Already recorded")
    assert await desk.stored(second) == second
    assert [mail["card"] for mail in await desk.mails(first)] == [first.token]


@pytest.mark.parametrize(("before_ms", "counts"), [(1, True), (0, False), (-1, False)])
async def test_a13_a_click_one_ms_before_the_deadline_counts_and_one_ms_after_is_too_late(
    desk: Desk, before_ms: int, counts: bool
) -> None:
    """Nothing sweeps here, and the store's clock stands still at the millisecond."""
    card = await desk.card(within=timedelta(minutes=5))
    assert card.deadline is not None
    await desk.scripts.stop_at(card.deadline - timedelta(milliseconds=before_ms))
    told = answered(await desk.tap("ana", card))
    assert told.ok == counts
    assert ("expired on" in told.text) == (not counts)
    (entry,) = await desk.log(card)
    assert entry["result"] == ("decided" if counts else "expired")
    assert (await desk.stored(card)).status == ("decided" if counts else "expired")


async def test_a13_a_tap_that_comes_too_late_closes_the_card_and_wakes_the_run(desk: Desk) -> None:
    card = await desk.card(within=timedelta(seconds=5))
    desk.scripts.offset_ms = 5_000
    assert not answered(await desk.tap("ana", card)).ok
    assert (await desk.stored(card)).status == "expired"
    assert [mail["kind"] for mail in await desk.mails(card)] == ["card_expired"]
    assert not answered(await desk.tap("cara", card)).ok
    assert len(await desk.mails(card)) == 1


async def test_a14_when_expiry_and_a_click_meet_there_is_one_outcome_and_the_loser_is_told(
    desk: Desk,
) -> None:
    """In the last millisecond, where either may come first."""
    outcomes = set()
    for attempt in range(REPETITIONS):
        card = await desk.card(within=timedelta(minutes=5))
        assert card.deadline is not None
        await desk.scripts.stop_at(card.deadline - timedelta(milliseconds=1))
        expired, told = await asyncio.gather(
            expiry(desk, card, after=attempt % 4), desk.tap("ana", card)
        )
        stored = await desk.stored(card)
        assert answered(told).ok is not expired
        assert stored.status == ("expired" if expired else "decided")
        assert (stored.decision is not None) is not expired
        assert not expired or "expired on" in answered(told).text
        outcomes.add(stored.status)
    assert outcomes == {"decided", "expired"}


async def expiry(desk: Desk, card: Card, *, after: int) -> bool:
    """Closes the card as the holder of the run's lane does, after so many other calls."""
    closed = card.model_copy(update={"status": "expired", "version": card.version + 1})
    effects = Effects(cards=(CardWrite(closed, expect=card.version),))
    for _ in range(after):
        await desk.decisions.card(card.token)
    try:
        update = f"expiry-{card.token}"
        await desk.decisions.decide(card.token, update_id=update, answer="", effects=effects)
    except StaleWrite:
        return False
    return True


async def test_a25_two_last_votes_at_once_reach_the_quorum_once_and_wake_the_run_once(
    desk: Desk,
) -> None:
    for _ in range(REPETITIONS):
        card = await desk.card(quorum=2)
        await desk.tap("ana", card)
        both = await asyncio.gather(desk.tap("cara", card), desk.tap("dan", card))
        told = [answered(each) for each in both]
        assert sorted(each.ok for each in told) == [False, True]
        stored = await desk.stored(card)
        assert stored.decision is not None
        assert [vote.person for vote in stored.votes] == ["ana"]
        assert stored.decision.person in ("cara", "dan")
        assert len(await desk.mails(card)) == 1


async def test_a25_a_majority_is_reached_once_when_its_last_votes_meet(desk: Desk) -> None:
    for _ in range(REPETITIONS // 4):
        card = await desk.card(quorum=3, decides="majority")
        taps = [("ana", "approve"), ("cara", "reject"), ("dan", "approve")]
        told = await asyncio.gather(*(desk.tap(p, card, choice) for p, choice in taps))
        stored = await desk.stored(card)
        assert stored.decision is not None
        assert stored.decision.choice == "approve"
        assert len(await desk.mails(card)) == 1
        late = [answered(each) for each in told if not answered(each).ok]
        assert all("Already decided by" in each.text for each in late)
