"""Project folders that new authors wrote from the docs alone, and what people ask of them.

`helpdesk` has ten examples of each request in each language, `wind` and `school` five, `venue`
three, `flats` three in Chinese alone.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.frames.intents import Intent
from engine.text.language import detect_language
from engine.understanding.context import RouteContext
from engine.understanding.router.chain import route
from tests.bench.router.blind import NEWCOMERS
from tests.engine.understanding.frames.projects import read_context
from tests.fakes.tables import table

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def projects() -> Mapping[str, RouteContext]:
    return {name: read_context(HERE / name) for name in NEWCOMERS}


async def _read(text: str, context: RouteContext) -> Sequence[Intent]:
    return (await route(text, replace(context, lang=detect_language(text)), None)).intents


@table(
    ("project", "text", "request_"),
    [
        # What else somebody might order or buy is no reason to doubt it.
        ("helpdesk", "please order two monitors for Jonas Keller", "order-equipment"),
        ("venue", "please buy 6 projectors", "purchase"),
        # A day is nobody's work, though one example alone has it.
        ("venue", "book a meeting room for 30 people on Friday", "book-room"),
        (
            "venue",
            "book the Rhine hall for Nordwind on 10 December 2026 from 10 to 12, 200 people",
            "book-room",
        ),
        # A day that a field asks for, and why.
        (
            "helpdesk",
            "give Tom Baker read access to Jira until 31 March because of the audit",
            "grant-access",
        ),
        (
            "helpdesk",
            "could you give Priya edit access to Jira until the end of January? It is for Tom",
            "grant-access",
        ),
        # Whom it is for may be told behind it.
        ("helpdesk", "给吴倩开Jira，编辑权限，到明年3月底，她接手支付项目", "grant-access"),
        ("helpdesk", "登录的时候验证码收不到，帮我重置一下二次验证吧", "reset-second-factor"),
        # A request is asked for by its name, and the rest says what it needs.
        ("flats", "厕所的灯不亮了，麻烦报修，1-0804", "report-repair"),
    ],
)
async def test_what_is_plainly_asked_for_begins(
    projects: Mapping[str, RouteContext], project: str, text: str, request_: str
) -> None:
    (found,) = await _read(text, projects[project])
    assert (found.kind, found.request, found.sure) == ("workflow", request_, True)


@table(
    ("project", "text", "request_"),
    [
        ("helpdesk", "VPN is down", "report-incident"),
        ("helpdesk", "ERP又卡死了", "report-incident"),
        ("helpdesk", "仓库的扫码枪连不上了", "report-incident"),
        ("venue", "lift 2 stuck on 3rd floor, nobody inside", "repair"),
        ("venue", "大堂那棵圣诞树的灯又不亮了", "repair"),
        ("venue", "一号厅的灯,左边那一排,全灭了", "repair"),
        ("venue", "The dishwasher behind the bar is leaking again, water all over", "repair"),
        ("venue", "the socket in hall 2 is sparking", "repair"),
        ("venue", "a smell of burning in the kitchen", "repair"),
        ("venue", "一号厅的插座冒火花，赶紧来人看看", "repair"),
        ("venue", "厨房有股煤气味", "repair"),
        ("venue", "大堂的灯坏了好几天了", "repair"),
    ],
)
async def test_what_does_not_work_is_offered_to_those_who_take_reports_of_it(
    projects: Mapping[str, RouteContext], project: str, text: str, request_: str
) -> None:
    (found,) = await _read(text, projects[project])
    assert not found.sure
    assert found.candidates[0].request == request_


@table(
    ("project", "text"),
    [
        ("helpdesk", "is the VPN down?"),
        ("helpdesk", "谁知道打印机为什么坏了吗？"),
        ("helpdesk", "who is on call today"),
    ],
)
async def test_a_question_of_trouble_stays_one(
    projects: Mapping[str, RouteContext], project: str, text: str
) -> None:
    (found,) = await _read(text, projects[project])
    assert found.kind == "qa_query"


async def test_trouble_that_is_bidden_to_be_mended_is_a_part_of_that_work(
    projects: Mapping[str, RouteContext],
) -> None:
    said = "舞台的灯坏了，麻烦报修"
    (found,) = await _read(said, projects["venue"])
    assert (found.kind, found.request, found.text) == ("workflow", "repair", said)


async def test_trouble_beside_what_is_asked_for_changes_nothing_of_it(
    projects: Mapping[str, RouteContext],
) -> None:
    said = "麻烦把冯凯的二次认证重置下，他旧手机进水开不了机了"
    (found,) = await _read(said, projects["helpdesk"])
    assert found.candidates[0].request == "reset-second-factor"


async def test_trouble_is_offered_beside_three_that_may_be_meant(
    projects: Mapping[str, RouteContext],
) -> None:
    said = "員工餐廳的冷氣漏水,已經放了水桶,請安排師傅明天早上過來看。"
    (found,) = await _read(said, projects["venue"])
    assert "repair" in {each.request for each in found.candidates}


async def test_work_hangs_on_the_side_that_says_so(projects: Mapping[str, RouteContext]) -> None:
    said = "如果还有库存，给我配一个降噪耳机，开放办公区实在太吵了"
    (found,) = await _read(said, projects["helpdesk"])
    assert found.condition == "如果还有库存"


async def test_a_bid_is_not_taken_for_something_told(projects: Mapping[str, RouteContext]) -> None:
    said = "Remove Ravi from the production servers right now, I'll explain later."
    (found,) = await _read(said, projects["helpdesk"])
    assert not found.sure
    assert "remove-access" in {each.request for each in found.candidates}


@table(
    ("text", "request_"),
    [
        ("pls remove edit acces for Sven Lindqvist on Jira", "remove-access"),
        ("please remove read access to Jira", "remove-access"),
    ],
)
async def test_what_a_verb_bids_is_no_request_that_is_never_asked_for_by_it(
    projects: Mapping[str, RouteContext], text: str, request_: str
) -> None:
    (found,) = await _read(text, projects["helpdesk"])
    assert request_ == next((c.request for c in found.candidates), found.request)
    assert found.request != "grant-access" or not found.sure


async def test_what_comes_before_that_is_no_condition(
    projects: Mapping[str, RouteContext],
) -> None:
    said = "I dropped my laptop LT-0871, so I'd be grateful for a replacement before that."
    (found,) = await _read(said, projects["helpdesk"])
    assert not found.condition
    assert found.candidates[0].request == "replace-device"


@table(
    ("text", "request_"),
    [
        ("LT-0388 键盘坏了，帮我换一台", "replace-device"),
        ("LT-0388's hinge is broken, please replace it", "replace-device"),
    ],
)
async def test_what_work_is_of_may_be_told_before_it(
    projects: Mapping[str, RouteContext], text: str, request_: str
) -> None:
    (found,) = await _read(text, projects["helpdesk"])
    assert request_ == next((c.request for c in found.candidates), found.request)
    assert "LT-0388" in found.text


@table(
    ("text", "tool"),
    [
        ("who is on call on Saturday", "who_is_on_call"),
        ("下周六谁值班", "who_is_on_call"),
        # What is past may be another week's.
        ("who was on call on Saturday?", ""),
        # Next Friday is in four days for some, and in eleven for others.
        ("who's on call next Friday?", ""),
        ("who is on call every Saturday", ""),
    ],
)
async def test_a_look_up_of_a_day_reads_a_weekday_that_can_be_one_alone(
    projects: Mapping[str, RouteContext], text: str, tool: str
) -> None:
    (found,) = await _read(text, projects["helpdesk"])
    assert (found.kind, found.lookup.tool if found.lookup else "") == ("qa_query", tool)


@table(
    "text",
    [
        "先别报修，厕所的灯不亮，1-0804",
        "厕所的灯不亮了，先不要报修，1-0804",
        "厕所的灯不亮了，经理说要报修，1-0804",
    ],
)
async def test_what_only_has_the_name_of_a_request_begins_nothing(
    projects: Mapping[str, RouteContext], text: str
) -> None:
    assert not [i for i in await _read(text, projects["flats"]) if i.kind == "workflow" and i.sure]


async def test_it_is_what_the_question_before_was_of(
    projects: Mapping[str, RouteContext],
) -> None:
    said = "who has LT-0412 and is it under warranty?"
    owner, warranty = await _read(said, projects["helpdesk"])
    assert owner.lookup is not None
    assert warranty.lookup == owner.lookup


def _taught(folder: Path, name: str, examples: Sequence[str], **changed: Any) -> RouteContext:
    """The conference centre with these examples of a request."""
    copy = Path(shutil.copytree(HERE / "venue", folder / "venue", dirs_exist_ok=True))
    path = copy / "playbooks" / name / "playbook.yaml"
    playbook = yaml.safe_load(path.read_text("utf-8")) | changed
    playbook["requests"][0] |= {"name": {"en": "Work", "zh": "办事"}, "examples": list(examples)}
    path.write_text(yaml.safe_dump(playbook, allow_unicode=True), "utf-8")
    return read_context(copy)


def test_a_request_takes_reports_where_one_of_four_examples_is_one(tmp_path: Path) -> None:
    told = ["the shower is broken", *(f"mend the {each}" for each in ("door", "lamp", "tap"))]
    context = _taught(tmp_path, "repair", told)
    assert context.table.trouble_groups == {"repair/repair"}
    context = _taught(tmp_path, "repair", [*told, "mend the window"])
    assert not context.table.trouble_groups


CANCELLING = [
    "cancel booking B-120",
    "please cancel B-133, the client is ill",
    "call off the booking B-140",
    "取消预订B-120",
    "把B-133取消掉，客户病了",
]


@pytest.fixture
def cancelling(tmp_path: Path) -> RouteContext:
    """The conference centre, where a request is to cancel a booking."""
    return _taught(tmp_path, "give-discount", CANCELLING, cues=["cancel", "call off", "取消"])


@table(
    "text",
    ["cancel B-219, the client went bust", "could you cancel B-219?", "取消B-377"],
)
async def test_to_cancel_is_asked_for_where_a_request_is_to_cancel(
    cancelling: RouteContext, text: str
) -> None:
    (found,) = await _read(text, cancelling)
    assert (found.kind, found.request, found.sure) == ("workflow", "give-discount", True)


@table(
    "text",
    ["don't cancel B-219", "先别取消B-377", "cancel it", "never mind, cancel that", "先取消吧"],
)
async def test_what_names_nothing_or_forbids_cancels_nothing_there(
    cancelling: RouteContext, text: str
) -> None:
    assert not [i for i in await _read(text, cancelling) if i.kind == "workflow" and i.sure]


def test_work_is_to_cancel_where_one_of_four_examples_is(tmp_path: Path) -> None:
    told = ["cancel the first discount", *(f"five percent for B-{n}" for n in (120, 121, 122))]
    assert _taught(tmp_path, "give-discount", told, cues=["discount"]).table.undoes
    told.append("ten percent for B-123")
    assert not _taught(tmp_path, "give-discount", told, cues=["discount"]).table.undoes


def test_a_cue_asks_for_a_request_where_one_of_five_texts_of_it_has_it(tmp_path: Path) -> None:
    # Its name in two languages is two texts of it.
    said = ["buy chairs", "we want tables", "get us lamps"]
    context = _taught(tmp_path, "purchase", said, cues=["buy"])
    assert context.table.asking_cues("buy 6 projectors", "purchase") == ("buy",)
    assert not context.table.asking_cues("buy 6 projectors", "repair")
    context = _taught(tmp_path, "purchase", [*said, "get us cups"], cues=["buy"])
    assert not context.table.asking_cues("buy 6 projectors", "purchase")


async def test_the_verb_of_another_playbook_begins_none_of_this_one(
    projects: Mapping[str, RouteContext],
) -> None:
    """Periods are of substitutions alone, and booking is of rooms."""
    text = "book the library for friday 13th, periods 3 to 4, reading competition"
    (found,) = await _read(text, projects["school"])
    assert (found.kind, found.candidates[0].playbook) == ("unclear", "rooms")
