"""What rules decided is asked about where the text does something else."""

import pytest

from engine.frames.intents import Intent
from engine.understanding.context import RouteContext
from engine.understanding.learned.acts import ACT_READER, ACTS
from engine.understanding.pieces.message import read_message
from engine.understanding.router.chain import route
from engine.understanding.router.explained import is_explained
from tests.bench.router.learn_acts import WEIGHTS, digest_of, samples


async def _read(text: str, context: RouteContext) -> tuple[Intent, ...]:
    return (await route(text, context, None)).intents


def _offered(intents: tuple[Intent, ...]) -> set[str]:
    return {c.request for intent in intents for c in intent.candidates if c.playbook}


@pytest.mark.parametrize(
    ("said", "request_"),
    [
        ("P005头晕一级昨天开始的报个不良事件", "event-entry"),
        ("心里没底,总觉得上周录的那批数据哪里对不上,能有人帮着过一遍就好了", "quality-control"),
    ],
)
async def test_what_is_asked_for_indirectly_is_offered(
    said: str, request_: str, context: RouteContext
) -> None:
    found = await _read(said, context)
    assert not any(intent.sure for intent in found)
    assert request_ in _offered(found)


async def test_what_is_told_to_be_asked_is_a_question(context: RouteContext) -> None:
    (found,) = await _read("I seem to have forgotten which arm P008 was put in.", context)
    assert found.kind == "qa_query"


async def test_nothing_begins_where_the_message_as_a_whole_hangs_on_something(
    context: RouteContext,
) -> None:
    said = "苗建国案的证据,鉴定报告出来之后再分析,现在分析没意义"
    found = await _read(said, context)
    assert ACT_READER.read(said).conditional > 0
    assert not any(i.kind == "workflow" and i.sure and not i.condition for i in found)
    assert "evidence-list" in _offered(found)


async def test_plain_work_and_plain_questions_stay_decided(context: RouteContext) -> None:
    for said in ("log an adverse event for P003, headache grade 2", "How many subjects are there?"):
        assert all(intent.sure for intent in await _read(said, context)), said


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        ("please book a repair of the lock at gate 7", {"request"}),
        ("once the harbour master has signed, move the barge to quay 3", {"conditional"}),
        ("which bay is the crane in?", {"question"}),
        ("谁把三号泵的钥匙拿走了?", {"question"}),
        ("帮我登记一下三号泵的检修", {"request"}),
        ("等船长点头了再把缆绳换掉", {"conditional"}),
        ("the crane was repaired last week, by the way", set()),
        ("上周的检修已经做完了,大家辛苦", set()),
    ],
)
def test_acts_are_read_in_fields_that_nobody_wrote_of(said: str, acts: set[str]) -> None:
    read = ACT_READER.read(said)
    assert {name for name in ACTS[:3] if getattr(read, name) > 0} == acts
    assert (read.wanted > 0) == bool(acts)


def test_the_weights_are_of_the_messages_that_lie_beside_their_learning() -> None:
    assert WEIGHTS.read_text("utf-8").partition("\n")[0] == digest_of([*samples()])


async def test_what_holds_off_stays_decided_and_holds_back_what_stands_before_it(
    context: RouteContext,
) -> None:
    before, off = await _read(
        "给P003报一个头痛2级的不良事件。算了，麻烦你先别帮我登记了。", context
    )
    assert ACT_READER.read(off.text).held_off > 0
    assert (off.kind, off.sure, before.sure) == ("unclear", True, False)


@pytest.mark.parametrize(
    ("said", "request_"),
    [
        ("typo p12 weight 71", "data-correction"),
        ("listing of aes arm c asap", "report-handover"),
        ("work plan for wk 12 Okafor", "work-plan"),
    ],
)
async def test_what_asks_for_one_work_and_nothing_else_begins_whatever_words_it_has(
    said: str, request_: str, context: RouteContext
) -> None:
    (found,) = await _read(said, context)
    assert (found.kind, found.request, found.sure) == ("workflow", request_, True)
    (piece,) = read_message(said, context)
    assert not is_explained(piece, context)  # With a model, that reads it.


@pytest.mark.parametrize("said", ["误录入今天的访视数据", "it is hard to record today's visit"])
async def test_what_rules_read_as_told_begins_nothing_whatever_it_does(
    said: str, context: RouteContext
) -> None:
    assert ACT_READER.read(said).request > 0
    assert not any(i.kind == "workflow" and i.sure for i in await _read(said, context))


async def test_a_sentence_is_read_with_its_end(context: RouteContext) -> None:
    said = "I cannot recall which site P011 belongs to."
    (found,) = await _read(said, context)
    assert (found.kind, found.sure) == ("qa_query", True)
