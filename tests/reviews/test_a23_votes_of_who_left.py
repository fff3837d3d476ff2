"""Who loses the role takes an earlier vote along: it decides nothing, and everybody sees why."""

from dataclasses import replace
from pathlib import Path

from bot.operate.audit import format_entry
from bot.people.directory import Directory
from cards.deciding.handover import HAND_OVER
from cards.model import Card
from cards.showing.show import show
from engine.events import FormWanted
from engine.mail import ReviewDue
from engine.reviews.clocks import apply_clock
from tests.fakes.review_desk import Desk, answered, directory, results

NO_ROLE = ('["12"], roles: [reviewer]', '["12"], roles: []')
ON_LEAVE = ('["12"], roles: [reviewer]', '["12"], roles: [reviewer], delegate: {person: bo}')
BO = '  - {id: bo, name: Bo, web: bo, slack: ["T1:UBO"], telegram: ["13"]}\n'
BY_GROUP = (
    (
        "{id: reviewer, zh: 审核员, en: reviewer}",
        "{id: reviewer, zh: 审核, en: r, slack_group: T1:S1}",
    ),
    NO_ROLE,
)


def left(card: Card) -> list[tuple[str, str, str]]:
    return [(each.vote.person, each.vote.choice, each.why) for each in card.lapsed]


async def test_a23_a_vote_of_who_lost_the_role_since_decides_nothing(
    desk: Desk, tmp_path: Path
) -> None:
    card, later = await desk.card(quorum=2), directory(tmp_path, NO_ROLE)
    assert answered(await desk.tap("ana", card)).ok
    told = answered(await desk.tap("cara", card, people=later))
    assert (told.ok, told.text) == (True, "Recorded: Approve; 1 more needed")
    stored = await desk.stored(card)
    assert (stored.status, [vote.person for vote in stored.votes]) == ("open", ["cara"])
    assert left(stored) == [("ana", "approve", "no_role")]
    assert not await desk.mails(card)
    assert answered(await desk.tap("dan", card, people=later)).ok
    decided = await desk.stored(card)
    assert (decided.status, len(await desk.mails(card))) == ("decided", 1)
    assert left(decided) == left(stored)


async def test_a23_with_a_majority_the_vote_of_who_lost_the_role_counts_for_neither_side(
    desk: Desk, tmp_path: Path
) -> None:
    card = await desk.card(quorum=3, decides="majority")
    later = directory(tmp_path, NO_ROLE)
    assert answered(await desk.tap("ana", card, "reject", reason="wrong weight")).ok
    told = answered(await desk.tap("cara", card, "reject", people=later, reason="wrong day"))
    assert told.text == "Recorded: Reject; 1 more needed"
    assert answered(await desk.tap("dan", card, people=later)).ok
    stored = await desk.stored(card)
    assert (stored.status, [vote.person for vote in stored.votes]) == ("open", ["cara", "dan"])


async def test_a23_the_audit_keeps_the_vote_and_why_it_does_not_count(
    desk: Desk, tmp_path: Path
) -> None:
    card, later = await desk.card(quorum=2), directory(tmp_path, NO_ROLE)
    await desk.tap("ana", card)
    await desk.tap("cara", card, people=later)
    first, second = await desk.log(card)
    assert (first["by"], first["result"]) == ("ana", "vote")
    assert second["lapsed"] == [{"person": "ana", "choice": "approve", "why": "no_role"}]
    (kept,) = second["changed_cards"][0]["lapsed"]
    assert (kept["vote"]["person"], kept["why"]) == ("ana", "no_role")
    assert "the vote of ana (approve) counts no more: the role is gone" in format_entry(
        second, "en"
    )


async def test_a23_others_see_on_the_card_whose_vote_counts_no_more(
    desk: Desk, tmp_path: Path
) -> None:
    card, later = await desk.card(quorum=2), directory(tmp_path, NO_ROLE)
    await desk.tap("ana", card)
    assert "1 of 2 so far: Ana" in show(await desk.stored(card), "UTC").note
    await desk.tap("cara", card, people=later)
    note = show(await desk.stored(card), "UTC").note
    assert "1 of 2 so far: Cara" in note
    assert "Ana: Approve does not count any more (no longer a reviewer)" in note
    await desk.tap("dan", card, people=later)
    outcome = show(await desk.stored(card), "UTC").outcome
    assert "All votes: Cara: Approve, Dan: Approve" in outcome
    assert "Ana: Approve does not count any more" in outcome


