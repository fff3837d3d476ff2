"""What messages mean to the rules alone: a table, one line a message."""

from dataclasses import replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from cards.model import Lang
from engine.frames.intents import Intent, Lookup
from engine.understanding.context import RouteContext
from engine.understanding.router.chain import STRATEGIES, route
from tests.engine.understanding.routes import CONTEXT, TABLE
from tests.fakes.tables import table
from tests.fakes.tries import tries

START, LATER, TALK, ASKS, DOUBT = "start", "later", "talk", "qa_query", "?"
HELD = "held"
"""Work that is asked about, with the condition on which it hangs."""


def _short(intent: Intent) -> str:
    """An intent as the tables write it."""
    match intent.kind:
        case "workflow" if intent.condition and not intent.depends_on:
            return HELD
        case "workflow":
            able = TABLE.phases_of(f"{intent.playbook}/{intent.request}") is not None
            return START if able else LATER
        case "qa_query" if intent.lookup:
            return " + ".join(_asked(lookup) for lookup in (intent.lookup, *intent.more))
        case "smalltalk":
            return TALK
        case "unclear":
            return DOUBT
        case kind:
            return kind


def _asked(lookup: Lookup) -> str:
    what = lookup.arguments.get("field") or lookup.tool
    named = (v for k, v in lookup.arguments.items() if k.endswith(("_id", "_date")))
    return " ".join((what, *named))


MESSAGES = [
    # the two of the specification
    ("帮我查一下 P003 的 ECOG,然后录入今天的访视数据", ["ecog P003", START]),
    ("Show me the ECOG of P003, then record today's visit", ["ecog P003", START]),
    # look-ups
    ("帮我查一下 P003 的 ECOG", ["ecog P003"]),
    ("P003 ECOG", ["ecog P003"]),
    ("p007 体重多少?", ["weight_kg P007"]),
    ("What was the blood pressure of P004 on 2026-11-20?", ["blood_pressure P004 2026-11-20"]),
    ("P001 今天在访视窗口内吗", ["check_visit_window P001 2026-11-23"]),
    ("入组标准是什么?", ["search_protocol"]),
    ("how many subjects are there today?", ["get_project_stats"]),
    ("P003 的 ECOG、体重和血压", ["read_clinical_data P003"]),
    ("Show me the weight and the blood pressure of P003", ["read_clinical_data P003"]),
    ("你好,帮我查一下 P003 的 ECOG,谢谢!", ["ecog P003"]),
    ("Show P003's ECOG; then show P004's weight", ["ecog P003", "weight_kg P004"]),
    ("1. Show P003's ECOG\n2. Show P004's weight", ["ecog P003", "weight_kg P004"]),
    ("1) Show P003's ECOG\n2) Show P004's weight", ["ecog P003", "weight_kg P004"]),
    ("1. P003 的 ECOG 是多少\n2. P004 体重多少", ["ecog P003", "weight_kg P004"]),
    # workflows
    ("录入今天的访视数据", [START]),
    ("麻烦帮我录入 P003 今天的访视,谢谢", [START]),
    ("能帮我录入今天的访视数据吗?", [START]),
    ("录入今天的访视数据,好吗?", [START]),
    ("Could you please record today's visit?", [START]),
    ("I need to log a new visit for P005", [START]),
    ("录入 P003 今天的访视,ECOG 1,体重 70.5kg,血压 120/80,无不良事件", [START]),
    ("Record today's visit of P003: ECOG 1, weight 70.5 kg, no adverse events", [START]),
    ("帮我 record 今天的 visit", [START]),
    ("draft a complaint", [START]),
    ("apply for an extension", [LATER]),
    # two workflows
    ("录入 P003 的访视,然后录入 P004 的访视", [START, START]),
    ("Record today's visit for P003 and then draft a complaint", [START, START]),
    ("Record today's visit for P003 and then apply for an extension", [START, LATER]),
    ("起草一份民事起诉状;另外登记一次新的访视", [START, START]),
    ("申请财产保全;另外登记一次新的访视", [LATER, START]),
    # slips of the pen
    ("recrod today's visit", [START]),
    ("录入今天的仿视数据", [START]),
    ("Recorded today's visit", [DOUBT]),
    # forbidden, taken back
    ("不要录入今天的访视数据", [DOUBT]),
    ("先别录入今天的访视", [DOUBT]),
    ("Don't record today's visit", [DOUBT]),
    ("never record a visit", [DOUBT]),
    ("还没录入今天的访视数据", [DOUBT]),
    ("误录入今天的访视数据", [DOUBT]),
    ("录入今天的访视数据。算了,不用了", [DOUBT, DOUBT]),
    ("Record today's visit. No, wait.", [DOUBT, DOUBT]),
    ("不要查 P003 的 ECOG", [DOUBT]),
    # asked how, or whether
    ("怎么录入访视数据?", [ASKS]),
    ("How do I record a visit?", [ASKS]),
    ("Can I record a visit?", [DOUBT]),
    ("P003 的访视录入了吗", [ASKS]),
    ("Record today's visit?", [DOUBT]),
    # told, planned, quoted
    ("我昨天录入了访视数据", [DOUBT]),
    ("今天的访视数据已经录入", [DOUBT]),
    ("The visit was recorded", [DOUBT]),
    ("I will record a visit tomorrow", [DOUBT]),
    ("他说“录入今天的访视数据”", [DOUBT]),
    ('"record today\'s visit" is what the manual says', [DOUBT]),
    ("P003's weight is 70.5 kg", [DOUBT]),
    ("P003 无不良事件", [DOUBT]),
    ("record keeping is hard", [DOUBT]),
    ("访视录入流程太复杂", [DOUBT]),
    ("查看今天的访视数据", [ASKS]),
    ("删除 P003 的访视", [LATER]),
    ("delete the ECOG of P003", [LATER]),
    # conditions stay with what they condition
    ("如果 P003 的 ECOG 大于 1,就录入今天的访视数据", [HELD]),
    ("If P003 is in the window, record today's visit", [HELD]),
    ("等 P003 的批准下来,然后录入今天的访视", [HELD]),
    ("Record today's visit once P003 has signed", [HELD]),
    ("record today's visit for P004, provided that Dr Wu agrees", [HELD]),
    ("录入 P004 今天的访视,前提是吴医生同意", [HELD]),
    # beyond a look-up
    ("为什么 P003 的 ECOG 变差了", [ASKS]),
    ("P003 和 P004 的 ECOG", ["ecog P003 + ecog P004"]),
    ("ECOG of P003 and P004", ["ecog P003 + ecog P004"]),
    ("P003 和 P004 的 ECOG 变化", [DOUBT]),
    ("what can you do?", [TALK]),
    ("你是谁？", [TALK]),
    ("Does P003 meet the inclusion criteria?", [ASKS]),
    ("P003 下次访视是什么时候", [ASKS]),
    ("P003 上周的体重", [DOUBT]),
    # partly sure
    ("蓝色的大象。查一下 P003 的 ECOG", [DOUBT, "ecog P003"]),
    ("could you check P003's weight?", ["weight_kg P003"]),
    ("麻烦帮忙确认一下 P003 的体重", ["weight_kg P003"]),
    ("plz share P003's weight, thx", ["weight_kg P003"]),
    ("今天天气不错。查一下 P003 的 ECOG", ["ecog P003"]),
    ("查一下 P003 的 ECOG,另外评估他是否适合继续用药", ["ecog P003", ASKS]),
    ("订一间会议室,然后录入今天的访视数据", [DOUBT, START]),
    # talk
    ("谢谢", [TALK]),
    ("Thanks a lot!", [TALK]),
    ("你好!", [TALK]),
    ("好的,谢谢 👍", [TALK]),
    ("再见", [TALK]),
    ("what's the weather", [ASKS]),
    ("???", [DOUBT]),
    ("", [DOUBT]),
    # commands are whole messages
    ("/help", ["command"]),
    ("/language en", ["command"]),
    ("帮助", ["command"]),
]


