"""Forms answered in text: nothing is stored that was not said, nothing said is dropped."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_web_walk import GOOD, fields, today

WHOLE = {"zh": "ECOG 1，体重70，血压120/80", "en": "ecog 1, weight 70, bp 120/80"}
ASK = {"zh": "录入 {} 今天的访视", "en": "record today's visit of {}"}


@pytest.fixture
async def room(start: Start) -> AsyncIterator[WebRoom]:
    service = await start()
    async with WebRoom(service.url) as room:
        yield room


async def told(room: WebRoom, text: str, *, said: str, person: str = "lin") -> Message:
    """Say the text; the reply that has `said` in one of its parts."""
    before = set(room.shown)
    await room.say(person, text)

    def matches(message: Message) -> bool:
        return any(room.shown[i] is message for i in room.shown if i not in before) and (
            said in text_of(message["parts"])
        )

    return await room.wait_for(matches)


async def opened(room: WebRoom, lang: str, who: str = "P004") -> Message:
    await room.say("lin", ASK[lang].format(who))
    message = await room.wait_for(
        lambda m: (
            bool(m["card"])
            and m["card"]["kind"] == "clarify"
            and who in text_of(m["card"])
            and not m["card"]["outcome"]
        )
    )
    card: Message = message["card"]
    return card


def rows(card: Message) -> list[str]:
    return [row["value"] for row in card["rows"]]


def prefilled(card: Message) -> dict[str, str]:
    form = next((button["form"] for button in card["buttons"] if button["form"]), [])
    return {field["name"]: field["value"] for field in form if field["value"]}


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_values_of_another_subject_are_not_taken(room: WebRoom, lang: str) -> None:
    await opened(room, lang)
    reply = await told(room, f"P005 {WHOLE[lang]}", said="P005")
    assert "P004" in text_of(reply["parts"])
    reply = await told(room, "subject P006", said="P006")
    assert prefilled(await room.card("clarify")) == {}
    await room.say("lin", WHOLE[lang])
    assert rows(await room.card("confirm"))[:2] == ["P004", today()]


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_of_two_forms_the_named_subject_s_is_answered_and_else_none(
    room: WebRoom, lang: str
) -> None:
    await opened(room, lang, "P004")
    await opened(room, lang, "P005")
    reply = await told(room, WHOLE[lang], said="P005")
    assert "P004" in text_of(reply["parts"])
    assert reply["parts"][0]["state"] == "needs_you"
    await room.say("lin", f"P004 {WHOLE[lang]}")
    assert rows(await room.card("confirm"))[0] == "P004"
    assert prefilled(await room.card("clarify")) == {}


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("访视日期改为 2026-03-09，ECOG 1，体重70，血压120/80", "zh"),
        ("for 2026-03-09: ecog 1, weight 70, bp 120/80", "en"),
    ],
)
async def test_another_date_is_taken_and_said(room: WebRoom, text: str, lang: str) -> None:
    await opened(room, lang)
    await told(room, text, said="2026-03-09")
    assert rows(await room.card("confirm"))[:2] == ["P004", "2026-03-09"]


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_a_date_changed_first_is_kept_on_the_card(room: WebRoom, lang: str) -> None:
    await opened(room, lang)
    change = {"zh": "访视日期改为 2026-03-09", "en": "change the date to 2026-03-09"}[lang]
    await told(room, change, said="2026-03-09")
    card = (await room.wait_for(lambda m: bool(m["card"]) and "2026-03-09" in text_of(m["card"])))[
        "card"
    ]
    assert prefilled(card) == {"visit_date": "2026-03-09"}
    assert today() not in rows(card)
    await room.say("lin", WHOLE[lang])
    assert rows(await room.card("confirm"))[:2] == ["P004", "2026-03-09"]


@pytest.mark.parametrize(
    ("lang", "text", "said"),
    [
        ("zh", "2026-02-30，ECOG 1，体重70，血压120/80", "没有这一天"),
        ("en", "2026-02-30, ecog 1, weight 70, bp 120/80", "no such day"),
        ("zh", "ECOG 1，体重70，血压120/80，头晕", "头晕"),
        ("en", "ecog 1, weight 70, bp 120/80, no adverse events except headache", "headache"),
        ("zh", "上次体重70，今天72；血压120/80，ECOG 1", "上次体重70"),
        ("en", "weight was 70 last time, today 72; bp 120/80, ecog 1", "last time"),
        ("zh", "ECOG 1.5，体重70，血压120/80", "ECOG 评分：请填写整数"),
        ("en", "ecog 1, weight 155 lbs, bp 120/80", "Weight: Please give it in kg"),
        ("zh", "1, 70.5, 120, 80", "体重"),
        ("en", "I do not know", "Weight"),
        ("zh", "算了不录了", "按钮"),
        ("en", "withdraw", "button"),
    ],
)
async def test_nothing_is_decided_on_half_of_what_was_said(
    room: WebRoom, lang: str, text: str, said: str
) -> None:
    card = await opened(room, lang)
    await told(room, text, said=said)
    kept = {"systolic": "120", "diastolic": "80"} if "120/80" in text else {}
    now = await room.wait_for(
        lambda m: bool(m["card"]) and kept.items() <= prefilled(m["card"]).items()
    )
    assert now["card"]["token"] == card["token"]
    assert not any(m["card"] and m["card"]["kind"] == "confirm" for m in room.shown.values())


@pytest.mark.parametrize(
    ("lang", "text", "event"),
    [
        ("en", "weight 70, bp 120/80, ecog 1, adverse event headache grade 2", "headache grade 2"),
        ("zh", "体重70，血压120/80，ECOG 1，不良事件 头痛 2级", "头痛 2级"),
        ("zh", "出现了轻微头痛，体重70，血压120/80，ECOG 1", "轻微头痛"),
    ],
)
async def test_a_stated_adverse_event_reaches_the_review(
    room: WebRoom, lang: str, text: str, event: str
) -> None:
    await opened(room, lang)
    await room.say("lin", text)
    assert rows(await room.card("confirm"))[-1] == event


@pytest.mark.parametrize(
    ("text", "event"),
    [
        (
            "record today's visit of P004, ecog 1, weight 70, bp 120/80, "
            "adverse event headache grade 2",
            "headache grade 2",
        ),
        ("录入 P004 今天的访视，ECOG 1，体重70，血压120/80，不良事件 头痛", "头痛"),
    ],
)
async def test_a_request_s_adverse_event_reaches_the_review(
    room: WebRoom, text: str, event: str
) -> None:
    await room.say("lin", text)
    assert rows(await room.card("confirm"))[-1] == event


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "record today's visit of P004, ecog 1, weight 70, bp 120/80, "
            "no adverse events except headache",
            "except headache",
        ),
        ("录入 P004 今天的访视，ECOG 1，体重70，血压120/80，无不良事件，除了头痛2级", "头痛2级"),
    ],
)
async def test_a_request_that_is_understood_in_part_asks(
    room: WebRoom, text: str, left: str
) -> None:
    await room.say("lin", text)
    card = await room.card("clarify")
    assert ("Not used" if text.isascii() else "未采用") in card["html"]
    assert left in card["html"]
    assert card["problems"] == []
    kept = prefilled(card)
    assert (kept["subject_id"], kept["weight_kg"], kept["diastolic"]) == ("P004", "70", "80")
    await room.fill("lin", card, "submit", **kept)
    await room.card("confirm")


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "show me P003's ECOG, and weight 70"),
        ("zh", "查一下 P003 的 ECOG，体重 70"),
        ("en", "weight 70. And what is the ECOG of P003?"),
        ("zh", "体重 70。P003 的 ECOG 是多少？"),
    ],
)
async def test_a_question_and_values_in_one_message_both_count(
    room: WebRoom, lang: str, text: str
) -> None:
    await opened(room, lang)
    reply = await told(room, text, said="2026-10-28")
    assert sorted(part["state"] for part in reply["parts"]) == ["answered", "needs_you"]
    card = await room.wait_for(
        lambda m: (
            bool(m["card"])
            and m["card"]["kind"] == "clarify"
            and "70" in prefilled(m["card"]).values()
        )
    )
    assert prefilled(card["card"]) == {"weight_kg": "70"}


async def test_an_optional_value_that_is_emptied_is_gone(room: WebRoom) -> None:
    card = await opened(room, "en")
    await room.fill("lin", card, "submit", **GOOD, adverse_event="headache")
    confirm = await room.card("confirm")
    assert "headache" in rows(confirm)
    await room.fill("chen", confirm, "reject", reason="none seen")
    back = (await room.wait_for(lambda m: bool(m["card"]) and bool(m["card"]["problems"])))["card"]
    kept = prefilled(back)
    assert kept["adverse_event"] == "headache"
    await room.fill("lin", back, "submit", **(kept | {"adverse_event": ""}))
    again = await room.wait_for(
        lambda m: (
            bool(m["card"])
            and m["card"]["kind"] == "confirm"
            and m["card"]["token"] != confirm["token"]
        )
    )
    assert "headache" not in rows(again["card"])


@pytest.mark.parametrize(
    ("lang", "text", "said"),
    [
        ("en", "approve", "Only the button"),
        ("zh", "批准", "按钮"),
        ("en", "looks good", "Only the button"),
        ("en", "what's the status", "/cancel"),
        ("zh", "体重应该是 71", "/cancel"),
        ("en", "weight is 71", "/cancel"),
    ],
)
async def test_in_review_a_text_decides_and_changes_nothing(
    room: WebRoom, lang: str, text: str, said: str
) -> None:
    await opened(room, lang)
    await room.say("lin", WHOLE[lang])
    confirm = await room.card("confirm")
    await told(room, text, said=said)
    assert await room.card("confirm") == confirm


async def test_the_correction_form_lets_anything_be_changed(room: WebRoom) -> None:
    card = await opened(room, "en")
    await room.fill("lin", card, "submit", **GOOD)
    confirm = await room.card("confirm")
    await room.fill("chen", confirm, "reject", reason="wrong subject")
    back = (await room.wait_for(lambda m: bool(m["card"]) and bool(m["card"]["problems"])))["card"]
    assert "subject_id" in fields(back)
    await told(room, "subject P006", said="Changed to: Subject P006")
    again = await room.wait_for(
        lambda m: (
            bool(m["card"])
            and m["card"]["kind"] == "confirm"
            and m["card"]["token"] != confirm["token"]
        )
    )
    assert rows(again["card"])[0] == "P006"


async def test_an_answer_that_adds_nothing_leaves_the_card_as_it_was(room: WebRoom) -> None:
    card = await opened(room, "en")
    await told(room, "P004", said="Still missing")
    assert await room.card("clarify") == card
    status, _ = await room.fill("lin", card, "submit", **GOOD)
    assert status == 200
    await room.card("confirm")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("谢谢", "不客气"),
        ("Thanks!", "You are welcome"),
        ("what can you do?", "/pending"),
        ("你是谁？", "/pending"),
        ("How do I record a visit?", "just say what to do"),
        ("怎么录入访视？", "直接说要做什么"),
    ],
)
async def test_small_questions_get_their_own_answers(room: WebRoom, text: str, said: str) -> None:
    reply = await told(room, text, said=said)
    assert [part["state"] for part in reply["parts"]] == ["answered"]


async def test_what_people_wrote_is_no_markup(room: WebRoom) -> None:
    await opened(room, "en")
    reply = await told(room, "weight 70, <b>[x](http://e.com) *so*</b>", said="Not used")
    html = reply["parts"][0]["html"]
    assert "<em>" not in html
    assert "<a " not in html
    assert "<b>" not in html
