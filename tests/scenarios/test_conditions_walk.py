"""Work under a condition: its question is answered first, and the person says whether it holds."""

import pytest

from tests.fakes.web_room import Message, WebRoom
from tests.scenarios.conftest import Service, runs_in
from tests.scenarios.test_did_you_mean import NOTHING, RECORD, closed, part_is
from tests.scenarios.test_web_walk import today

pytestmark = pytest.mark.asyncio(loop_scope="module")

ASK = {
    "zh": "查一下 P003 的 ECOG,如果大于 1 就录入今天的访视",
    "en": "Show me the ECOG of P003, and if it is above 1 record today's visit",
}
TITLE = {"zh": "条件成立吗？", "en": "Does the condition hold?"}


async def asked(room: WebRoom, lang: str = "zh") -> Message:
    """The open card that asks whether the condition holds, below the answer."""
    await room.say("lin", ASK[lang])
    card = await room.card("select")
    (message,) = room.shown.values()
    assert [p["state"] for p in message["parts"]] == ["answered", "needs_you"]
    assert "2026-10-28" in message["parts"][0]["html"]
    return card


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("how", ["tap", "number"])
async def test_when_it_holds_the_run_begins_with_what_was_written(
    shared: Service, own_room: WebRoom, lang: str, how: str
) -> None:
    card = await asked(own_room, lang)
    assert card["title"] == TITLE[lang]
    assert [b["data"].split(":")[2] for b in card["buttons"]] == ["1", "none"]
    assert await runs_in(shared, own_room) == 0
    if how == "tap":
        await own_room.tap("lin", card, "1")
    else:
        await own_room.say("lin", "1")
    form = await own_room.card("clarify")
    assert {row["value"] for row in form["rows"]} == {"P003", today()}
    await closed(own_room)
    assert await runs_in(shared, own_room) == 1


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_when_it_does_not_hold_nothing_is_done_and_that_is_said(
    shared: Service, own_room: WebRoom, lang: str
) -> None:
    card = await asked(own_room, lang)
    for person in ("chen", "zhao"):
        assert not (await own_room.tap(person, card, "1"))[1]["ok"]
    await own_room.tap("lin", card, "none")
    message = await own_room.wait_for(part_is("cancelled", NOTHING[lang]))
    assert "2026-10-28" in message["parts"][0]["html"]
    await closed(own_room)
    assert await runs_in(shared, own_room) == 0


async def test_what_is_unclear_under_a_condition_is_asked_about_after_it(
    shared: Service, own_room: WebRoom
) -> None:
    await own_room.say("lin", f"查一下 P003 的 ECOG,如果大于 1 就{RECORD}")
    card = await own_room.card("select")
    assert card["title"] == TITLE["zh"]
    await own_room.tap("lin", card, "1")
    which = await own_room.wait_for(
        lambda m: bool(m["card"]) and m["card"]["title"] == "你是想…？" and not m["card"]["outcome"]
    )
    assert await runs_in(shared, own_room) == 0
    offered = which["card"]["buttons"]
    visit = next(b["data"].split(":")[2] for b in offered if "访视" in b["label"])
    await own_room.tap("lin", which["card"], visit)
    form = await own_room.card("clarify")
    assert "P009" in [row["value"] for row in form["rows"]]
    assert await runs_in(shared, own_room) == 1


async def test_what_cannot_be_done_yet_asks_for_no_condition(
    shared: Service, own_room: WebRoom
) -> None:
    await own_room.say("lin", "查一下 P003 的 ECOG,如果大于 1 就申请财产保全")
    message = await own_room.wait_for(lambda m: len(m["parts"]) == 2)
    assert [p["state"] for p in message["parts"]] == ["answered", "failed"]
    assert NOTHING["zh"] in message["parts"][1]["html"]
    assert message["card"] is None


async def test_a_condition_that_no_question_finds_out_starts_nothing(
    shared: Service, own_room: WebRoom
) -> None:
    await own_room.say("lin", "如果 P003 的 ECOG 大于 1 就录入今天的访视")
    await own_room.wait_for(lambda m: bool(m["parts"]))
    assert await runs_in(shared, own_room) == 0
