"""What fits the form that is open is its answer, and begins the same request no second time."""

from pathlib import Path

import pytest

from tests.fakes.garage import ASK, MAIN, write_garage
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_approvers_from_data import serve
from tests.scenarios.test_text_answers import told

HOURS = """\
  first: {label: {zh: 从第几小时, en: From hour}, type: integer, pair_with: last, cues: [hours]}
  last: {label: {zh: 到第几小时, en: To hour}, type: integer, cues: [hours]}
phases:
"""
UNBIDDEN = """\
    examples:
      - Mia has bay A1 on Thursday, hours 1 to 2
      - Fred has bay B2 on 8 December in hours 3 to 4
      - Mia has bay C3 tomorrow, hours 5 to 6
"""
WITH_HOURS = (
    MAIN.replace("phases:\n", HOURS)
    .replace("    examples:\n", UNBIDDEN)
    .replace("checkpoints: [bay, day]", "checkpoints: [bay, day, first, last]")
)


@pytest.fixture
async def hours(start: Start, tmp_path: Path) -> Service:
    ask = ASK.replace("[bay, day]", "[bay, day, first, last]")
    changed = {"hoists/playbook.yaml": WITH_HOURS, "hoists/skills/ask-booking.yaml": ask}
    return await serve(start, write_garage(tmp_path / "garage", **changed))


def forms(room: WebRoom) -> list[Message]:
    cards = (m["card"] for m in room.shown.values() if m["card"])
    return [card for card in cards if card["kind"] == "clarify"]


async def test_values_without_a_bidding_word_go_to_the_open_form(hours: Service) -> None:
    async with WebRoom(hours.url) as room:
        await room.say("mia", "please book a hoist")
        await room.card("clarify")
        await told(room, "hours 1 to 2", said="From hour 1, To hour 2", person="mia")
        assert len(forms(room)) == 1


async def test_forms_of_one_name_are_told_apart(hours: Service) -> None:
    async with WebRoom(hours.url) as room:
        for n in (1, 2):
            await room.say("mia", "please book a hoist")
            await room.wait_for(lambda m, n=n: len(forms(room)) == n)
        asked = await told(room, "8 December", said="several forms", person="mia")
        assert "Booking (1), Booking (2)" in text_of(asked["parts"])


async def test_forms_of_one_name_are_told_by_what_they_hold(hours: Service) -> None:
    async with WebRoom(hours.url) as room:
        await room.say("mia", "please book a hoist")
        await room.card("clarify")
        await told(room, "hours 1 to 2", said="To hour 2", person="mia")
        await room.say("mia", "please book a hoist")
        await room.wait_for(lambda m: len(forms(room)) == 2)
        asked = await told(room, "8 December", said="several forms", person="mia")
        assert "Booking (From hour 1, To hour 2), Booking." in text_of(asked["parts"])


async def test_a_full_form_is_to_be_checked_and_names_nothing_as_missing(hours: Service) -> None:
    async with WebRoom(hours.url) as room:
        await room.say("mia", "please book a hoist, bay B2, on 8 December, hours 1 to 2, ramble zz")
        form = text_of(await room.card("clarify"))
        assert "Not used: “ramble zz”" in form
        assert "Or answer in text" not in form
        told = await room.wait_for(lambda m: any("please check" in p["html"] for p in m["parts"]))
        assert "a little more" not in text_of(told["parts"])


async def test_the_example_of_an_answer_names_what_is_missing(hours: Service) -> None:
    async with WebRoom(hours.url) as room:
        await room.say("mia", "please book a hoist, bay B2, hours 1 to 2")
        assert "e.g. Day …" in text_of(await room.card("clarify"))


async def test_a_form_takes_a_day_in_words_as_a_text_does(hours: Service) -> None:
    async with WebRoom(hours.url) as room:
        await room.say("mia", "please book a hoist")
        form = await room.card("clarify")
        await room.fill("mia", form, "submit", bay="B2", day="9 December", first="1", last="2")
        assert "-12-09" in text_of(await room.card("confirm"))
