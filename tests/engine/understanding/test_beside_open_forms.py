"""While a form is open: other work, questions and what wants something undone are no answers."""

from dataclasses import replace
from functools import cache

from cards.model import Card, Choice, Field
from engine.frames.intents import Intent
from engine.text.language import detect_language
from engine.understanding.context import RouteContext
from engine.understanding.router.chain import route
from tests.engine.understanding.frames.projects import EVERY
from tests.engine.understanding.routes import CONTEXT
from tests.engine.understanding.test_route_card_replies import clarify
from tests.fakes.tables import table

WHY = Field(name="reason", label="Reason", type="text")
SUBMIT = Choice(id="submit", label="Submit", form=(WHY,))
FREE = clarify().model_copy(update={"title": "Data correction", "choices": (SUBMIT,)})
"""It takes any words."""


@cache
def expenses() -> RouteContext:
    """A project of one request, which nothing undoes."""
    return EVERY["expenses"]()


async def read(text: str, *cards: Card, context: RouteContext = CONTEXT) -> tuple[Intent, ...]:
    here = replace(
        context,
        open_cards=cards,
        has_active_run=bool(cards),
        lang=detect_language(text),
        principal=CONTEXT.principal,
    )
    return (await route(text, here, None)).intents


def works(intents: tuple[Intent, ...]) -> set[str]:
    """What is begun or offered."""
    offered = {c.request for i in intents if not i.told for c in i.candidates if c.playbook}
    return offered | {i.request for i in intents if i.kind == "workflow"}


@table(
    ("text", "work"),
    [
        ("please run QC on P005 too", "quality-control"),
        ("also start an evidence list for the case", "evidence-list"),
        ("could you do the edit checks for P003 first?", "edit-check"),
        ("I would rather report an adverse event for P004, nausea grade 1", "event-entry"),
        ("let's leave that; draft the complaint instead", "complaint"),
        ("I need to correct the weight of P002", "data-correction"),
        ("send the qc report to the CRA", "report-handover"),
        ("weight 70, and please run QC on P005", "quality-control"),
        ("顺便给P004报个不良事件", "event-entry"),
        ("先不填这个，帮我起草起诉状", "complaint"),
        ("帮我改一下P002的体重", "data-correction"),
        ("这个先放着，我要请案由分析", "cause-of-action"),
        ("能不能先跑一下P003的逻辑核查", "edit-check"),
        ("体重70，另外帮我质控P005", "quality-control"),
    ],
)
async def test_other_work_is_begun_or_offered_whatever_form_is_open(text: str, work: str) -> None:
    assert work in works(await read(text, clarify()))
    assert work in works(await read(text, FREE))


@table("text", ["P003", "ECOG 1", "adverse event: headache", "P003 had a headache", "P003 头痛"])
async def test_what_names_no_other_work_is_still_for_the_form(text: str) -> None:
    (intent,) = await read(text, clarify())
    assert (intent.kind, bool(intent.values)) == ("card_reply", True)


@table(
    "text",
    [
        *("what is the status?", "any news?", "is it done yet?", "how far is it?"),
        *("现在到哪一步了", "这个怎么样了", "办好了吗", "现在的状态是什么"),
    ],
)
async def test_a_question_after_the_work_that_goes_on_reads_it(text: str) -> None:
    for card in (clarify(), FREE):
        (intent,) = await read(text, card)
        assert intent.about_run
    assert not any(intent.about_run for intent in await read(text))


async def test_a_form_takes_what_only_tells_as_an_answer_and_loses_nothing() -> None:
    (intent,) = await read("the weight of P002 is wrong, it should be 61", clarify())
    assert (intent.kind, intent.sure) == ("card_reply", False)


@table(
    "text",
    [
        *("please cancel my expense claim", "I want to give back my claim", "delete my claim"),
        *("把我的报销取消", "取消我的报销", "把我的报销撤回"),
    ],
)
async def test_what_wants_something_undone_is_not_offered_its_opposite(text: str) -> None:
    (intent,) = await read(text, context=expenses())
    assert intent.kind == "unclear"
    assert works((intent,)) == set()
    (intent,) = await read(text, FREE, context=expenses())
    assert (intent.kind, intent.card) == ("unclear", "")
    assert "/mine" in intent.told


@table(
    "text",
    [
        *("On second thought please hold that until Anna is back.", "I take that back"),
        *("wait, don't do that", "Sorry, wrong chat", "我改主意了", "刚才那句请忽略", "且慢"),
    ],
)
async def test_a_message_that_takes_an_earlier_one_back_is_told_where_it_is_cancelled(
    text: str,
) -> None:
    later = replace(expenses(), recent=("file an expense claim",))
    (intent,) = await read(text, context=later)
    assert "/mine" in intent.told
    assert intent.kind == "unclear"
    (alone,) = await read(text, context=expenses())
    assert alone.told == ""


@table(
    "text",
    [
        "cancel my claim and file an expense claim for the taxi",
        "file an expense claim and cancel my other one",
        "把我那笔报销取消，换成打车费45元",
    ],
)
async def test_what_is_wanted_beside_it_is_offered(text: str) -> None:
    assert works(await read(text, context=expenses())) == {"claim"}
