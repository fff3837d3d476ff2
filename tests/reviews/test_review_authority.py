"""Scenarios of runs-and-reviews on who may decide, in whose place, and how votes count."""

import json
from pathlib import Path

import pytest

from cards.deciding.handover import HAND_OVER
from cards.model import Card
from engine.events import Actor, CommandGiven, DirectAnswer, FormRefused, FormWanted
from tests.fakes.review_desk import ACCOUNTS, Desk, answered, directory, results


@pytest.mark.parametrize("on", ["slack", "telegram", "web"])
async def test_a21_requester_cannot_approve_own_request_from_either_platform(
    desk: Desk, on: str
) -> None:
    card = await desk.card()
    told = answered(await desk.tap("lin", card, on=on))
    assert not told.ok
    assert told.text == "This is your own request; somebody else has to decide it."
    assert await desk.stored(card) == card
    (entry,) = await desk.log(card)
    assert (entry["by"], entry["via"], entry["result"]) == ("lin", on, "own_request")


@pytest.mark.parametrize("on", ["slack", "telegram", "web"])
async def test_a22_who_is_no_approver_is_refused_told_and_logged(desk: Desk, on: str) -> None:
    card = await desk.card()
    told = answered(await desk.tap("bo", card, on=on))
    assert (told.ok, told.text) == (False, "You are not an approver of this card.")
    assert await desk.stored(card) == card
    assert results(await desk.log(card)) == [("bo", "not_approver")]


async def test_a23_an_approver_who_lost_the_role_since_is_refused(
    desk: Desk, tmp_path: Path
) -> None:
    card = await desk.card()
    later = directory(tmp_path, ('["12"], roles: [reviewer]', '["12"], roles: []'))
    told = answered(await desk.tap("ana", card, people=later))
    assert (told.ok, told.text) == (False, "You are not an approver of this card.")
    assert await desk.stored(card) == card
    assert answered(await desk.tap("cara", card, people=later)).ok


async def test_a23_who_got_the_role_only_since_is_refused_as_well(
    desk: Desk, tmp_path: Path
) -> None:
    card = await desk.card()
    later = directory(tmp_path, ('telegram: ["13"]', 'telegram: ["13"], roles: [reviewer]'))
    told = answered(await desk.tap("bo", card, people=later))
    assert not told.ok
    assert (await desk.stored(card)).status == "open"


async def test_a24_the_same_person_on_slack_and_telegram_has_one_vote(desk: Desk) -> None:
    card = await desk.card(quorum=2)
    first = answered(await desk.tap("ana", card, on="slack"))
    second = answered(await desk.tap("ana", card, on="telegram"))
    assert (first.ok, first.text) == (True, "Recorded: Approve; 1 more needed")
    assert second.ok
    assert second.text.startswith("Already recorded: you chose Approve")
    other = answered(await desk.tap("ana", card, "reject", on="web"))
    assert not other.ok
    assert "that stands; 1 more needed" in other.text
    stored = await desk.stored(card)
    assert (stored.status, len(stored.votes)) == ("open", 1)
    assert [entry["via"] for entry in await desk.log(card)] == ["slack", "telegram", "web"]


async def test_a26_a_rejection_after_an_approval_wins_and_a_later_approval_is_told(
    desk: Desk,
) -> None:
    card = await desk.card(quorum=2)
    await desk.tap("ana", card)
    assert answered(await desk.tap("cara", card, "reject", reason="wrong weight")).ok
    stored = await desk.stored(card)
    assert stored.decision is not None
    assert (stored.decision.choice, stored.decision.values) == (
        "reject",
        {"reason": "wrong weight"},
    )
    late = answered(await desk.tap("dan", card))
    assert not late.ok
    assert late.text.startswith("Already decided by Cara on")
    assert len(await desk.mails(card)) == 1


async def test_a26_where_the_majority_decides_a_rejection_is_one_vote(desk: Desk) -> None:
    card = await desk.card(quorum=3, decides="majority")
    await desk.tap("ana", card)
    told = answered(await desk.tap("cara", card, "reject", reason="wrong weight"))
    assert (told.ok, told.text) == (True, "Recorded: Reject; 1 more needed")
    assert (await desk.stored(card)).status == "open"
    assert answered(await desk.tap("dan", card)).ok
    stored = await desk.stored(card)
    assert stored.decision is not None
    assert stored.decision.choice == "approve"
    assert [vote.reason for vote in stored.votes] == ["", "wrong weight"]


ON_LEAVE = ('["12"], roles: [reviewer]', '["12"], roles: [reviewer], delegate: {person: bo}')


