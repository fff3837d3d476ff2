"""What colleagues plainly write in an ordinary month begins, or is answered, at once.

Messages of `tests/bench/router/ordinary`, or like them.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.frames.intents import Intent
from engine.text.language import detect_language
from engine.understanding.context import RouteContext
from engine.understanding.router.chain import route
from tests.bench.router.blind import FOLDERS
from tests.engine.understanding.frames.projects import read_context
from tests.fakes.tables import table


@pytest.fixture(scope="module")
def projects() -> dict[str, RouteContext]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("EXPENSES_TOKEN", "none")
        return {name: read_context(folder) for name, folder in FOLDERS.items() if name != "law"}


async def _read(text: str, context: RouteContext) -> Sequence[Intent]:
    return (await route(text, replace(context, lang=detect_language(text)), None)).intents


@table(
    ("project", "text", "request_"),
    [
        ("clinical", "P003 ECOG录错了，应该是1，麻烦改一下", "data-correction"),
        ("clinical", "P005体重录错了，应该是62.5，不是52.6，帮忙改一下", "data-correction"),
        ("clinical", "P009 3月12号开始恶心,1级,与试验药可能有关,帮忙报个AE", "event-entry"),
        ("clinical", "跑一遍AE和CM的核对吧，监查员周四来", "edit-check"),
        (
            "clinical",
            "P002第3次访视做完了，日期11月4日，体重71，血压128/80，心率76，录入一下谢谢",
            "visit-entry",
        ),
        ("clinical", "P004's age should be 47 not 74, please correct", "data-correction"),
        ("clinical", "P003的体重写错了,把他的体重改成71", "data-correction"),
        (
            "clinical",
            "P006 had grade 2 diarrhoea from 3 May to 5 May, recovered. Please record it as AE.",
            "event-entry",
        ),
        ("clinical", "P002又吐了两次,轻度,昨天下午开始的,今早好了,记一条不良事件", "event-entry"),
        ("clinical", "raise a query on P012, the end date is before the start date", "query-raise"),
        ("expenses", "报销打车费 86元，昨天去客户那", "claim"),
        # How often something comes is no condition, and what "has had" is no question.
        (
            "clinical",
            "P004 started amlodipine 5 mg once daily on 3 March, please record it",
            "medication-entry",
        ),
        (
            "clinical",
            "P002 phoned, has had vomiting three or four times a day. Please record it as an"
            " adverse event",
            "event-entry",
        ),
    ],
)
async def test_what_is_plainly_asked_for_begins_however_it_is_put(
    projects: dict[str, RouteContext], project: str, text: str, request_: str
) -> None:
    found = await _read(text, projects[project])
    assert [(i.kind, i.request, i.sure) for i in found] == [("workflow", request_, True)]


@table(
    ("project", "text"),
    [
        # Values that a question is about.
        ("clinical", "P011的血钾5.9,需要发质疑吗?"),
        ("clinical", "P008体重从65掉到52,是不是录错了?帮我发个query问一下CRC"),
        # A cue of one request, and everything else of others.
        ("clinical", "麻烦把所有受试者的实验室检查导成excel发我"),
        # What no example of the request does.
        ("expenses", "change the date of my taxi claim to 3 June please"),
        ("expenses", "Can you withdraw my claim for the headset? I'm sending it back"),
        ("expenses", "李姐那笔报销帮忙批一下"),
        ("expenses", "Approve Jamal's claim for the monitor please"),
        ("leave", "Can you move my day off from Thursday to Friday?"),
        # A favour that only begs the question, and one for somebody else.
        ("clinical", "这批evidence我看得头都大了,would you mind帮我梳理分析一下?"),
        ("clinical", "他要给P003录一条不良事件"),
        ("clinical", "No. Don't record today's visit of P003"),
        # It is to be shown, not made.
        ("clinical", "证据清单发我看一下，李梅那个案子"),
        # Somebody has to do something first, it is only quoted, or taken back.
        ("clinical", "按照SOP:生成一份质控报告"),
        ("clinical", "明天提醒我登记一条方案偏离"),
        ("clinical", "把代理词改一改这事先放一放"),
        ("clinical", "P004 and P005: weight should be 71, not 17, for both"),
    ],
)
async def test_nothing_begins_that_is_only_near(
    projects: dict[str, RouteContext], project: str, text: str
) -> None:
    found = await _read(text, projects[project])
    assert not [i for i in found if i.kind == "workflow" and i.sure and not i.condition]


@table(
    ("project", "text"),
    [
        ("clinical", "P001年龄多大"),
        ("clinical", "你好,举证期限到什么时候?苏女士那个案子"),
        ("clinical", "那个延期申请已经递了吗?林浩案的"),
        ("clinical", "谁能批数据修改?是PI还是数据经理"),
        ("clinical", "劳动仲裁的时效是一年吗？"),
        ("clinical", "when is the hearing in Baxter v. Lindqvist?"),
        ("leave", "When is Megan back from maternity leave?"),
    ],
)
async def test_what_plainly_asks_is_one_question(
    projects: dict[str, RouteContext], project: str, text: str
) -> None:
    (found,) = await _read(text, projects[project])
    assert (found.kind, found.sure, found.text) == ("qa_query", True, text)


async def test_work_on_a_condition_is_not_other_work_than_rules_read(
    projects: dict[str, RouteContext],
) -> None:
    said = "Once counsel has settled the defence, please prepare the final version for filing."
    (found,) = await _read(said, projects["clinical"])
    assert "filing-package" in {found.request, *(c.request for c in found.candidates)}


async def test_a_bid_that_is_told_is_work_and_no_question(
    projects: dict[str, RouteContext],
) -> None:
    (found,) = await _read("do a work plan for it", projects["clinical"])
    assert (found.kind, found.request) != ("qa_query", "")
    assert "work-plan" in {found.request, *(c.request for c in found.candidates)}


@table(
    ("text", "request_"),
    [
        ("帮我核对一下AE和合并用药页，看有没有对不上的", "edit-check"),
        ("AE和CM两边对一下，看看有没有用了药没报AE的", "edit-check"),
        ("please run the edit checks on P003, see if there are any gaps", "edit-check"),
    ],
)
async def test_what_a_check_is_to_look_for_is_no_question_of_its_own(
    projects: dict[str, RouteContext], text: str, request_: str
) -> None:
    (found,) = await _read(text, projects["clinical"])
    assert (found.kind, found.request, found.text) == ("workflow", request_, text)


async def test_a_question_of_another_thing_stays_one_beside_a_check(
    projects: dict[str, RouteContext],
) -> None:
    found = await _read("跑一遍P003的逻辑核查，看看有没有P005的质疑", projects["clinical"])
    assert [i.kind for i in found] == ["workflow", "qa_query"]


@table(
    ("text", "request_"),
    [
        ("please do the reconciliation of SAEs", "sae-reconciliation"),
        ("please do the SAE reconciliation with PV for November", "sae-reconciliation"),
    ],
)
async def test_to_do_a_thing_is_bidden_and_no_question(
    projects: dict[str, RouteContext], text: str, request_: str
) -> None:
    (found,) = await _read(text, projects["clinical"])
    assert (found.kind, found.request, found.sure) == ("workflow", request_, True)
    (found,) = await _read("do the sites report every AE?", projects["clinical"])
    assert found.kind == "qa_query"


@table(
    ("text", "request_"),
    [
        ("如果P007的AE还没录,就帮忙录一下,腹泻1级,11月15日到17日", "event-entry"),
        ("如果P004的合并用药还没登记,帮我登记一下", "medication-entry"),
        ("如果P003的访视还没录，就录一下", "visit-entry"),
    ],
)
async def test_what_is_to_be_done_with_it_stands_in_the_condition(
    projects: dict[str, RouteContext], text: str, request_: str
) -> None:
    (found,) = await _read(text, projects["clinical"])
    assert found.kind == "workflow"
    assert request_ == next((c.request for c in found.candidates), found.request)
    assert found.condition


async def test_work_that_hangs_on_something_does_not_begin_behind_it(
    projects: dict[str, RouteContext],
) -> None:
    said = "案由先不定，客户确认到底是借款还是投资之后你再来梳理案由，我估计明后天他会回话"
    found = await _read(said, projects["clinical"])
    assert not [i for i in found if i.kind == "workflow" and i.sure and not i.condition]


async def test_a_short_word_is_no_slip_of_one_with_another_letter(
    projects: dict[str, RouteContext],
) -> None:
    table = projects["clinical"].table
    assert [table.correct_typos(word) for word in ("night", "stuck", "prize")] == [
        *("night", "stuck", "prize")
    ]
    assert table.correct_typos("adverze") == "adverze"
    assert table.correct_typos("protokol") == "protocol"
    assert table.correct_typos("protoclo") == "protocol"
    assert table.correct_typos("protocl") == "protocol"


@table(
    ("project", "text"),
    [("expenses", "打车没有发票能报不"), ("leave", "试用期可以请年假不")],
)
async def test_a_verb_and_a_last_no_ask(
    projects: dict[str, RouteContext], project: str, text: str
) -> None:
    assert [i.kind for i in await _read(text, projects[project])] == ["qa_query"]


@table(
    ("project", "text", "offered"),
    [
        (
            "leave",
            "my mum passed away last night. I'll need the rest of the week for the funeral",
            "take",
        ),
        (
            "clinical",
            "We must have their server logs and CCTV secured before they're gone.",
            "preservation",
        ),
    ],
)
async def test_what_somebody_will_need_or_must_have_is_not_only_told(
    projects: dict[str, RouteContext], project: str, text: str, offered: str
) -> None:
    found = [i for i in await _read(text, projects[project]) if not i.sure or i.condition]
    offers = {c.request for i in found for c in i.candidates} | {i.request for i in found}
    assert offered in offers


@table(
    ("project", "text"),
    [
        ("clinical", "P003今天吐了十几次,好几个同事都看见了"),
        ("expenses", "打车几十块,好几次了"),
    ],
)
async def test_a_number_of_times_is_no_question(
    projects: dict[str, RouteContext], project: str, text: str
) -> None:
    found = await _read(text, projects[project])
    assert not [i for i in found if i.kind == "qa_query" and i.sure]
