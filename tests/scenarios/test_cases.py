"""Runs of one case share its state, from wherever they are asked for (design §12)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.operate.projects.cases import list_cases, show_case
from engine.frames.case import CaseDocument
from tests.fakes.feast import BY_FEAST, BY_ROOM, write_feast
from tests.fakes.platforms.patience import until
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start, nothing_goes_on

FEAST_CASE = "KITCHEN/feast/feast/F-7"
ROOM_CASE = "KITCHEN/feast/conversation/web%3Alocal%3Amain"


async def serve(
    start: Start,
    folder: Path,
    case: object,
    *,
    sync: str = "",
    accounts: Mapping[str, str] | None = None,
    **more: Any,
) -> Service:
    """The caterer's service; `accounts` are lines of people.yaml, by person."""
    folder = write_feast(folder, case, sync=sync, accounts=accounts)
    return await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        project="KITCHEN",
        languages=("en",),
        timezone="Europe/Berlin",
        **more,
    )


async def values(service: Service, case: str) -> dict[str, object]:
    """What the case has, by path."""
    stored = await service.parts.services.cases.read(case)
    return dict(CaseDocument.model_validate_json(stored).values)


async def card_with(room: WebRoom, label: str) -> Message:
    """The newest open form that asks for that."""

    def asks(message: Message) -> bool:
        card = message["card"]
        forms = [button["form"] for button in card["buttons"]] if card else []
        return any(field["label"] == label for form in forms for field in form)

    card: Message = (await room.wait_for(asks))["card"]
    return card


def is_done(message: Message) -> bool:
    return any(part["state"] == "done" for part in message["parts"])


async def settle_guests(room: WebRoom, feast: str = "F-7", guests: str = "80") -> None:
    await room.say("ida", "count the guests")
    form = await room.card("clarify")
    await room.fill("ida", form, "submit", feast=feast, guests=guests, hall="Blue")
    await room.wait_for(is_done)


@pytest.mark.parametrize("case", [BY_FEAST, BY_ROOM])
async def test_the_next_request_begins_where_the_case_stands(
    start: Start, tmp_path: Path, case: object
) -> None:
    service = await serve(start, tmp_path / "kitchen", case)
    async with WebRoom(service.url) as room:
        await settle_guests(room)
        await room.say("ida", "choose the menu for F-7")
        form = await room.card("clarify")
        assert "Menu" in text_of(form)
        assert "Hall" not in text_of(form)
        assert "Not used" not in text_of(form)
        said = await room.wait_for(lambda m: "Already settled" in text_of(m))
        assert "Guests" in text_of(said)


async def test_a_case_of_an_entity_is_reached_from_another_conversation(
    start: Start, tmp_path: Path
) -> None:
    service = await serve(start, tmp_path / "kitchen", BY_FEAST)
    async with WebRoom(service.url) as room, WebRoom(service.url, "second") as other:
        await settle_guests(room)
        await other.say("otto", "choose the menu for F-7")
        form = await other.card("clarify")
        assert "Hall" not in text_of(form)
        await other.say("otto", "choose the menu for F-8")
        form = await other.wait_for(lambda m: bool(m["card"]) and "Hall" in text_of(m["card"]))
        assert form


async def test_what_is_settled_stands_or_is_done_again_with_what_depends_on_it(
    start: Start, tmp_path: Path
) -> None:
    service = await serve(start, tmp_path / "kitchen", BY_ROOM)
    async with WebRoom(service.url) as room:
        await settle_guests(room)
        await room.say("ida", "choose the menu")
        await room.fill("ida", await card_with(room, "Menu"), "submit", menu="fish")
        await room.wait_for(lambda m: is_done(m) and "menu" in text_of(m))
        await room.say("ida", "count the guests")
        card = await room.card("select")
        assert "Guests" in text_of(card)
        assert "80" in text_of(card)
        assert "opens these again: Menu" in text_of(card)
        assert (await room.tap("ida", card, "again"))[1]["ok"]
        form = await card_with(room, "Hall")
        await room.fill("ida", form, "submit", feast="F-7", guests="95", hall="Red")
        await nothing_goes_on(service)
        assert await values(service, ROOM_CASE) == {
            "feast": "F-7",
            "guests": 95,
            "hall": "Red",
        }


async def test_what_the_message_says_stands_above_what_the_case_has_and_opens_what_depends(
    start: Start, tmp_path: Path
) -> None:
    service = await serve(start, tmp_path / "kitchen", BY_FEAST)
    async with WebRoom(service.url) as room, WebRoom(service.url, "second") as other:
        await settle_guests(room)
        await room.say("ida", "choose the menu for F-7")
        await room.fill("ida", await card_with(room, "Menu"), "submit", menu="fish")
        await room.wait_for(lambda m: is_done(m) and "menu" in text_of(m))
        # All of it is settled, and said otherwise: nobody is asked whether it stands.
        await other.say("otto", "count the guests for F-7, hall Green")
        told = await other.wait_for(is_done)
        assert "Taken from your message, and not from before: Hall" in text_of(told)
        assert "Already settled" not in text_of(told)
        await nothing_goes_on(service)
        assert await values(service, FEAST_CASE) == {"feast": "F-7", "guests": 80, "hall": "Green"}
        await other.say("otto", "choose the menu for F-7, hall Red")
        form = await card_with(other, "Menu")
        assert "Not used" not in text_of(form)
        await other.fill("otto", form, "submit", menu="meat")
        await other.wait_for(lambda m: is_done(m) and "menu" in text_of(m))
        await nothing_goes_on(service)
        found = await values(service, FEAST_CASE)
        assert (found["hall"], found["menu"]) == ("Red", "meat")


