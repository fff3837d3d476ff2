from dataclasses import replace

import pytest

from cards.model import Card, CardStatus, Choice, Field, Principal, Review, Row
from engine.understanding.context import RouteContext
from engine.understanding.open_forms import labelled_value
from engine.understanding.router.chain import route

FORM = (
    Field(name="subject_id", label="受试者", cues=("受试者", "subject"), entity="subject"),
    Field(name="ecog", label="ECOG", type="integer", cues=("ecog",)),
    Field(name="weight_kg", label="体重", type="number", unit="kg", cues=("体重", "weight")),
    Field(
        name="adverse_event", label="不良事件", required=False, cues=("不良事件", "adverse event")
    ),
)
LI, WANG = Principal(id="li", name="Li"), Principal(id="wang", name="Wang", roles=("reviewer",))


def clarify(
    *, token: str = "1-clarify01", review: Review | None = None, status: CardStatus = "open"
) -> Card:
    return Card(
        kind="clarify",
        token=token,
        run="1-run",
        conversation="web:chat:1",
        lang="zh",
        title="补充访视数据",
        choices=(
            Choice(id="submit", label="提交", form=FORM),
            Choice(id="withdraw", label="放弃"),
        ),
        review=review or Review(persons=("li",)),
        requester="li",
        status=status,
    )


def select() -> Card:
    return Card(
        kind="select",
        token="1-select01",
        run="1-run",
        conversation="web:chat:1",
        lang="zh",
        title="哪一个?",
        choices=(
            Choice(id="first", label="甲"),
            Choice(id="second", label="乙"),
            Choice(id="other", label="其他", form=FORM[:1]),
        ),
        review=Review(persons=("li",)),
        requester="li",
    )


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("ECOG 1", {"ecog": "1"}),
        (
            "P003,体重70.5,无不良事件",
            {"subject_id": "P003", "weight_kg": "70.5", "adverse_event": "无"},
        ),
        ("P003", {"subject_id": "P003"}),
        (
            "the weight is 70.5 kg, no adverse events",
            {"weight_kg": "70.5", "adverse_event": "none"},
        ),
        ("体重改为 71", {"weight_kg": "71"}),
        ("P003 无不良事件", {"subject_id": "P003", "adverse_event": "无"}),
    ],
)
async def test_values_for_an_open_form_answer_its_card(
    text: str, values: dict[str, str], context: RouteContext
) -> None:
    routed = await route(text, replace(context, open_cards=(clarify(),)), None)
    (intent,) = routed.intents
    assert (intent.kind, intent.card, intent.choice) == ("card_reply", "1-clarify01", "submit")
    assert intent.values == values


@pytest.mark.parametrize(
    "text",
    [
        "查一下 P003 的 ECOG",
        "P003 ECOG",
        "What is the weight of P003?",
        "录入 P003 今天的访视,ECOG 1",
        "record today's visit for P003",
        "ECOG 1?",
        "谢谢",
        "/help",
        "取消",
        "hello",
        "批准",
    ],
)
async def test_a_new_request_is_not_swallowed_by_an_open_card(
    text: str, context: RouteContext
) -> None:
    routed = await route(text, replace(context, open_cards=(clarify(),)), None)
    assert all(intent.kind != "card_reply" for intent in routed.intents)


@pytest.mark.parametrize(
    "card",
    [
        clarify(review=Review(persons=("zhao",))),
        clarify(review=Review(roles=("reviewer",))),
        clarify(status="decided"),
        clarify().model_copy(update={"kind": "confirm"}),
    ],
)
async def test_a_card_that_this_person_may_not_answer_in_text_gets_no_answer(
    card: Card, context: RouteContext
) -> None:
    routed = await route("ECOG 1", replace(context, open_cards=(card,)), None)
    assert [intent.kind for intent in routed.intents] == ["unclear"]


