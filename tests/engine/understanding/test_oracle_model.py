"""With a model that reads as the writers meant, messages end as it says."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import pytest

from cards.model import Card, Choice, Review
from engine.ports.model import Completion
from engine.understanding.context import RouteContext
from engine.understanding.own_work.reading import WorkReader
from engine.understanding.own_work.subjects import FieldNames, WorkSubject
from engine.understanding.router.chain import route
from tests.bench.router.score import HALVES, messages
from tests.engine.understanding.oracle import MOST_OVERRULED, Message, lang_of, overruled
from tests.engine.understanding.routes import CONTEXT
from tests.engine.understanding.test_route_card_replies import clarify, select
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.tries import TIMES

_VERBS = re.compile(
    r"(?:record|enter|log|correct|raise|draft|prepare|put|add|update|close|import|run|file|make)\b",
    re.IGNORECASE,
)
BEFORE = {
    "en": (
        "If you have a moment, ",
        "No rush, but ",
        "Sorry to bother you, ",
        "Whenever you get a chance, ",
        "When you're back at your desk: ",
        "I can't do it from my phone, so ",
    ),
    "zh": ("若方便的话，", "不好意思打扰一下，", "有空的时候，", "我这边登不上系统，", "不急，"),
}
BEHIND = {
    "en": (", thanks a lot", ". No need to hurry", " - don't leave anything out", ". Nothing else"),
    "zh": ("，谢谢", "，不用着急", "，别漏了", "，其他没有变化"),
}


def framed() -> Iterator[Message]:
    """Work in frames of its language that change nothing of it.

    Every fourth of them, counted on from message to message; in `make properties` all.
    """
    every = _in_every_frame()
    return every if TIMES > 1 else islice(every, 0, None, 4)


def _in_every_frame() -> Iterator[Message]:
    for half in HALVES[:-1]:
        for message in messages(half):
            (intent, *more), text = message["intents"], message["text"]
            if more or intent["kind"] != "workflow" or message["lang"] not in BEFORE:
                continue
            lang = message["lang"]
            texts = [f"{frame}{text}" for frame in BEFORE[lang]]
            texts += [f"{text.rstrip('.。!！')}{frame}" for frame in BEHIND[lang]]
            if lang == "en" and _VERBS.match(text):
                texts.append(f"Don't forget to {text[0].lower()}{text[1:]}")
            yield from ({**message, "text": each} for each in texts)


@pytest.mark.more
async def test_what_the_model_reads_in_frames_is_not_overruled() -> None:
    every = list(framed())
    wrong = [told for m in every if (told := await overruled(m, replace(CONTEXT, lang=lang_of(m))))]
    assert len(wrong) <= MOST_OVERRULED * len(every), f"{len(wrong)} of {len(every)}: {wrong}"


VISITS = WorkReader(
    (
        WorkSubject("run-2", names=("visit", "访视"), values=("P003",), end="rejected"),
        WorkSubject("run-1", names=("visit", "访视"), values=("P002",), end="done"),
    )
)
UNDER_REVIEW = Card(
    kind="confirm",
    token="1-confirm1",
    run="1-run",
    conversation="web:chat:1",
    lang="en",
    title="A visit of P003",
    choices=(Choice(id="approve", label="Approve"), Choice(id="reject", label="Reject")),
    review=Review(roles=("reviewer",)),
    requester="li",
)


@dataclass
class Reader:
    """A model that reads a whole message as one piece."""

    kind: str
    option: str = ""
    asked: int = 0

    async def complete(self, *args: Any, **options: Any) -> Completion:
        """The one piece."""
        self.asked += 1
        given = json.loads(args[0][-1].content)["message"]
        card = 1 if self.kind == "card_reply" else None
        piece = {"kind": self.kind, "text": given, "card": card, "option": self.option}
        return Completion(json.dumps({"pieces": [piece]}, ensure_ascii=False))


async def visits() -> WorkReader:
    """The person's own requests."""
    return VISITS


def beside(context: RouteContext, *cards: Card, runs: bool = False) -> RouteContext:
    """Where cards are open, a run goes on, and the person has requests of their own."""
    return replace(context, open_cards=cards, has_active_run=runs, work=visits)


READ_BY_THE_MODEL = [
    ("select", "就选第一个吧", Reader("card_reply", "1")),
    ("select", "not the first, the other one", Reader("card_reply", "2")),
    ("select", "哪个都行，你看着办", Reader("unclear")),
    ("select", "What is the difference between the two?", Reader("qa_query")),
    ("form", "ECOG 和上次一样就行", Reader("card_reply")),
    ("form", "Same weight as last time, ECOG went up by one", Reader("card_reply")),
    ("form", "体重等护士称完我再告诉你", Reader("unclear")),
    ("form", "Weight 70 is what she said at home, do not note it", Reader("unclear")),
    ("form", "ECOG 1 到底是什么意思", Reader("qa_query")),
    ("review", "我觉得体重应该是 71", Reader("card_reply")),
    ("review", "her weight was 71, not 61", Reader("card_reply")),
    ("review", "who approved the one before this?", Reader("about_case")),
    ("own", "Which of my visits was approved first?", Reader("about_case")),
    ("own", "我的访视哪一个先批下来?", Reader("about_case")),
    ("own", "How many of my visits were rejected?", Reader("about_case")),
    ("own", "除了 P003，我的访视都批了吗", Reader("about_case")),
    ("own", "Was my visit approved after the one of P002?", Reader("about_case")),
    ("own", "is my visit approved, or only the other one?", Reader("about_case")),
    ("run", "How far is the clinic from the hotel?", Reader("qa_query")),
    ("run", "现在是什么阶段的受试者在入组?", Reader("qa_query")),
]


