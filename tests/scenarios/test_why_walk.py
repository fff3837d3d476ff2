"""`/why` tells a person how their own last message was read, and nobody else."""

import pytest

from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Service, runs_in
from tests.scenarios.test_mine_walk import listed
from tests.scenarios.test_web_walk import today

pytestmark = pytest.mark.asyncio(loop_scope="module")

STARTED = "record today's visit of P003"
CONDITION = {
    "en": ("once Dr Wu agrees, record today's visit of P003", "“once Dr Wu agrees”"),
    "zh": ("等吴医生同意了再录入P003今天的访视", "「等吴医生同意了再」"),
}
TOLD = {
    "en": ("the request “Record a visit”", "It hangs on a condition", "start nothing"),
    "zh": ("请求「录入一次访视」", "它有一个条件", "什么都没有开始"),
}


async def why(room: WebRoom, person: str, *words: str) -> str:
    """What the person is told of their last message, which has these words."""
    return text_of((await listed(room, person, "/why", *words))["parts"])


async def said(room: WebRoom, text: str) -> None:
    """Lin's message, which is answered."""
    known = len(room.shown)
    await room.say("lin", text)
    await room.wait_for(lambda m: len(room.shown) > known and bool(m["parts"]))


async def test_what_was_started_is_told_with_the_words_of_its_values(own_room: WebRoom) -> None:
    await own_room.say("lin", STARTED)
    await own_room.card("clarify")
    told = await why(own_room, "lin", f"“{STARTED}”", TOLD["en"][0])
    assert "P003, from “P003”" in told
    assert f"{today()}, from “today”" in told
    # Asked again, it tells of the same message: a command is none.
    assert await why(own_room, "lin", f"“{STARTED}”") == told


async def test_an_answer_to_a_form_is_told_with_the_words_of_its_values(own_room: WebRoom) -> None:
    await own_room.say("lin", STARTED)
    await own_room.card("clarify")
    await said(own_room, "weight 61.5 kg")
    told = await why(own_room, "lin", "an answer to the card “")
    assert "61.5 kg, from “" in told
    assert "P003" not in told


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_a_condition_is_told_and_what_its_card_chose(
    shared: Service, own_room: WebRoom, lang: str
) -> None:
    text, condition = CONDITION[lang]
    await own_room.say("lin", text)
    card = await own_room.card("select")
    await why(own_room, "lin", condition, *TOLD[lang])
    assert await runs_in(shared, own_room) == 0
    await own_room.tap("lin", card, "1")
    await own_room.card("clarify")
    chosen = {"en": "You chose this on a card", "zh": "这是您在卡片上选的"}
    assert TOLD[lang][1] not in await why(own_room, "lin", chosen[lang], TOLD[lang][0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("order me a pizza", ("something that I was not sure of", "not near enough")),
        ("don't record today's visit of P003", ("“don't” holds it off", "so I offered: Record")),
        ("不要录入P003今天的访视", ("「不要」表示不要办", "只给出了选项：录入")),
        (
            "Dr Wu says record today's visit of P003",
            ("“says” tells what somebody else says", "not sure enough", "Record a visit"),
        ),
        ("录入P009的体温37.1", ("没有把握", "只给出了选项", "录入一次访视")),
        ("申请财产保全", ("请求「财产保全与证据保全」", "现在的版本还不能办理")),
    ],
)
async def test_what_held_it_back_or_why_it_was_only_offered_is_told(
    shared: Service, own_room: WebRoom, text: str, words: tuple[str, ...]
) -> None:
    await said(own_room, text)
    await why(own_room, "lin", *words)
    assert await runs_in(shared, own_room) == 0


async def test_of_several_parts_each_is_told_by_its_number(own_room: WebRoom) -> None:
    await own_room.say("lin", "查一下 P003 的 ECOG,如果大于 1 就录入今天的访视")
    await own_room.card("select")
    told = await why(
        own_room, "lin", "「查一下 P003 的 ECOG」：提问", "「如果大于 1 就录入今天的访视」：请求"
    )
    assert "查询时用了" in told
    assert "它有一个条件：「如果大于 1」" in told
    assert "排在第 1 部分之后" in told


async def test_everybody_is_told_of_their_own_message_alone(own_room: WebRoom) -> None:
    await own_room.say("lin", STARTED)
    await own_room.card("clarify")
    none = await why(own_room, "zhao")
    assert "P003" not in none
    await own_room.say("zhao", "P001 的 ECOG")
    await own_room.wait_for(lambda m: "2026" in text_of(m["parts"]))
    assert "P003" not in await why(own_room, "zhao", "「P001 的 ECOG」")
    assert "P001" not in await why(own_room, "lin", f"“{STARTED}”")