async def test_a_holder_of_the_cards_role_may_answer(context: RouteContext) -> None:
    card = clarify(review=Review(roles=("reviewer",)))
    asked = replace(context, open_cards=(card,), principal=WANG)
    assert (await route("ECOG 1", asked, None)).intents[0].kind == "card_reply"


async def test_a_text_that_fits_two_cards_answers_neither(context: RouteContext) -> None:
    two = replace(context, open_cards=(clarify(), clarify(token="1-clarify02")))
    routed = await route("ECOG 1", two, None)
    assert [intent.kind for intent in routed.intents] == ["unclear"]
    assert routed.intents[0].told.count("补充访视数据") == 2


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("1", "first"),
        (" 2 ", "second"),
        ("２", "second"),
        ("3", ""),
        ("4", ""),
        ("0", ""),
        ("1.", ""),
    ],
)
async def test_a_number_chooses_on_a_select_card(
    text: str, choice: str, context: RouteContext
) -> None:
    (intent,) = (await route(text, replace(context, open_cards=(select(),)), None)).intents
    assert intent.choice == choice
    assert intent.kind == ("card_reply" if choice else "unclear")


def about(who: str, token: str) -> Card:
    subject = FORM[0].model_copy(update={"identity": True, "value": who})
    card = clarify(token=token)
    choices = (card.choices[0].model_copy(update={"form": FORM[1:]}), *card.choices[1:])
    return card.model_copy(update={"choices": choices, "known": (subject,)})


@pytest.mark.parametrize(
    ("text", "card", "told"),
    [
        ("P004 ECOG 1", "1-four0001", ()),
        ("P005 体重 70", "1-five0001", ()),
        ("ECOG 1", "", ("P004", "P005")),
        ("P006 ECOG 1", "", ("P004", "P005", "P006")),
        ("P004 和 P005 ECOG 1", "", ("P004", "P005")),
    ],
)
async def test_of_several_forms_the_one_about_the_named_subject_is_answered(
    text: str, card: str, told: tuple[str, ...], context: RouteContext
) -> None:
    cards = (about("P004", "1-four0001"), about("P005", "1-five0001"))
    (intent,) = (await route(text, replace(context, open_cards=cards), None)).intents
    assert intent.card == card
    assert bool(intent.told) == (not card)
    assert all(who in intent.told for who in told)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("ECOG 1,然后查一下 P004 的体重", ["card_reply", "qa_query"]),
        ("show me P003's ECOG, and weight 70", ["qa_query", "card_reply"]),
        ("ecog 1, weight 70. And what is the ECOG of P003?", ["card_reply", "qa_query"]),
        ("ECOG 1, 体重 70。她有点头晕。", ["card_reply"]),
        ("ecog 1. What is the ECOG of P003? weight 70", ["card_reply", "qa_query"]),
        ("录入 P005 今天的访视,ECOG 1,体重 70", ["workflow"]),
        ("record today's visit of P005. ecog 1, weight 70", ["workflow"]),
        ("ecog 1. Does P004 qualify?", ["card_reply", "qa_query"]),
    ],
)
async def test_each_piece_of_a_message_goes_where_it_belongs(
    text: str, kinds: list[str], context: RouteContext
) -> None:
    cards = (about("P004", "1-four0001"),)
    routed = await route(text, replace(context, open_cards=cards), None)
    assert [intent.kind for intent in routed.intents] == kinds, routed.verdicts
    assert all(i.values.get("ecog", "1") == "1" for i in routed.intents)


@pytest.mark.parametrize("text", ["withdraw", "放弃", "算了不录了", "never mind", "算了，不录了吧"])
async def test_giving_up_in_words_points_to_the_button(text: str, context: RouteContext) -> None:
    (intent,) = (await route(text, replace(context, open_cards=(clarify(),)), None)).intents
    assert intent.kind == "unclear"
    assert "「放弃」" in intent.told
    (intent,) = (await route(text, context, None)).intents
    assert "「放弃」" not in intent.told


