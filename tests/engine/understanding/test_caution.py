"""What rules are not sure of becomes a card that offers it, and no work, answer or silence."""

from dataclasses import replace

from engine.frames.intents import Intent
from engine.text.language import detect_language
from engine.understanding.router.chain import route
from tests.chaos.processes import ROOT
from tests.engine.understanding.frames.frames import is_begun
from tests.engine.understanding.frames.projects import read_context, read_unseen
from tests.engine.understanding.routes import CONTEXT
from tests.fakes.tables import table


async def _read(text: str) -> tuple[Intent, ...]:
    return (await route(text, replace(CONTEXT, lang=detect_language(text)), None)).intents


def _offers(intents: tuple[Intent, ...]) -> set[str]:
    offered = {c.request for i in intents if i.kind == "unclear" for c in i.candidates[:3]}
    return offered | {i.request for i in intents if i.condition}


OFFERED = [
    ("would it be a great nuisance to have the data checked over for mistakes?", "quality-control"),
    ("export the AE listing, but only if the QC comes back clean", "report-handover"),
    ("enter the dosing record of cycle 3. Only with the PI's approval.", "medication-entry"),
    ("鉴定意见一拿到，请把证据重新分析一遍", "evidence-list"),
    ("去年那个案子的证据是小王分析的,做得很仔细", "evidence-list"),
    ("工作计划今天排出来。证据分析就先不做了", "work-plan"),
    ("给 03 中心发一条数据质疑，李医生跟我讲的", "query-raise"),
    ("早上我试着一份 P010 的监查报告,结果报错了", "monitoring-report"),
    (
        "I can't decide whether to draft the complaint until I know this. What is the dose?",
        "complaint",
    ),
    ("这批evidence我看得头都大了,would you mind帮我梳理分析一下?", "evidence-list"),
    # What comes after a question hangs on its answer.
    ("Have they signed by the 3rd? Then draft the complaint.", "complaint"),
    ("Should the scan show a fracture, P004 goes down as an SAE", "event-entry"),
    ("报告还在路上，到了帮我录入 P003 的访视", "visit-entry"),
    # Praised, quoted, or near only to what is lacking.
    ("客户说实在的很满意，证据目录列得真好", "evidence-list"),
    ("管理办法第三条：证据目录一周内更新", "evidence-list"),
    ("P021 V1 身高170体重66没过敏史", "visit-entry"),
    # Like one request alone, but told.
    ("我打算明天把证据 5 和证据 6 合并", "evidence-list"),
]


@table(("text", "request"), OFFERED)
async def test_what_may_be_asked_for_is_offered_and_not_begun(text: str, request: str) -> None:
    intents = await _read(text)
    assert not [i for i in intents if i.kind == "workflow" and not i.condition], intents
    assert request in _offers(intents)


BOTH = [
    ("determine the cause of action, and let me know when the hearing is", "cause-of-action"),
    ("please draft the complaint and when you are done run the QC over all visits", "complaint"),
]


@table(("text", "request"), BOTH)
async def test_what_is_wanted_besides_is_no_part_of_the_work(text: str, request: str) -> None:
    first, second = await _read(text)
    assert (first.kind, first.request, first.condition) == ("workflow", request, "")
    assert second.text not in first.text


async def test_what_is_to_be_moved_behind_work_is_no_part_of_it() -> None:
    leave = read_context(ROOT / "examples" / "leave")
    first, second = (await route("请8号一天事假，再把那天的会改到9号", leave, None)).intents
    assert (first.kind, first.request, first.text) == ("workflow", "take", "请8号一天事假")
    assert (second.kind, second.text) == ("unclear", "把那天的会改到9号")


TWO = [
    "Who is the judge in the Keller case, and has the other side answered our letter?",
    "Whose dose was cut in October, and when is the next hearing?",
]
ONE = [
    "Whose performance status has been worse of late, and what follows for the next visit?",
    "Who of them has been worse of late, and what happened next?",
    "Which values are out of range, and which are serious?",
    "Who wrote the last letter, and was he told?",
    "Was the dose cut, and when exactly?",
    "Who has seen the complaint, and who else should?",
    "What was the cause, and is it worse?",
]


@table("text", TWO)
async def test_two_questions_of_one_sentence_are_two(text: str) -> None:
    assert [i.kind for i in await _read(text)] == ["qa_query", "qa_query"]


@table("text", ONE)
async def test_a_question_that_leans_on_the_one_before_it_stays_with_it(text: str) -> None:
    (one,) = await _read(text)
    assert (one.kind, one.text) == ("qa_query", text)


async def test_a_value_that_is_to_be_another_is_corrected() -> None:
    (intent,) = await _read("P012访视2的体重改成58.7")
    assert (intent.kind, intent.request) == ("workflow", "data-correction")


async def test_what_ought_to_be_put_down_is_never_silently_let_go() -> None:
    intents = await _read(
        "Don't touch P019. Visit 2 for P018 is missing (62 kg, 115/75) - enter it."
    )
    assert "visit-entry" in _offers(intents) | {i.request for i in intents if i.kind == "workflow"}


async def test_what_is_forbidden_behind_a_but_is_not_begun() -> None:
    text = "make an inspection entry for all the brood frames in HIVE-108"
    here = read_unseen("beekeepers", 10)
    (intent,) = (await route(text, here, None)).intents
    assert is_begun(intent)
    intents = (await route(f"file a hive move for HIVE-108, but don't {text}", here, None)).intents
    assert "inspect_hive" not in {i.playbook for i in intents if is_begun(i)}


@table(
    ("domain", "text"),
    [
        ("beekeepers", "吴医生让我录入HIVE-3洋槐蜜22.5公斤"),
        ("beekeepers", "规程上写：登记今天HIVE-12的检查"),
        (
            "streetlights",
            "could you book three hours on SL-02750 and close it once Dr Wu has agreed?",
        ),
    ],
)
async def test_what_somebody_says_or_agrees_to_begins_nothing_in_any_project(
    domain: str, text: str
) -> None:
    here = replace(read_unseen(domain, 10), lang=detect_language(text))
    assert not [i for i in (await route(text, here, None)).intents if is_begun(i)]


async def test_a_value_of_a_field_is_no_work_besides() -> None:
    text = "录入 P004 今天的访视，ECOG 1，体重70，血压120/80，不良事件 头痛"
    (intent,) = await _read(text)
    assert (intent.request, intent.text, is_begun(intent)) == ("visit-entry", text, True)