async def test_a23_who_gets_the_role_back_votes_anew(desk: Desk, tmp_path: Path) -> None:
    card, later = await desk.card(quorum=3), directory(tmp_path, NO_ROLE)
    await desk.tap("ana", card)
    await desk.tap("cara", card, people=later)
    assert not answered(await desk.tap("ana", card, people=later)).ok
    again = answered(await desk.tap("ana", card))
    assert (again.ok, again.text) == (True, "Recorded: Approve; 1 more needed")
    stored = await desk.stored(card)
    assert [vote.person for vote in stored.votes] == ["cara", "ana"]
    assert results(await desk.log(card))[-2:] == [("ana", "not_approver"), ("ana", "vote")]


async def test_a23_a_delegates_vote_falls_with_the_seat_and_with_the_delegate(
    desk: Desk, tmp_path: Path
) -> None:
    away = directory(tmp_path, ON_LEAVE)
    for change, why in ((NO_ROLE, "no_role"), ((BO, ""), "gone")):
        card = await desk.card(quorum=2)
        assert answered(await desk.tap("bo", card, people=away)).ok
        later = directory(tmp_path, change)
        assert answered(await desk.tap("cara", card, people=later)).ok
        stored = await desk.stored(card)
        assert stored.status == "open"
        assert [(each.vote.person, each.vote.seat, each.why) for each in stored.lapsed] == [
            ("bo", "ana", why)
        ]


async def test_a23_a_delegation_that_ended_leaves_the_vote_that_was_given_in_it(
    desk: Desk, tmp_path: Path
) -> None:
    card = await desk.card(quorum=2)
    await desk.tap("bo", card, people=directory(tmp_path, ON_LEAVE))
    assert answered(await desk.tap("cara", card)).ok
    assert (await desk.stored(card)).status == "decided"


async def test_a23_who_left_the_slack_group_counts_no_more(desk: Desk, tmp_path: Path) -> None:
    people = directory(tmp_path, *BY_GROUP)
    member = replace(people, members=lambda group: frozenset({"T1:UANA"}))
    card = await desk.card(quorum=2)
    assert answered(await desk.tap("ana", card, people=member)).ok
    # Also when Slack does not say who is in it.
    assert answered(await desk.tap("cara", card, people=people)).ok
    stored = await desk.stored(card)
    assert (stored.status, left(stored)) == ("open", [("ana", "approve", "no_role")])


async def test_a23_handing_over_and_a_reminder_tell_it_as_well(desk: Desk, tmp_path: Path) -> None:
    later = directory(tmp_path, NO_ROLE)
    card = await desk.card(quorum=2)
    await desk.tap("ana", card)
    assert isinstance(await desk.tap("cara", card, HAND_OVER, people=later), FormWanted)
    assert answered(await desk.tap("cara", card, HAND_OVER, people=later, person="Bo")).ok
    assert left(await desk.stored(card)) == [("ana", "approve", "no_role")]

    card = await desk.card(quorum=2, remind={"after": "1h"}, escalate={"role": "lead", "after": 9})
    await desk.tap("ana", card)
    voted = await desk.stored(card)
    for what in ("remind", "escalate"):
        now = await desk.now()
        mail = ReviewDue.model_validate({"card": card.token, "what": what})
        effects = apply_clock(mail, voted, later, now=now, today=now.date())
        (write,) = effects.cards
        assert (write.expect, write.card.version) == (voted.version, voted.version + 1)
        assert left(write.card) == [("ana", "approve", "no_role")]
        assert '"why": "no_role"' in effects.log[0][1]


async def test_votes_of_who_are_still_reviewers_stay_as_they_are(desk: Desk) -> None:
    card = await desk.card(quorum=3)
    for person in ("ana", "cara"):
        await desk.tap(person, card)
    stored = await desk.stored(card)
    people: Directory = desk.people
    assert people.with_valid_votes(stored, await desk.now()) is stored


async def test_who_votes_is_told_when_too_few_are_left_to_decide(
    desk: Desk, tmp_path: Path
) -> None:
    fewer = directory(tmp_path, NO_ROLE, ('["15"], roles: [reviewer]', '["15"], roles: []'))
    card = await desk.card(quorum=2)
    told = answered(await desk.tap("cara", card, people=fewer))
    assert told.ok
    assert "only 0 others may still vote" in told.text
    card = await desk.card(quorum=2, escalate={"role": "lead", "after": 9})
    told = answered(await desk.tap("cara", card, people=fewer))
    assert told.text == "Recorded: Approve; 1 more needed"