async def test_a27_after_a_vote_the_delegates_vote_is_no_second_one_and_both_are_recorded(
    desk: Desk, tmp_path: Path
) -> None:
    card = await desk.card(quorum=2)
    await desk.tap("ana", card)
    away = directory(tmp_path, ON_LEAVE)
    told = answered(await desk.tap("bo", card, people=away))
    assert not told.ok
    assert told.text.startswith("The seat of Ana has voted: Approve, by Ana on")
    assert [vote.person for vote in (await desk.stored(card)).votes] == ["ana"]
    assert results(await desk.log(card)) == [("ana", "vote"), ("bo", "seat_taken")]


async def test_a27_a_delegate_who_votes_first_has_the_seat_and_is_recorded_with_it(
    desk: Desk, tmp_path: Path
) -> None:
    card, away = await desk.card(quorum=2), directory(tmp_path, ON_LEAVE)
    assert answered(await desk.tap("bo", card, people=away)).ok
    (vote,) = (await desk.stored(card)).votes
    assert (vote.person, vote.seat) == ("bo", "ana")
    back = answered(await desk.tap("ana", card, people=away))
    assert not back.ok
    assert back.text.startswith("The seat of Ana has voted: Approve, by Bo on")
    assert answered(await desk.tap("cara", card, people=away)).ok
    log = await desk.log(card)
    assert results(log) == [("bo", "vote"), ("ana", "seat_taken"), ("cara", "decided")]
    assert [entry.get("for") for entry in log] == ["ana", None, None]


async def test_a27_delegation_lets_nobody_approve_their_own_request(
    desk: Desk, tmp_path: Path
) -> None:
    to_requester = directory(
        tmp_path, (ON_LEAVE[0], '["12"], roles: [reviewer], delegate: {person: lin}')
    )
    by_requester = directory(
        tmp_path,
        (
            '["11"], roles: [crc, reviewer]',
            '["11"], roles: [crc, reviewer], delegate: {person: bo}',
        ),
    )
    for person, people, why in (
        ("lin", to_requester, "own_request"),
        ("bo", by_requester, "not_approver"),
    ):
        card = await desk.card()
        assert not answered(await desk.tap(person, card, people=people)).ok
        assert await desk.stored(card) == card
        assert results(await desk.log(card)) == [(person, why)]


async def test_a27_a_delegation_ends_with_its_last_day(desk: Desk, tmp_path: Path) -> None:
    today = (await desk.now()).date()
    for until, allowed in ((today.isoformat(), True), ("2020-01-01", False)):
        delegate = f"delegate: {{person: bo, until: {until}}}"
        people = directory(tmp_path, (ON_LEAVE[0], f'["12"], roles: [reviewer], {delegate}'))
        card = await desk.card()
        assert answered(await desk.tap("bo", card, people=people)).ok is allowed


async def test_a27_a_delegate_stands_in_for_nobody_who_lost_the_role(
    desk: Desk, tmp_path: Path
) -> None:
    people = directory(tmp_path, (ON_LEAVE[0], '["12"], roles: [], delegate: {person: bo}'))
    card = await desk.card()
    assert not answered(await desk.tap("bo", card, people=people)).ok


async def test_a27_a_card_that_is_handed_over_keeps_one_vote_for_the_seat(desk: Desk) -> None:
    card = await desk.card(quorum=2)
    asked = await desk.tap("ana", card, HAND_OVER)
    assert isinstance(asked, FormWanted)
    (whom,) = asked.form.fields
    # Who asked, and who has a vote of their own, are not among those who may be chosen.
    assert (whom.name, whom.type, whom.options) == ("person", "person", ("Bo", "Hui"))
    done = answered(await desk.tap("ana", card, HAND_OVER, person="Bo"))
    assert (done.ok, done.text) == (
        True,
        "Handed over to Bo. Until they vote, you may still decide yourself.",
    )
    assert answered(await desk.tap("bo", card)).ok
    assert not answered(await desk.tap("ana", card)).ok
    stored = await desk.stored(card)
    assert [(vote.person, vote.seat) for vote in stored.votes] == [("bo", "ana")]
    log = await desk.log(card)
    expected = [("ana", "form"), ("ana", "handed_over"), ("bo", "vote"), ("ana", "seat_taken")]
    assert results(log) == expected
    assert (log[1]["to"], log[2]["for"]) == ("bo", "ana")


@pytest.mark.parametrize(
    ("person", "why"),
    [
        ("lin", "They made this request; somebody else has to decide it."),
        ("cara", "They are a reviewer of this card already, with a vote of their own."),
        ("ana", "You cannot hand over to yourself."),
        ("nobody", "There is nobody called “nobody”."),
        ("slack:T1:ULIN", "They made this request; somebody else has to decide it."),
        ("slack:T1:UNOBODY", "They are not among the people of this service."),
        # The same id in another workspace is somebody else.
        ("slack:T2:UBO", "They are not among the people of this service."),
    ],
)
async def test_a_hand_over_to_who_cannot_have_the_seat_is_told_in_the_form(
    desk: Desk, person: str, why: str
) -> None:
    card = await desk.card()
    refused = await desk.tap("ana", card, HAND_OVER, person=person)
    assert refused == FormRefused({"person": why})
    assert await desk.stored(card) == card


