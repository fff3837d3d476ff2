"""Somebody asks for the same work for somebody else, while the first form is still open."""

import pytest

from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Start


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("录入 P003 今天的访视，体重 61 公斤", "P004 也要"),
        ("Record a visit of P003", "the same for P004"),
    ],
)
async def test_the_same_request_has_a_form_of_its_own_and_takes_no_value_over(
    start: Start, first: str, second: str
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:

        def is_form_of(subject: str, message: Message) -> bool:
            card = message["card"]
            return bool(card) and card["kind"] == "clarify" and subject in text_of(card)

        await room.say("lin", first)
        await room.wait_for(lambda m: is_form_of("P003", m))
        await room.say("lin", second)
        form = (await room.wait_for(lambda m: is_form_of("P004", m)))["card"]
        assert "P003" not in text_of(form)
        fields = next(button["form"] for button in form["buttons"] if button["form"])
        given = {field["name"]: field["value"] for field in fields if field["value"]}
        assert given in ({}, {"subject_id": "P004"})