def stage(where: str, context: RouteContext) -> RouteContext:
    """What is open there."""
    cards: dict[str, tuple[Card, ...]] = {
        "select": (select(),),
        "form": (clarify(),),
        "review": (UNDER_REVIEW,),
    }
    return beside(context, *cards.get(where, ()), runs=where == "run")


@pytest.mark.parametrize(("where", "text", "model"), READ_BY_THE_MODEL)
async def test_what_rules_do_not_explain_of_cards_and_own_work_is_as_the_model_reads_it(
    where: str, text: str, model: Reader, context: RouteContext
) -> None:
    here, model = stage(where, context), replace(model)
    (intent,) = (await route(text, here, model)).intents
    # What surely asks may go to the model that answers at once.
    assert model.asked or intent.kind == "qa_query"
    assert (intent.work, intent.lookup, intent.about_run) == (None, None, False)
    match model.kind, where:
        case "card_reply", "form":
            assert (intent.kind, intent.card) == ("card_reply", "1-clarify01")
        case "card_reply", "select":
            chosen = select().choices[int(model.option) - 1].label
            assert (intent.kind, chosen in intent.told) == ("unclear", True)
        case "card_reply", _:
            assert (intent.kind, bool(intent.told)) == ("unclear", True)
        case "unclear", _:
            assert (intent.kind, intent.card) == ("unclear", "")
        case _:
            assert (intent.kind, intent.told) == ("qa_query", "")


EXPLAINED = [
    ("select", "2", "card_reply"),
    ("form", "ECOG 1", "card_reply"),
    ("form", "P003，体重70.5，无不良事件", "card_reply"),
    ("form", "算了", "unclear"),
    ("review", "approve", "unclear"),
    ("review", "审核到哪一步了", "unclear"),
    ("own", "has my visit of P003 been approved?", "qa_query"),
    ("own", "我的访视为什么被驳回了?", "qa_query"),
    ("run", "what is still missing?", "qa_query"),
    ("run", "还缺什么?", "qa_query"),
]


@pytest.mark.parametrize(("where", "text", "kind"), EXPLAINED)
async def test_what_rules_explain_whole_of_cards_and_own_work_asks_no_model(
    where: str, text: str, kind: str, context: RouteContext
) -> None:
    model = Reader("unclear")
    (intent,) = (await route(text, stage(where, context), model)).intents
    assert (intent.kind, model.asked) == (kind, 0)


@pytest.mark.parametrize(("where", "text", "model"), READ_BY_THE_MODEL)
async def test_where_the_model_has_no_answer_rules_stand_as_without_one(
    where: str, text: str, model: Reader, context: RouteContext
) -> None:
    """But what surely asks, and has gone to the model that answers."""
    broken = ScriptedModel(["no", "no"])
    found = (await route(text, stage(where, context), broken)).intents
    if broken.requests:
        alone = (await route(text, stage(where, context), None)).intents
        assert [(i.card, i.work, i.kind) for i in found] == [
            (i.card, i.work, i.kind) for i in alone
        ]
    assert broken.requests or found[0].kind == "qa_query"


async def test_a_value_that_is_not_named_is_no_other_conversation_s(context: RouteContext) -> None:
    """What an open form elsewhere has is not what "on file" means here."""
    weight = FieldNames("data.weight", ("weight", "体重"), type="number", is_known=True)
    there = WorkSubject("run-1", names=("visit", "访视"), values=("p002",), fields=(weight,))
    here = replace(there, is_here=True)

    async def is_own(text: str, subject: WorkSubject) -> bool:
        async def work() -> WorkReader:
            return WorkReader((subject,))

        model = Reader("qa_query")
        (intent,) = (await route(text, replace(context, work=work), model)).intents
        assert intent.kind == "qa_query"
        return intent.work is not None

    assert not await is_own("ok then what weight is on file for her now?", there)
    assert await is_own("what is the weight in my visit?", there)
    assert await is_own("ok then what weight is on file for her now?", here)


async def test_what_is_under_review_is_said_to_be_changed_how(context: RouteContext) -> None:
    """A correction by its requester, who has no button for it."""
    text, here = "sorry, I got it wrong: her weight is 60.5", beside(context, UNDER_REVIEW)
    (intent,) = (await route(text, replace(here, lang="en"), Reader("card_reply"))).intents
    assert UNDER_REVIEW.title in intent.told
    assert "/cancel" in intent.told