@table(("text", "meant"), MESSAGES, ids=[text for text, _ in MESSAGES])
async def test_a_message_means_what_the_table_says(
    text: str, meant: list[str], context: RouteContext
) -> None:
    routed = await route(text, context, None)
    assert [_short(intent) for intent in routed.intents] == meant, routed.verdicts
    assert all(intent.text in text and intent.why for intent in routed.intents)


async def test_pieces_are_copied_from_the_message(context: RouteContext) -> None:
    routed = await route("帮我查一下 P003 的 ECOG,然后录入今天的访视数据。", context, None)
    assert [i.text for i in routed.intents] == ["帮我查一下 P003 的 ECOG", "录入今天的访视数据"]


@table(
    ("text", "after"),
    [
        ("录入 P003 今天的访视,然后查一下 P003 的体重", [(), (0,)]),
        ("Record today's visit for P003, then show me the weight of P003", [(), (0,)]),
        ("录入今天的访视数据,然后查一下 P003 的体重", [(), (0,)]),
        ("录入 P003 今天的访视,然后查一下 P004 的体重", [(), ()]),
        ("录入 P003 今天的访视。查一下 P003 的体重", [(), ()]),
        ("查一下 P003 的体重,然后录入 P003 今天的访视", [(), ()]),
    ],
)
async def test_a_question_then_asked_about_the_subject_of_a_workflow_waits_for_it(
    text: str, after: list[tuple[int, ...]], context: RouteContext
) -> None:
    routed = await route(text, context, None)
    assert [intent.depends_on for intent in routed.intents] == after


@table(
    ("text", "meant"),
    [
        ("那 P004 呢?", ["ecog P004"]),
        ("what about P004?", ["ecog P004"]),
        ("那他的体重呢", ["weight_kg P003"]),
        ("and his weight?", ["weight_kg P003"]),
        ("那 P004 需要退出吗?", [ASKS]),
        ("体重是多少?", [ASKS]),
    ],
)
async def test_a_follow_up_takes_what_it_lacks_from_the_message_before(
    text: str, meant: list[str], context: RouteContext
) -> None:
    before = replace(context, recent=("P009 的血压", "帮我查一下 P003 的 ECOG"))
    routed = await route(text, before, None)
    assert [_short(intent) for intent in routed.intents] == meant


