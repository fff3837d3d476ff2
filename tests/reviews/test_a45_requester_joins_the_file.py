"""A45: who asked as a stranger and is in people.yaml since has no way to a vote on it."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from bot.people.directory import Directory
from cards.buttons import Button
from cards.deciding.handover import HAND_OVER
from cards.edits import EditableContent, EditableValue, canonical
from cards.model import Card, Choice, Field, HandOver, Principal, Vote
from cards.policy import Escalation
from engine.events import (
    Actor,
    CardTapped,
    CommandGiven,
    FormSubmitted,
    FormWanted,
)
from engine.frames.intents import Intent
from engine.frames.replies import ReplyHead
from engine.mail import ReviewDue
from engine.ports.storage.store import CardWrite, Effects
from engine.reviews.clocks import apply_clock
from engine.reviews.handover import SeatTransfers
from engine.reviews.text_answers import TextAnswers
from tests.fakes.review_desk import ACCOUNTS, HOLDERS, Desk, directory

# Nia wrote on Telegram before she was in the file; since then she reviews, and is on Slack as well.
NIA = "telegram:77"
JOINED = """\
  - {id: nia, name: Nia, web: nia, slack: ["T1:UNIA"], telegram: ["77"], roles: [reviewer, lead]}
people:
"""
ADDED = ("people:\n", "people:\n" + JOINED.removesuffix("people:\n"))
ON = {"slack": ("T1", "UNIA"), "telegram": ("9", "77"), "web": ("local", "nia")}
WEIGHT = Field(name="weight", label="Weight", type="number", value="70")
EDITABLE = {
    "choices": (
        Choice(id="approve", label="Approve"),
        Choice(id="edit", label="Edit", form=(WEIGHT,), edits=True),
    ),
    "editing": EditableContent(
        content=canonical([{"weight": 70}]),
        pieces=(),
        values=(EditableValue(name="weight", at=((0, "weight"),)),),
    ),
}


def stranger(people: Directory) -> Principal:
    """Nia as she was when she asked."""
    return people.principal(Actor(platform="telegram", workspace="9", user="77", name="Nia"))


def joined(folder: Path, *changes: tuple[str, str]) -> Directory:
    """The people, with her among them."""
    return directory(folder, ADDED, *changes)


async def press(
    desk: Desk, people: Directory, card: Card, choice: str, on: str = "telegram", **values: str
) -> Any:
    """Her tap, or with values her form."""
    workspace, user = ON[on]
    actor = Actor(platform=on, workspace=workspace, user=user)
    button = Button(token=card.token, choice=choice, revision=card.revision).pack()
    given: dict[str, Any] = {"id": f"{on}-{card.token}-{choice}-{len(values)}", "actor": actor}
    given |= {"conversation": desk.conversation, "button": button}
    intake = desk.intake(people)
    taken = FormSubmitted(**given, values=values) if values else CardTapped(**given)
    outcome = await intake(taken)
    assert "not known" not in getattr(outcome, "text", ""), "the tap reaches the card"
    return outcome


async def typed(desk: Desk, people: Directory, card: Card, text: str, who: Principal) -> str:
    """What a text that answers the card comes to, committed as a turn commits it."""
    now = await desk.now()
    head = ReplyHead(
        id="reply", conversation=desk.conversation, lang="en", principal=who, text=text, at=now
    )
    answers = TextAnswers(desk.decisions, people, "UTC", now.date())
    choice = card.choices[0].id
    intent = Intent(kind="card_reply", text=text, card=card.token, choice=choice, why="typed")
    reply = await answers.answer(intent, head)
    await desk.decisions.decide(
        card.token, update_id=f"typed-{who.id}", answer="", effects=reply.effects
    )
    return reply.text


async def commit(desk: Desk, card: Card, effects: Effects) -> Card:
    await desk.decisions.decide(card.token, update_id=f"{card.token}/2", answer="", effects=effects)
    return await desk.stored(card)


async def tap(desk: Desk, folder: Path, card: Card) -> None:
    for on in ON:
        await press(desk, joined(folder), card, "approve", on)


async def send_the_form(desk: Desk, folder: Path, card: Card) -> None:
    await press(desk, joined(folder), card, "reject", reason="not so")


async def type_an_answer(desk: Desk, folder: Path, card: Card) -> None:
    people = joined(folder)
    nia = people.person("nia")
    assert nia is not None
    assert "own request" in await typed(desk, people, card, "1", nia)


async def get_a_seat_by_the_button(desk: Desk, folder: Path, card: Card) -> None:
    people = joined(folder)
    await desk.tap("ana", card, HAND_OVER, people=people, person="Nia")
    await press(desk, people, await desk.stored(card), "approve")


async def get_a_seat_by_the_command(desk: Desk, folder: Path, card: Card) -> None:
    people = joined(folder)
    workspace, user = ACCOUNTS["slack"]["ana"]
    given = CommandGiven(
        id="handing",
        conversation=desk.conversation,
        actor=Actor(platform="slack", workspace=workspace, user=user),
        name="handover",
        text="Nia",
        said="/handover Nia",
    )
    await desk.intake(people)(given)
    await press(desk, people, await desk.stored(card), "approve")


async def have_got_a_seat_before(desk: Desk, folder: Path, card: Card) -> None:
    """A build that did not compare accounts let it be handed to her."""
    now = await desk.now()
    given = HandOver(by="ana", by_name="Ana", to="nia", to_name="Nia", at=now)
    after = card.model_copy(update={"handed": (given,), "version": card.version + 1})
    await commit(desk, card, Effects(cards=(CardWrite(after, expect=card.version),)))
    await press(desk, joined(folder), after, "approve")


async def stand_in_for_a_reviewer(desk: Desk, folder: Path, card: Card) -> None:
    delegate = '["12"], roles: [reviewer], delegate: {person: nia}'
    people = joined(folder, ('["12"], roles: [reviewer]', delegate))
    await press(desk, people, card, "approve")


async def have_a_delegate(desk: Desk, folder: Path, card: Card) -> None:
    people = joined(
        folder, ("roles: [reviewer, lead]", "roles: [reviewer], delegate: {person: bo}")
    )
    await desk.tap("bo", card, people=people)


async def be_added_by_the_escalation(desk: Desk, folder: Path, card: Card) -> None:
    people = joined(folder)
    now, mail = await desk.now(), ReviewDue(card=card.token, what="escalate")
    effects = apply_clock(mail, card, people, now=now, today=now.date())
    after = await commit(desk, card, effects)
    assert after.escalated
    await press(desk, people, after, "approve")


async def get_a_seat_from_an_operator(desk: Desk, folder: Path, card: Card) -> None:
    people = joined(folder)
    found = await desk.decisions.card(card.token)
    assert found is not None
    transfers = SeatTransfers(people, "UTC")
    assert transfers.reassign(found, "ana", "nia", {}) == "to_requester"
    offered = transfers.seats([card], found.now).get(card.token)
    assert offered is None or "nia" not in {each.id for each in offered.takers}


async def edit_then_approve(desk: Desk, folder: Path, card: Card) -> None:
    people = joined(folder)
    refused = await press(desk, people, card, "edit")
    assert not isinstance(refused, FormWanted)
    await press(desk, people, card, "edit", weight="72")
    await desk.tap("ana", card, "edit", people=people, weight="71")
    await press(desk, people, await desk.stored(card), "approve")


Way = Callable[[Desk, Path, Card], Awaitable[None]]
WAYS: tuple[Way, ...] = (
    tap,
    send_the_form,
    type_an_answer,
    get_a_seat_by_the_button,
    get_a_seat_by_the_command,
    have_got_a_seat_before,
    stand_in_for_a_reviewer,
    have_a_delegate,
    be_added_by_the_escalation,
    get_a_seat_from_an_operator,
    edit_then_approve,
)
SHOWS: Mapping[Way, Mapping[str, Any]] = {edit_then_approve: EDITABLE}


@pytest.mark.parametrize("stored", ["today", "before", "renamed"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_a45_no_way_leads_to_a_vote_on_ones_own_request(
    desk: Desk, tmp_path: Path, way: Way, stored: str
) -> None:
    asker = stranger(desk.people)
    assert (asker.id, asker.accounts) == (NIA, (NIA,))
    if stored == "before":
        # As it was stored before accounts were: the id alone says who asked.
        asker = asker.model_copy(update={"accounts": ()})
    if stored == "renamed":
        # She was in the file under another id, which is nobody's now.
        asker = asker.model_copy(update={"id": "n"})
    card = await desk.card(
        asker=asker,
        shows=SHOWS.get(way, {}),
        # As a card that was opened after she had joined would have it: the worst case.
        approvers=(*HOLDERS, "nia"),
        escalate=Escalation(role="lead", after_s=60),
    )
    await way(desk, tmp_path, card)
    after = await desk.stored(card)
    assert (after.status, after.votes, after.decision) == ("open", (), None)
    assert "nia" not in {each.person for each in after.edits}
    by = {"nia", "bo"} if way is have_a_delegate else {"nia"}
    told = {e.get("result") for e in await desk.log(card) if e["by"] in by}
    assert told <= {"own_request", "not_approver", None}
    # Somebody else decides it, as ever.
    assert (await desk.tap("cara", after, people=joined(tmp_path))).ok  # type: ignore[union-attr]


async def test_a45_somebody_else_who_joins_may_vote_in_the_place_they_had(
    desk: Desk, tmp_path: Path
) -> None:
    card = await desk.card(approvers=(NIA, "ana"))
    await press(desk, joined(tmp_path), card, "approve", "web")
    stored = await desk.stored(card)
    assert stored.decision is not None
    assert stored.decision.person == "nia"


async def test_a45_two_accounts_that_became_one_person_have_one_vote(
    desk: Desk, tmp_path: Path
) -> None:
    now = (await desk.now()).astimezone(UTC)
    votes = tuple(
        Vote(person=account, name="Nia", choice="approve", at=now)
        for account in (NIA, "slack:T1:UNIA")
    )
    accounts = (NIA, "slack:T1:UNIA")
    card = await desk.card(quorum=3, approvers=(*HOLDERS, *accounts), shows={"votes": votes})
    people = joined(tmp_path)
    again = await press(desk, people, card, "approve")
    assert again.text.startswith("Already recorded")
    told = await desk.tap("ana", card, people=people)
    assert told.text.endswith("1 more needed")  # type: ignore[union-attr]
    stored = await desk.stored(card)
    assert [vote.person for vote in stored.votes] == [NIA, "ana"]
    assert [each.why for each in stored.lapsed] == ["same_person"]


async def test_a_typed_answer_is_a_vote_as_a_tap_is_and_a_delegates_counts(
    desk: Desk, tmp_path: Path
) -> None:
    delegate = '["12"], roles: [reviewer], delegate: {person: bo}'
    people = directory(tmp_path, ('["12"], roles: [reviewer]', delegate))
    card = await desk.card(quorum=2)
    bo, cara = people.person("bo"), people.person("cara")
    assert bo is not None
    assert cara is not None
    assert await typed(desk, people, card, "1", bo) == "Recorded: Approve; 1 more needed"
    (vote,) = (await desk.stored(card)).votes
    assert (vote.person, vote.seat) == ("bo", "ana")
    (entry,) = await desk.log(card)
    assert (entry["event"], entry["by"], entry["for"]) == ("text", "bo", "ana")
    # Ana has lost the role since: her seat's vote counts no more.
    later = directory(tmp_path, ('["12"], roles: [reviewer]', '["12"], roles: []'))
    assert await typed(desk, later, card, "1", cara) == "Recorded: Approve; 1 more needed"
    stored = await desk.stored(card)
    assert [vote.person for vote in stored.votes] == ["cara"]
    assert [each.vote.person for each in stored.lapsed] == ["bo"]
