"""A question that hangs on something is answered, or is a question: reading does no harm."""

from dataclasses import replace

from engine.frames.intents import Intent
from engine.text.language import detect_language
from engine.understanding.router.chain import route
from tests.engine.understanding.routes import CONTEXT
from tests.fakes.tables import table


async def read(text: str) -> tuple[Intent, ...]:
    return (await route(text, replace(CONTEXT, lang=detect_language(text)), None)).intents


@table(
    ("text", "tool"),
    [
        ("if P003 is enrolled, what is her ECOG?", "read_clinical_data"),
        ("if P003 is enrolled tell me the ECOG of P004", "read_clinical_data"),
        ("if the ECOG of P003 is above 2, is she still eligible?", "search_protocol"),
        ("if P003 has no consent, is that a deviation?", "answer:clinical_qc:deviations"),
        ("如果P003已入组，她的ECOG是多少？", "read_clinical_data"),
        ("要是P003已经入组了，P004的体重是多少？", "read_clinical_data"),
    ],
)
async def test_what_a_look_up_answers_is_looked_up_once(text: str, tool: str) -> None:
    (intent,) = await read(text)
    assert intent.lookup
    assert (intent.kind, intent.lookup.tool, intent.text) == ("qa_query", tool, text)


@table(
    "text",
    [
        "if P003 is already enrolled, what is the next visit?",
        "what is the next visit if P003 has signed?",
        "in case P003 has an AE, who do I tell?",
        "once the complaint is filed, how long do we wait?",
        "if P003 missed the visit, do we have to record a deviation?",
        "when P003 has signed, what comes next?",
        "要是他签了，下一步是什么",
        "如果P003已经入组，下次访视是什么时候？",
        "万一起诉状被退回，该找谁？",
        "一旦提交了还能改吗",
        "等他签了之后要做什么？",
        "如果P003漏了访视，要不要记偏离？",
    ],
)
async def test_what_none_answers_is_a_question_and_begins_nothing(text: str) -> None:
    intents = await read(text)
    asked = [
        intent
        for intent in intents
        if intent.kind == "qa_query" or any(c.kind == "qa_query" for c in intent.candidates)
    ]
    assert asked
    assert not any(intent.kind == "workflow" for intent in intents)


@table(
    ("text", "requests", "tools"),
    [
        ("录入P003的访视和查P004的体重", ["visit-entry"], ["read_clinical_data"]),
        ("给P003录入访视，顺便查一下P004的体重", ["visit-entry"], ["read_clinical_data"]),
        ("质控P005和起草起诉状", ["quality-control", "complaint"], []),
        ("run QC on P005 and draft the complaint", ["quality-control", "complaint"], []),
        (
            "run QC on P005 and tell me the weight of P004",
            ["quality-control"],
            ["read_clinical_data"],
        ),
    ],
)
async def test_two_wishes_that_a_word_joins_are_two(
    text: str, requests: list[str], tools: list[str]
) -> None:
    intents = await read(text)
    assert [i.request for i in intents if i.kind == "workflow"] == requests
    assert [i.lookup.tool for i in intents if i.lookup] == tools


async def test_two_of_a_kind_are_offered_each_by_itself() -> None:
    one, other = "do the report for Mr Smith", "do another report for Ms Lee"
    intents = await read(f"{one} and {other}")
    assert [i.text for i in intents] == [one, other]
