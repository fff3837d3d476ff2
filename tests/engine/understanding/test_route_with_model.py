"""What rules are not sure of goes to the model, over HTTP; its answer is checked."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from adapters.openai import OpenAIModel, TimeLimits
from cards.model import Card, Choice, Review
from engine.understanding.context import RouteContext
from engine.understanding.router.chain import route
from tests.fakes.model_server import ModelServer, Reply, fail, refuse, say, say_json

ENTRY = "clinical_qc/visit-entry"
MIXED = "订一间会议室,然后录入今天的访视数据"


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server
        assert server.faults == []


@pytest.fixture
async def model(server: ModelServer) -> AsyncIterator[OpenAIModel]:
    model = OpenAIModel(
        api_key=server.api_key, base_url=server.base_url, model="m", limits=TimeLimits(total_s=5)
    )
    yield model
    await model.close()


def piece(kind: str, text: str, playbook: str = "", after: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"kind": kind, "text": text, "route": playbook, "depends_on": list(after)}


def pieces(*given: dict[str, Any]) -> Reply:
    return say_json({"pieces": list(given)})


async def test_the_model_sees_the_whole_message_and_its_pieces_stand(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    server.script(
        [
            pieces(
                piece("unclear", "订一间会议室"),
                piece("workflow", "录入今天的访视数据", ENTRY, (0,)),
            )
        ]
    )
    routed = await route(MIXED, context, model)
    assert [(i.kind, i.text, i.playbook, i.depends_on) for i in routed.intents] == [
        ("unclear", "订一间会议室", "", ()),
        ("workflow", "录入今天的访视数据", "clinical_qc", (0,)),
    ]
    assert [v.strategy for v in routed.verdicts if v.sure] == ["model"]
    (request,) = server.requests
    assert json.loads(request["messages"][-1]["content"])["message"] == MIXED
    assert server.api_key not in json.dumps(request)


async def test_a_message_that_rules_are_sure_of_never_reaches_the_model(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    await route("帮我查一下 P003 的 ECOG,然后录入今天的访视数据", context, model)
    assert server.requests == []


@pytest.mark.parametrize(
    "text",
    [
        "为什么 P003 的 ECOG 变差了",
        "How do I record a visit?",
        "Is P010 lighter now than at its first visit, and by how much?",
    ],
)
async def test_a_question_without_a_look_up_is_left_to_the_react_engine(
    text: str, server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    (intent,) = (await route(text, context, model)).intents
    assert (intent.kind, intent.lookup, intent.text) == ("qa_query", None, text)
    assert server.requests == []


async def test_a_question_with_words_that_ask_for_more_than_its_rest_is_the_router_s(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    text = "Was P003 dizzy, and can you note that down?"
    server.script([pieces(piece("qa_query", text))])
    await route(text, context, model)
    (request,) = server.requests
    told = request["messages"][0]["content"]
    assert "- read_clinical_data: " in told
    assert "nearest" not in told, "how a tool is called is for who answers"


PARTLY = (
    "What was P003's weight at enrolment?",
    "Has P003's ECOG got worse?",
    "A 组有多少受试者出现过不良事件？",
    "P003 有哪些访视超窗了？",
    "How many visits of P003 were out of window?",
    "Which visits of P003 were out of window?",
    "P008 有几次访视超窗了？",
    "How many subjects are enrolled at site 02",
    "统计师要的 listing 能导出吗",
    "Which protocol deviations does site 02 have?",
)


@pytest.mark.parametrize("text", PARTLY)
async def test_with_a_model_a_look_up_answers_only_what_it_wholly_explains(
    text: str, server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    server.script(lambda request: pieces(piece("qa_query", text)))
    (intent,) = (await route(text, context, model)).intents
    assert (intent.kind, intent.lookup) == ("qa_query", None)


@pytest.mark.parametrize(
    ("text", "left"), [(PARTLY[0], "enrolment"), (PARTLY[1], "worse"), (PARTLY[2], None)]
)
async def test_without_a_model_what_is_known_is_told_with_what_is_left_out(
    text: str, left: str | None, context: RouteContext
) -> None:
    (intent,) = (await route(text, context, None)).intents
    assert (intent.lookup is not None, intent.left or None) == (left is not None, left)


@pytest.mark.parametrize(
    "text",
    ["体重没什么变化", "P003 的体重没什么变化。", "ECOG 没怎么变", "什么都没变", "没有什么不舒服"],
)
async def test_a_remark_is_no_question_for_a_word_that_elsewhere_asks(
    text: str, server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    server.script([pieces(piece("unclear", text))])
    (intent,) = (await route(text, context, model)).intents
    assert (intent.kind, len(server.requests)) == ("unclear", 1)
    (alone,) = (await route(text, replace(context), None)).intents
    assert alone.kind == "unclear"


@pytest.mark.parametrize("text", ["体重有没有什么变化", "体重没什么变化吗？", "有什么变化"])
async def test_what_does_ask_with_that_word_is_a_question(text: str, context: RouteContext) -> None:
    (intent,) = (await route(text, context, None)).intents
    assert intent.kind == "qa_query"


async def test_a_remark_stays_with_the_work_or_the_question_that_it_is_for(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    text = "录入 P003 今天的访视，体重没什么变化"
    server.script([pieces(piece("workflow", text, ENTRY) | {"condition": ""})])
    (work,) = (await route(text, context, model)).intents
    assert (work.kind, work.request, work.text) == ("workflow", "visit-entry", text)
    (offered,) = (await route(text, replace(context), None)).intents
    assert offered.candidates[0].request == "visit-entry"
    text = "查一下 P003 的 ECOG。体重没什么变化。P001 有这样的情况吗？"
    intents = (await route(text, replace(context), None)).intents
    assert [i.kind for i in intents] == ["qa_query", "qa_query"]
    assert all("P00" in intent.text for intent in intents), "the remark is no part of its own"


@pytest.mark.parametrize(
    "text",
    [
        "hi! who are you and can you approve visits yourself?",
        "Sorry, the scale broke again. What is the ECOG of P003?",
    ],
)
async def test_what_stands_in_no_piece_of_the_rules_is_the_model_s(
    text: str, server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    server.script([pieces(piece("qa_query", text))])
    (intent,) = (await route(text, context, model)).intents
    assert (intent.kind, intent.text) == ("qa_query", text)
    assert len(server.requests) == 1


async def test_a_look_up_that_the_model_finds_needs_no_model_to_answer(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    text = "会议室没了,那就 P003 的 ECOG"
    server.script([pieces(piece("qa_query", "P003 的 ECOG"))])
    (intent,) = (await route(text, context, model)).intents
    assert intent.lookup is not None
    assert intent.lookup.arguments == {"subject_id": "P003", "field": "ecog"}


async def test_when_something_is_looked_up_is_no_part_of_what(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    text = "先查 P003 的 ECOG，大于等于 2 就录入今天的访视"
    asked, _, work = text.partition("，")
    held = piece("workflow", f"，{work}", ENTRY, (0,)) | {"condition": "大于等于 2"}
    server.script([pieces(piece("qa_query", asked), held)])
    first, second = (await route(text, context, model)).intents
    assert first.lookup is not None
    assert (second.text, second.depends_on) == (work, (0,))


@pytest.mark.parametrize(
    "wrong",
    [
        say("I think it is a workflow"),
        say('{"pieces": []}'),
        pieces(piece("workflow", "录入明天的访视数据", ENTRY)),
        pieces(piece("workflow", "录入今天的访视数据", "drop_tables")),
        pieces(piece("workflow", "录入今天的访视数据")),
        pieces(piece("qa_query", "订一间会议室", ENTRY)),
        pieces(piece("command", "订一间会议室")),
        pieces(piece("unclear", "订一间会议室", after=(0,))),
        pieces(piece("unclear", "  ")),
        pieces(piece("card_reply", MIXED)),
        pieces(piece("unclear", "订一间 … 血压")),
        pieces(
            piece("unclear", MIXED),
            piece("workflow", "录入今天的访视数据", ENTRY),
        ),
        say_json({"pieces": [{"kind": "unclear"}]}),
    ],
)
async def test_a_faulty_answer_is_repaired_once(
    wrong: Reply, server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    server.script([wrong, pieces(piece("unclear", MIXED))])
    routed = await route(MIXED, context, model)
    assert routed.intents[0].why == "the model's answer"
    assert len(server.requests) == 2
    assert "does not hold" in server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "replies",
    [
        [say("no"), say("still no")],
        [refuse()],
        [fail(500), fail(503), fail(500)],
        [fail(401)],
    ],
)
async def test_without_a_usable_answer_only_what_rules_are_sure_of_stands(
    replies: list[Reply], server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    server.script(replies)
    routed = await route("查一下 P003 的 ECOG,另外订一间会议室", context, model)
    assert [i.kind for i in routed.intents] == ["qa_query", "unclear"]
    assert routed.intents[0].lookup is not None
    assert [v.strategy for v in routed.verdicts if v.sure] == ["unclear"]


@pytest.mark.parametrize(
    "text",
    [
        "Record today's visit of P003, ECOG hasn't changed",
        "Don't forget that today's visit of P003 is to be recorded",
        "If you have a moment, record the visit of P003",
        "Would be great if the visit of P003 could get recorded before lunch",
        "若方便的话，录入 P003 今天的访视",
        "Can't do it myself: today's visit of P003 needs entering",
        "不用等我，把 P003 今天的访视录了",
    ],
)
@pytest.mark.parametrize("kind", ["workflow", "unclear"])
async def test_what_the_model_reads_no_word_overrules(
    kind: str, text: str, server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    given = piece(kind, text, ENTRY if kind == "workflow" else "") | {"condition": ""}
    server.script([pieces(given)])
    (intent,) = (await route(text, context, model)).intents
    assert (intent.kind, intent.text, intent.condition) == (kind, text, "")


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("先别录入今天的访视", [piece("workflow", "录入今天的访视", ENTRY)]),
        (
            "先别录入今天的访视",
            [
                piece("unclear", "先别"),
                piece("workflow", "录入今天的访视", ENTRY),
            ],
        ),
        ("他说“录入今天的访视”", [piece("workflow", "录入今天的访视", ENTRY)]),
        (
            "录入今天的访视。算了,不用了",
            [piece("workflow", "录入今天的访视", ENTRY)],
        ),
        (
            "请问怎样才能录入今天的访视",
            [piece("workflow", "录入今天的访视", ENTRY)],
        ),
    ],
)
async def test_no_request_is_cut_out_of_its_prohibition(
    text: str,
    given: list[dict[str, Any]],
    server: ModelServer,
    model: OpenAIModel,
    context: RouteContext,
) -> None:
    server.script(lambda request: pieces(*given))
    routed = await route(text, context, model)
    assert all(intent.kind != "workflow" for intent in routed.intents)


async def test_many_messages_are_routed_at_once(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    server.script(lambda request: pieces(piece("unclear", _message(request))))
    texts = [f"{MIXED} {n}" for n in range(8)]
    routed = await asyncio.gather(*(route(text, context, model) for text in texts))
    assert [r.intents[0].text for r in routed] == texts


def _message(request: dict[str, Any]) -> str:
    said: str = json.loads(request["messages"][-1]["content"])["message"]
    return said


@pytest.mark.parametrize("cut", ["如果大于 1 就录入今天的访视", "录入今天的访视"])
@pytest.mark.parametrize("after", [(0,), ()])
async def test_a_condition_in_the_person_s_words_is_never_the_model_s_to_drop(
    cut: str, after: tuple[int, ...], server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    asked = "查一下 P003 的 ECOG"
    given = (piece("qa_query", asked), piece("workflow", cut, ENTRY, after))
    server.script(lambda request: pieces(*given, piece("unclear", "订一间会议室")))
    text = f"{asked},如果大于 1 就录入今天的访视。订一间会议室"
    _, work, _ = (await route(text, context, model)).intents
    if after and cut.startswith("如果"):
        assert (work.kind, work.condition, work.depends_on) == ("workflow", "如果大于 1", after)
    else:
        assert (work.kind, [c.request for c in work.candidates]) == ("unclear", ["visit-entry"])
        assert work.note == ("left_out" if cut.startswith("录入") else "hangs"), "with the reason"
        assert not work.sure


@pytest.mark.parametrize("beside", ["Record today's visit of P005. ", ""])
async def test_whether_a_condition_holds_is_asked_where_nothing_else_asks_it(
    beside: str, server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    condition = "only if P007 had an adverse event"
    text = f"{beside}Record today's visit of P007 too, {condition}"
    first = (piece("workflow", beside, ENTRY),) if beside else ()
    held = piece("workflow", text[len(beside) :], ENTRY) | {"condition": condition}
    server.script([pieces(*first, held)])
    *_, check, work = (await route(text, context, model)).intents
    assert (check.kind, check.text) == ("qa_query", f"「{condition}」成立吗？")
    assert (work.condition, work.depends_on) == (condition, (len(first),))


async def test_work_that_cannot_be_done_yet_asks_for_no_condition(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    name = next(name for name, request in context.requests if request.not_yet)
    text = "Only if P003 had an adverse event, do that other thing for me"
    held = piece("workflow", text, name) | {"condition": "Only if P003 had an adverse event"}
    server.script([pieces(held)])
    (work,) = (await route(text, context, model)).intents
    assert (work.kind, work.depends_on) == ("workflow", ())


LONG = "P003 的病程记录如下：" + "患者今日一般情况可，饮食睡眠正常，二便如常，无发热。" * 160
"""About 4,000 characters of background."""


async def test_a_long_text_is_read_by_the_first_and_last_words_of_its_pieces(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    text = f"{LONG}请录入今天的访视。另外入组标准里对年龄怎么要求？"
    work = piece("workflow", "P003 的病程记录 … 录入今天的访视。", ENTRY) | {"condition": ""}
    server.script([pieces(work, piece("qa_query", "另外入组标准 … 要求？"))])
    first, second = (await route(text, context, model)).intents
    assert (first.kind, first.text) == ("workflow", f"{LONG}请录入今天的访视。")
    assert (second.kind, second.text) == ("qa_query", "另外入组标准里对年龄怎么要求？")
    (request,) = server.requests
    assert request["messages"][-1]["content"].count(LONG) == 1
    assert request["max_tokens"] > 800 + len(LONG) // 5


async def test_an_answer_that_was_cut_off_is_told_so(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    server.script([say('{"pieces": [{"kind": "unc', cut=True), pieces(piece("unclear", MIXED))])
    await route(MIXED, context, model)
    assert "cut off" in server.requests[-1]["messages"][-1]["content"]


@pytest.mark.parametrize("fenced", ["```json\n@\n```", "<think>{hm}</think>\n@", "So:\n@"])
async def test_fences_thoughts_and_prose_around_the_answer_are_read(
    fenced: str, server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    given = json.dumps({"pieces": [piece("not_possible", MIXED)]}, ensure_ascii=False)
    server.script([say(fenced.replace("@", given))])
    (intent,) = (await route(MIXED, context, model)).intents
    assert (intent.kind, intent.note, intent.candidates) == ("unclear", "not_possible", ())


async def test_what_surely_asks_is_a_question_where_the_sorting_model_has_no_answer(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    server.script([fail(404)])
    (intent,) = (await route(f"{LONG}这样的病人能不能入组？", context, model)).intents
    assert intent.kind == "qa_query"


@pytest.mark.parametrize(
    ("given", "offered"),
    [
        ([piece("workflow", "录入今天的访视数据", ENTRY)], "left_out"),
        (
            [
                piece("unclear", "订一间会议室,然后录入今天的访视"),
                piece("workflow", "数据", ENTRY),
            ],
            "in_doubt",
        ),
    ],
)
async def test_work_that_is_cut_out_is_offered_with_the_reason(
    given: list[dict[str, Any]],
    offered: str,
    server: ModelServer,
    model: OpenAIModel,
    context: RouteContext,
) -> None:
    server.script(lambda request: pieces(*given))
    intent = (await route(MIXED, context, model)).intents[-1]
    assert (intent.kind, intent.note) == ("unclear", offered)
    assert [c.request for c in intent.candidates] == ["visit-entry"]


async def test_an_option_that_a_text_means_is_named_and_not_chosen(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    card = Card(
        kind="select",
        token="00-card",
        run="",
        conversation="web:local:main",
        lang="zh",
        title="哪一次访视?",
        choices=(Choice(id="1", label="第一次"), Choice(id="2", label="第二次")),
        review=Review(persons=("li",)),
        requester="li",
    )
    text = "不是第一个,要另一个吧"
    reply = piece("card_reply", text) | {"card": 1, "option": "2"}
    server.script([pieces(reply)])
    here = replace(context, open_cards=(card,))
    (intent,) = (await route(text, here, model)).intents
    assert intent.kind == "unclear"
    assert "第二次" in intent.told
    assert "第一次" not in intent.told


async def test_a_question_about_a_case_is_no_look_up(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    server.script([pieces(piece("about_case", MIXED))])
    (intent,) = (await route(MIXED, context, model)).intents
    assert (intent.kind, intent.lookup) == ("qa_query", None)


async def test_the_model_is_told_what_cannot_be_done_yet_in_the_person_s_language(
    server: ModelServer, model: OpenAIModel, context: RouteContext
) -> None:
    server.script([pieces(piece("unclear", MIXED))])
    await route(MIXED, replace(context, lang="en"), model)
    told = server.requests[0]["messages"][0]["content"]
    routes = [json.loads(line) for line in told.splitlines() if line.startswith('{"route"')]
    later = {name for name, request in context.requests if request.not_yet}
    assert {each["route"] for each in routes if each.get("not_yet")} == later
    assert all(example.isascii() for each in routes for example in each["examples"])
