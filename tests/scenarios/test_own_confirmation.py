"""Who asked only confirms: they correct by asking anew, and what they take back is cancelled."""

from pathlib import Path

import pytest

from tests.fakes.garage import PEOPLE
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_approvers_from_data import book, garage, serve
from tests.scenarios.test_text_answers import told


@pytest.fixture
async def own(start: Start, tmp_path: Path) -> Service:
    folder = garage(tmp_path, "review: {person: $requester, four_eyes: false}")
    return await serve(start, folder)


async def confirming(room: WebRoom) -> Message:
    await book(room)
    return await room.card("confirm")


@pytest.mark.parametrize(
    "said", ["no, bay B3", "sorry, 3 December", "change the day to 3 December", "cancel it"]
)
async def test_a_correction_is_told_to_cancel_and_ask_anew(own: Service, said: str) -> None:
    async with WebRoom(own.url) as room:
        card = await confirming(room)
        await told(room, said, said="press “Cancel” on its card", person="mia")
        assert (await room.card("confirm"))["rows"] == card["rows"]


async def test_what_is_taken_back_is_cancelled_and_nobody_rejected_it(own: Service) -> None:
    async with WebRoom(own.url) as room:
        card = await confirming(room)
        assert (await room.tap("mia", card, "reject"))[1]["ok"]
        ended = await room.wait_for(lambda m: any(p["state"] == "cancelled" for p in m["parts"]))
        assert "cancelled; nothing was written" in text_of(ended["parts"])
        assert "reject" not in text_of(ended).lower()
        await told(room, "/mine", said="cancelled", person="mia")


async def test_an_approval_in_words_is_told_of_the_button_wherever_it_stands(own: Service) -> None:
    async with WebRoom(own.url) as room, WebRoom(own.url, "elsewhere") as elsewhere:
        await confirming(room)
        await told(room, "ok, approved", said="Only the button", person="mia")
        for said in ("ok, approved", "rejected"):
            await told(elsewhere, said, said="/pending", person="mia")


@pytest.mark.parametrize(("reviewers", "offered"), [("", False), ("eddy", True)])
async def test_an_edit_is_offered_where_somebody_else_could_approve_it(
    start: Start, tmp_path: Path, reviewers: str, offered: bool
) -> None:
    more = PEOPLE + (
        f"  - {{id: {reviewers}, name: Ed, web: {reviewers}, roles: [foreman],"
        " label: {zh: 工长, en: foreman}}\n"
        if reviewers
        else ""
    )
    review = "review: {roles: [foreman], may_edit: [day]}"
    folder = garage(tmp_path, review, **{"people.yaml": more})
    service = await serve(start, folder)
    async with WebRoom(service.url) as room:
        await book(room)
        card = await room.card("confirm")
        assert ("Edit" in [each["label"] for each in card["buttons"]]) is offered