@table(
    ("recent", "text", "meant"),
    [
        (("ECOG of P003", "and its weight?"), "what about P004?", ["weight_kg P004"]),
        (("P003 的 ECOG", "那他的体重呢"), "那 P004 呢?", ["weight_kg P004"]),
        (("ECOG of P003", "what about P004?"), "and the weight?", ["weight_kg P004"]),
        (("and P004?",) * 20, "and P005?", [ASKS]),
    ],
)
async def test_a_follow_up_leans_on_what_the_one_before_meant(
    recent: tuple[str, ...], text: str, meant: list[str], context: RouteContext
) -> None:
    routed = await route(text, replace(context, recent=recent), None)
    assert [_short(intent) for intent in routed.intents] == meant


@table(
    ("text", "lang", "example"),
    [
        ("怎么录入访视数据?", "zh", "录入今天的访视数据"),
        ("How do I record a visit?", "en", "record today's visit"),
    ],
)
async def test_who_asks_how_to_do_it_is_told_how_to_ask(
    text: str, lang: Lang, example: str, context: RouteContext
) -> None:
    (intent,) = (await route(text, replace(context, lang=lang), None)).intents
    assert intent.kind == "qa_query"
    assert example in intent.told


async def test_the_trace_keeps_every_verdict_up_to_the_sure_one(context: RouteContext) -> None:
    routed = await route("录入今天的访视数据", context, None)
    assert [(v.strategy, v.sure) for v in routed.verdicts] == [
        ("command", False),
        ("card_reply", False),
        ("spoken", False),
        ("own_work", False),
        ("deterministic", True),
    ]
    assert "录入" in routed.verdicts[-1].why
    doubted = await route("今天天气不错", context, None)
    assert [v.strategy for v in doubted.verdicts] == [name for name, _ in STRATEGIES]


_WORDS = st.sampled_from(
    [
        *("录入", "今天的", "访视", "数据", "P003", "的", "ECOG", "查一下", "然后", "再", "不要"),
        *(
            "如果",
            "吗",
            "?",
            "。",
            ",",
            ",",
            ";",
            "谢谢",
            "record",
            "today's",
            "visit",
            " ",
            "then",
        ),
        *(
            "show",
            "the",
            "weight",
            "of",
            "and",
            "don't",
            "70.5kg",
            "“",
            "”",
            '"',
            "\n",
            "/help",
            "1",
        ),
    ]
)


@settings(max_examples=tries(40), deadline=None, derandomize=True)
@given(st.lists(_WORDS, max_size=14).map("".join) | st.text(max_size=60))
async def test_any_text_is_routed_and_its_pieces_stand_in_it_in_order(text: str) -> None:
    routed = await route(text, CONTEXT, None)
    assert routed.intents
    place = 0
    for index, intent in enumerate(routed.intents):
        place = text.index(intent.text, place)
        assert all(n < index for n in intent.depends_on)


@settings(max_examples=tries(80), deadline=None, derandomize=True)
@given(
    st.sampled_from(["不要", "先别", "别", "请勿", "暂时不", "don't ", "never ", "do not "]),
    # What forbids one clause says nothing of the next.
    st.sampled_from(
        [e for r in TABLE.routes for work in r.requests for e in work.examples if "，" not in e]
    ),
    st.sampled_from(["", "帮我查一下 P003 的 ECOG,然后", "请", "谢谢。"]),
)
@example("不要", "交叉核对 AE 和 CM 页", "谢谢。")
async def test_no_forbidden_example_starts_anything(no: str, work: str, before: str) -> None:
    routed = await route(f"{before}{no}{work}", CONTEXT, None)
    assert all(intent.kind != "workflow" for intent in routed.intents)


@table(
    ("text", "request_id"),
    [
        ("对 P003 做质控", "quality-control"),
        ("run QC on P003", "quality-control"),
        ("全部受试者跑一遍逻辑核查", "edit-check"),
        # Near to recording it too; the words that bid say which.
        ("质控 P003 的访视", "quality-control"),
        ("核查 P003 今天的访视数据", "edit-check"),
        ("把P003 今天的访视数据质控一下", "quality-control"),
        ("核查一下yesterday's visit entry", "edit-check"),
        # Here they do not, so the person does.
        ("check and enter the visit of P003", ""),
        ("把the visit of P003检查一下", ""),
    ],
)
async def test_of_requests_that_go_different_ways_none_is_begun_on_a_guess(
    context: RouteContext, text: str, request_id: str
) -> None:
    (intent,) = (await route(text, context, None)).intents
    assert intent.request == request_id
    assert intent.sure is (request_id != "")
    if not request_id:
        assert {"visit-entry", "edit-check"} <= {c.request for c in intent.candidates}


async def test_what_is_offered_has_the_requests_of_which_a_cue_is_said() -> None:
    routed = await route("P003的ECOG改成2", CONTEXT, None)
    offered = [candidate.request for intent in routed.intents for candidate in intent.candidates]
    assert offered[:1] == ["data-correction"]
