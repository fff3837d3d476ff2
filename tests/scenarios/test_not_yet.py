"""What a playbook understands but cannot do yet is said as that, and leaves no run behind."""

import pytest

from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Service, runs_in

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOT_YET = {
    "zh": ("还不能办理", "没有进行任何操作", "现在能办理"),
    "en": ("cannot do it yet", "nothing was done", "can be done now"),
}
NO_RUN = {"zh": "没有进行中的流程", "en": "Nothing is under way"}


@pytest.mark.parametrize(
    ("text", "lang", "name", "playbook", "able"),
    [
        ("申请财产保全", "zh", "财产保全", "民事诉讼（原告）", "收案"),
        ("导入访视数据", "zh", "导入数据", "临床数据", "录入一次访视"),
        (
            "Apply for an extension",
            "en",
            "extension",
            "Civil litigation (plaintiff)",
            "Take in a case",
        ),
        ("import the visit data", "en", "Import data", "Clinical data", "Record a visit"),
    ],
)
async def test_it_is_said_what_it_is_and_what_can_be_done(
    shared: Service, own_room: WebRoom, text: str, lang: str, name: str, playbook: str, able: str
) -> None:
    await own_room.say("lin", text)
    message = await own_room.wait_for(lambda m: bool(m["parts"]))
    (part,) = message["parts"]
    assert message["card"] is None
    assert part["state"] == "failed"
    for said in (name, playbook, able, *NOT_YET[lang]):
        assert said in part["html"]
    await own_room.say("lin", "/runs")
    await own_room.wait_for(lambda m: NO_RUN[lang] in text_of(m))
    assert await runs_in(shared, own_room) == 0
    assert len(own_room.shown) == 2


async def test_what_is_asked_beside_it_is_done_all_the_same(
    shared: Service, own_room: WebRoom
) -> None:
    await own_room.say("lin", "给P004录一条AE,再查一下P003的ECOG,然后录入P003今天的访视")
    message = await own_room.wait_for(lambda m: bool(m["card"]))
    assert [p["state"] for p in message["parts"]] == ["failed", "answered", "needs_you"]
    assert NOT_YET["zh"][0] in message["parts"][0]["html"]
    assert message["card"]["kind"] == "clarify"
    assert await runs_in(shared, own_room) == 1
