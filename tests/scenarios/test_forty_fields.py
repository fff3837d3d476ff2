"""A member is known by an id such as 001-0023, and 40 fields are filled in by 6 forms."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.forty_fields import COUNT, FORMS, fields, of_form, write_register
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start


@pytest.fixture
async def service(start: Start, tmp_path: Path) -> Service:
    folder = write_register(tmp_path / "register")
    return await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
        languages=("en",),
    )


@pytest.fixture
async def room(service: Service) -> AsyncIterator[WebRoom]:
    async with WebRoom(service.url) as room:
        yield room


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("what is the state of 001-0023?", "001-0023 is active."),
        ("state of 001-0024", "Nothing was found."),
    ],
)
async def test_an_id_with_a_hyphen_is_one_name(room: WebRoom, said: str, told: str) -> None:
    await room.say("ida", said)
    await room.wait_for(lambda m: told in text_of(m))


async def open_form(room: WebRoom, form: str) -> Message:
    """The card of that form, once it is there."""

    def matches(message: Message) -> bool:
        card = message["card"]
        return bool(card) and card["title"] == f"Form {form}" and not card["outcome"]

    card: Message = (await room.wait_for(matches))["card"]
    return card


async def test_every_form_is_asked_for_once_and_none_of_its_fields_twice(
    room: WebRoom, service: Service
) -> None:
    assert len(fields()) == COUNT
    await room.say("ida", "record the member 001-0023")
    first = await open_form(room, FORMS[0])
    assert "001-0023" in text_of(first)
    for form in FORMS:
        card = await open_form(room, form)
        asked = [field["name"] for field in card["buttons"][0]["form"]]
        assert [name for name in asked if name != "member"] == [*of_form(form)]
        given = of_form(form) | ({"member": "001-0023"} if "member" in asked else {})
        _, told = await room.fill("ida", card, "submit", **given)
        assert told["ok"], told
    done = await room.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))
    assert "Register" in text_of(done)


async def test_a_value_beyond_its_bound_is_refused_at_its_field(room: WebRoom) -> None:
    await room.say("ida", "record the member 001-0023")
    form = await open_form(room, FORMS[0])
    wrong = of_form(FORMS[0]) | {"intake_1": "201"}
    status, told = await room.fill("ida", form, "submit", **wrong)
    assert status == 422
    assert "200" in told["errors"]["intake_1"]