@pytest.mark.parametrize("text", ["approve", "批准", "同意", "reject", "驳回。", "Looks good!"])
async def test_words_of_a_review_decide_nothing(text: str, context: RouteContext) -> None:
    card = clarify(review=Review(roles=("reviewer",))).model_copy(update={"kind": "confirm"})
    asked = replace(context, open_cards=(card,), principal=WANG, lang="en")
    (intent,) = (await route(text, asked, None)).intents
    assert intent.kind == "unclear"
    assert "Only the button" in intent.told


@pytest.mark.parametrize(
    ("text", "helped"),
    [
        ("what's the status?", True),
        ("进度怎么样", True),
        ("审核完了吗？", True),
        ("weight is 71", True),
        ("为什么 P003 的状态变差了", False),
        ("what is the status of the trial in Berlin", False),
        ("P003 的体重", False),
        ("谢谢", False),
    ],
)
async def test_the_requester_of_a_review_hears_who_reviews_and_what_can_be_done(
    text: str, helped: bool, context: RouteContext
) -> None:
    card = clarify(review=Review(roles=("reviewer",))).model_copy(
        update={"kind": "confirm", "waiting_for": "Wang", "rows": (Row(label="Weight", value="7"),)}
    )
    asked = replace(context, open_cards=(card,), principal=LI, lang="en")
    (intent,) = (await route(text, asked, None)).intents
    assert ("in review by Wang" in intent.told) == helped


KEY = (
    Field(name="door", label="Which door"),
    Field(name="keys", label="How many", type="integer"),
    Field(name="speed", label="How soon", type="choice", options=("at once", "no hurry")),
)


def asking(*fields: Field) -> Card:
    card = clarify()
    choices = (card.choices[0].model_copy(update={"form": fields}), *card.choices[1:])
    return card.model_copy(update={"choices": choices, "lang": "en"})


@pytest.mark.parametrize(
    ("text", "kinds", "values"),
    [
        ("Which door: bike room", ["card_reply"], {"door": "bike room"}),
        ("How many： 2， Which door： cellar", ["card_reply"], {"keys": "2", "door": "cellar"}),
        ("no hurry", ["card_reply"], {"speed": "no hurry"}),
        ("No hurry, please", ["card_reply"], {"speed": "no hurry"}),
        ("Which door: the cellar?", [], {}),
        ("How many: 2, what is the weight of P003?", ["card_reply", "qa_query"], {"keys": "2"}),
        ("How many: 2. What is the weight of P003", ["card_reply", "qa_query"], {"keys": "2"}),
        ("no, thanks", [], {}),
        ("sorry", [], {}),
    ],
)
async def test_a_label_names_a_field_before_it_asks(
    text: str, kinds: list[str], values: dict[str, str], context: RouteContext
) -> None:
    asked = replace(context, open_cards=(asking(*KEY),), lang="en")
    routed = await route(text, asked, None)
    if not kinds:
        assert all(intent.kind != "card_reply" for intent in routed.intents), routed.verdicts
        return
    assert [intent.kind for intent in routed.intents] == kinds, routed.verdicts
    assert routed.intents[0].values == values


async def test_a_correction_is_for_the_only_field_that_takes_words(context: RouteContext) -> None:
    for fields, kind in ((KEY, "card_reply"), ((*KEY, Field(name="why", label="Why")), "unclear")):
        asked = replace(context, open_cards=(asking(*fields),), lang="en")
        (intent,) = (await route("sorry, it is stairwell C", asked, None)).intents
        assert (intent.kind, intent.sure) == (kind, False)


def test_what_stands_in_a_form_is_told_with_its_unit() -> None:
    rebate = Field(name="rebate", label="Rebate", type="integer", unit="%")
    assert labelled_value(rebate, "10") == "Rebate 10 %"
    assert labelled_value(rebate.model_copy(update={"unit": ""}), "10") == "Rebate 10"