async def test_a_card_is_handed_over_to_an_account_that_was_chosen(desk: Desk) -> None:
    card = await desk.card()
    assert answered(await desk.tap("ana", card, HAND_OVER, person="slack:T1:UBO")).ok
    assert [given.to for given in (await desk.stored(card)).handed] == ["bo"]


async def test_who_has_no_seat_cannot_hand_one_over(desk: Desk) -> None:
    card = await desk.card()
    for person in ("bo", "lin"):
        told = answered(await desk.tap(person, card, HAND_OVER))
        assert not told.ok
    assert results(await desk.log(card)) == [("bo", "no_seat"), ("lin", "no_seat")]
    assert await desk.stored(card) == card


def handing(desk: Desk, person: str, text: str, update: str) -> CommandGiven:
    workspace, user = ACCOUNTS["slack"][person]
    return CommandGiven(
        id=update,
        conversation=desk.conversation,
        actor=Actor(platform="slack", workspace=workspace, user=user),
        name="handover",
        text=text,
        said=f"/handover {text}",
    )


async def said(desk: Desk) -> list[str]:
    """What the service says in the conversation."""
    return await said_in(desk, desk.conversation)


async def said_in(desk: Desk, conversation: str) -> list[str]:
    card = Card.model_construct(conversation=conversation, run="")
    found = await desk._list(card, f"l:control:{conversation}:in")
    return [json.loads(mail)["text"] for mail in found]


async def test_the_command_hands_the_only_card_over_once_however_often_it_comes(
    desk: Desk,
) -> None:
    intake = desk.intake()
    await intake(handing(desk, "ana", "Bo", "one"))
    assert await said(desk) == [
        "No open card is yours to hand over: /pending shows what waits for you."
    ]
    card = await desk.card()
    for _ in range(3):
        await intake(handing(desk, "ana", "Bo", "two"))
    stored = await desk.stored(card)
    assert [(each.by, each.to) for each in stored.handed] == [("ana", "bo")]
    await desk.card()
    await intake(handing(desk, "ana", "Bo", "three"))
    await intake(handing(desk, "ana", "", "four"))
    told = await said(desk)
    assert len(told) == 4
    assert told[1].startswith("Handed over to Bo.")
    assert told[2].startswith("2 cards are yours to hand over")
    assert told[3].startswith("Say to whom, for example: /handover")


async def test_the_command_finds_a_card_of_any_conversation_and_names_it_only_to_who_may_see_it(
    desk: Desk,
) -> None:
    intake, card = desk.intake(), await desk.card()
    private = "slack:T1:DANA"
    for here, update in (("slack:T1:C1", "one"), (private, "two")):
        given = handing(desk, "ana", "Bo", update).model_copy(update={"conversation": here})
        await intake(given)
    (public,) = await said_in(desk, "slack:T1:C1")
    assert public == "Handed over to Bo. Until they vote, you may still decide yourself."
    assert [(each.by, each.to) for each in (await desk.stored(card)).handed] == [("ana", "bo")]
    assert await said_in(desk, private) == ["You handed it over to them before."]
    other = await desk.card()
    await desk.tap("ana", card)
    given = handing(desk, "ana", "Bo", "three").model_copy(update={"conversation": private})
    await intake(given)
    assert (await said_in(desk, private))[-1].startswith("Write it?: Handed over to Bo.")
    assert len((await desk.stored(other)).handed) == 1


async def test_of_several_cards_elsewhere_the_command_hands_over_none(desk: Desk) -> None:
    intake, cards = desk.intake(), [await desk.card() for _ in range(3)]
    away = handing(desk, "ana", "Bo", "one").model_copy(update={"conversation": "slack:T1:C1"})
    await intake(away)
    assert (await said_in(desk, "slack:T1:C1"))[0].startswith("3 cards are yours to hand over")
    assert [(await desk.stored(card)).handed for card in cards] == [(), (), ()]
    # Nobody else's seat is found: Bo has none, Lin is the requester.
    for number, person in enumerate(("bo", "lin")):
        given = handing(desk, person, "Hui", f"of-{number}")
        await intake(given.model_copy(update={"conversation": "slack:T1:C2"}))
    assert {text[:12] for text in await said_in(desk, "slack:T1:C2")} == {"No open card"}


async def test_all_this_is_an_answer_and_not_silence(desk: Desk) -> None:
    card = await desk.card()
    for person in ("ana", "ana", "bo", "lin", "cara"):
        assert isinstance(await desk.tap(person, card), DirectAnswer)