async def test_a_number_that_no_field_is_named_for_changes_nothing_that_the_case_has(
    start: Start, tmp_path: Path
) -> None:
    service = await serve(start, tmp_path / "kitchen", BY_FEAST)
    async with WebRoom(service.url) as room:
        await settle_guests(room)
        await room.say("ida", "choose the menu for F-7, 3")
        await room.fill("ida", await card_with(room, "Menu"), "submit", menu="fish")
        await room.wait_for(lambda m: is_done(m) and "menu" in text_of(m))
        await nothing_goes_on(service)
        assert (await values(service, FEAST_CASE))["guests"] == 80
        await room.say("ida", "choose the menu for F-7, guests 90")
        await room.fill("ida", await card_with(room, "Menu"), "submit", menu="meat")
        await nothing_goes_on(service)
        assert (await values(service, FEAST_CASE))["guests"] == 90


async def test_what_stands_is_not_asked_again(start: Start, tmp_path: Path) -> None:
    service = await serve(start, tmp_path / "kitchen", BY_ROOM)
    async with WebRoom(service.url) as room:
        await settle_guests(room)
        await room.say("ida", "count the guests")
        card = await room.card("select")
        assert (await room.tap("ida", card, "keep"))[1]["ok"]
        await nothing_goes_on(service)
        assert (await values(service, ROOM_CASE))["guests"] == 80


@pytest.mark.parametrize(
    ("choice", "form", "stands"),
    [("mine", {}, 90), ("theirs", {}, 80), ("change", {"guests": "85"}, 85)],
)
async def test_what_two_changed_at_once_is_for_the_requester_to_decide(
    start: Start, tmp_path: Path, choice: str, form: dict[str, str], stands: int
) -> None:
    service = await serve(start, tmp_path / "kitchen", BY_FEAST)
    async with WebRoom(service.url) as room, WebRoom(service.url, "second") as other:
        await other.say("otto", "count the guests")
        late = await other.card("clarify")
        await settle_guests(room, guests="80")
        await other.fill("otto", late, "submit", feast="F-7", guests="90", hall="Blue")
        card = await other.card("select")
        assert "Guests" in card["title"]
        assert {row["value"] for row in card["rows"]} == {"80", "90"}
        assert "Ida" in text_of(card)
        if form:
            await other.fill("otto", card, choice, **form)
        else:
            assert (await other.tap("otto", card, choice))[1]["ok"]
        await other.wait_for(is_done)
        assert (await values(service, FEAST_CASE))["guests"] == stands


async def test_rows_of_a_list_that_two_added_are_all_there(start: Start, tmp_path: Path) -> None:
    service = await serve(start, tmp_path / "kitchen", BY_FEAST)
    async with WebRoom(service.url) as room, WebRoom(service.url, "second") as other:
        for who, at in (("ida", room), ("otto", other)):
            await at.say(who, "add to the shopping")
        forms = [await at.card("clarify") for at in (room, other)]
        await room.fill("ida", forms[0], "submit", feast="F-7", shopping="bread | 3")
        await room.wait_for(is_done)
        await other.fill("otto", forms[1], "submit", feast="F-7", shopping="milk | 2\nbread | 3")
        await other.wait_for(is_done)
        found = (await values(service, FEAST_CASE))["shopping"]
        assert found == ({"item": "bread", "pieces": 3}, {"item": "milk", "pieces": 2})


async def test_a_request_keeps_its_own_to_itself(start: Start, tmp_path: Path) -> None:
    service = await serve(start, tmp_path / "kitchen", BY_FEAST)
    async with WebRoom(service.url) as room:
        await settle_guests(room)
        for words in ("Come!", "Please come!"):
            await room.say("ida", "draft an invitation for F-7")
            if words == "Come!":
                await room.fill("ida", await card_with(room, "Menu"), "submit", menu="fish")
            await room.fill(
                "ida", await card_with(room, "Words of the invitation"), "submit", words=words
            )
            card = await room.wait_for(
                lambda m, words=words: bool(m["card"]) and words in text_of(m["card"])
            )
            assert "80" in text_of(card)
            assert (await room.tap("rosa", card["card"], "approve"))[1]["ok"]
            await nothing_goes_on(service)
        assert "words" not in await values(service, FEAST_CASE)


async def test_a_case_hears_of_a_request_that_is_cancelled_and_keeps_what_it_took(
    start: Start, tmp_path: Path
) -> None:
    service = await serve(start, tmp_path / "kitchen", BY_FEAST)
    async with WebRoom(service.url) as room:
        await settle_guests(room)
        await room.say("ida", "choose the menu for F-7")
        await room.card("clarify")
        await room.say("ida", "/cancel")

        async def ends() -> bool:
            stored = await service.parts.services.cases.read(FEAST_CASE)
            runs = CaseDocument.model_validate_json(stored).runs
            return [run.end for run in runs] == ["done", "cancelled"]

        await until(ends)
        assert (await values(service, FEAST_CASE))["guests"] == 80


async def test_an_operator_sees_cases(
    start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service = await serve(start, tmp_path / "kitchen", BY_FEAST)
    settings = service.parts.settings
    async with WebRoom(service.url) as room:
        await settle_guests(room)
        await nothing_goes_on(service)
    assert await list_cases(settings, as_json=False) == 0
    assert FEAST_CASE in capsys.readouterr().out
    assert await show_case(settings, FEAST_CASE, as_json=False) == 0
    told = capsys.readouterr().out
    assert "guests = 80  (version 1, Ida" in told
    assert "Count the guests  ida" in told
    assert await show_case(settings, "KITCHEN/feast/feast/F-99", as_json=False) == 1
