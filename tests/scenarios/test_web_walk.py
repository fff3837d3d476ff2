"""A person asks and has a visit recorded in the web chat, from message to phase_done card."""

import asyncio
import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from cards.moments import MARKED
from tests.fakes.study import visits_in
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Start

GOOD = {"ecog": "2", "weight_kg": "61.5", "systolic": "121", "diastolic": "77"}
ASK = {
    "zh": "帮我查一下 P003 的 ECOG,然后录入今天的访视数据",
    "en": "Show me the ECOG of P003, then record today's visit",
}


def today() -> str:
    return datetime.now(ZoneInfo("Asia/Shanghai")).date().isoformat()


def fields(card: Message, choice: str = "submit") -> list[str]:
    found = next(b for b in card["buttons"] if b["data"].split(":")[2] == choice)
    return [field["name"] for field in found["form"]]


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_one_reply_answers_the_question_and_asks_only_for_what_is_missing(
    start: Start, lang: str
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", ASK[lang])
        message = await room.wait_for(lambda m: bool(m["card"]))
        assert [part["number"] for part in message["parts"]] == [1, 2]
        first = re.sub("<[^>]+>", "", message["parts"][0]["html"])
        assert "ECOG" in first
        assert "2026-10-28" in first
        assert re.search(r"[:：]\s*1\b", first)
        card = message["card"]
        assert card["kind"] == "clarify"
        assert fields(card) == ["ecog", "weight_kg", "systolic", "diastolic", "adverse_event"]
        shown = {row["value"] for row in card["rows"]}
        assert shown == {"P003", today()}
        assert len(room.shown) == 1


async def to_review(room: WebRoom, **values: str) -> Message:
    """Ask and fill in, up to the reviewer's card."""
    await room.say("lin", ASK["zh"])
    card = await room.card("clarify")
    status, answer = await room.fill("lin", card, "submit", **{**GOOD, **values})
    assert (status, answer["ok"]) == (200, True)
    return await room.card("confirm")


async def test_a_card_stands_once_where_it_was_asked_for_and_its_approvers_are_reached(
    start: Start,
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        whole = "Record today's visit of P002, ECOG 1, weight 60, blood pressure 120/80"
        await room.say("lin", whole)
        card = await room.card("confirm")
        # What is shown last comes after all that the card could be shown in.
        await room.tap("chen", card, "approve")
        await room.card("confirm", closed=True)
        shown = [m for m in room.shown.values() if (m["card"] or {}).get("token") == card["token"]]
        assert len(shown) == 1
        assert shown[0]["parts"]


async def test_only_the_reviewer_can_approve_and_then_the_visit_is_there(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        values = [row["value"] for row in card["rows"]]
        assert values == ["P003", today(), "2", "61.5 kg", "121 mmHg", "77 mmHg", "未填写"]
        for person in ("lin", "zhao"):
            status, answer = await room.tap(person, card, "approve")
            assert (status, answer["ok"]) == (200, False)
            assert answer["text"]
        assert (await room.card("confirm"))["outcome"] == ""
        status, answer = await room.tap("chen", card, "approve")
        assert (status, answer["ok"]) == (200, True)
        # What is told at once has the reader's own clock, as all else on the page.
        assert MARKED.search(answer["text"])
        closed = await room.card("confirm", closed=True)
        assert "陈博" in closed["outcome"]
        assert closed["buttons"] == []
        done = await room.card("phase_done")
        assert "61.5 kg" in text_of(done)
        await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
        await room.say("lin", "P003 的 ECOG 是多少?")
        answered = await room.wait_for(
            lambda m: len(m["parts"]) == 1 and today() in text_of(m) and m["card"] is None
        )
        assert "<strong>2</strong>" in answered["parts"][0]["html"]
        assert done["buttons"] == [], "it only informs"


async def test_a_value_out_of_range_is_shown_and_asked_again(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", ASK["zh"])
        card = await room.card("clarify")
        await room.fill("lin", card, "submit", **{**GOOD, "weight_kg": "400"})
        again = await room.wait_for(lambda m: bool(m["card"]) and bool(m["card"]["problems"]))
        assert "400" in text_of(again["card"]["problems"])
        form = next(b["form"] for b in again["card"]["buttons"] if b["form"])
        kept = {field["name"]: field["value"] for field in form}
        assert kept["systolic"] == "121"
        status, _ = await room.fill("lin", again["card"], "submit", **{**kept, "weight_kg": "62"})
        assert status == 200
        confirm = await room.card("confirm")
        assert "62" in [row["value"].split()[0] for row in confirm["rows"]]


async def test_a_rejection_goes_back_with_its_reason_and_writes_nothing(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        status, answer = await room.tap("chen", card, "reject")
        assert status == 200
        assert [field["name"] for field in answer["form"]["fields"]] == ["reason"]
        assert (await room.card("confirm"))["outcome"] == ""
        status, answer = await room.fill("chen", card, "reject", reason="体重请复核")
        assert (status, answer["ok"]) == (200, True)
        back = await room.wait_for(lambda m: bool(m["card"]) and bool(m["card"]["problems"]))
        assert "体重请复核" in text_of(back["card"]["problems"])
        visits = visits_in(service.parts.settings.data_dir, "P003")
        assert today() not in [visit.visit_date.isoformat() for visit in visits]
        await room.tap("lin", back["card"], "withdraw")
        await room.wait_for(lambda m: any(p["state"] == "withdrawn" for p in m["parts"]))


async def test_the_form_can_be_answered_in_text_bit_by_bit(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", "录入 P003 今天的访视")
        await room.card("clarify")
        await room.say("lin", "ECOG 1,体重 60.5")
        noted = await room.wait_for(lambda m: "60.5" in text_of(m["parts"]))
        assert "收缩压" in text_of(noted["parts"])
        await room.say("lin", "血压 118/76")
        confirm = await room.card("confirm")
        assert "118 mmHg" in [row["value"] for row in confirm["rows"]]


async def test_of_two_reviewers_at_once_one_decides_and_the_other_hears_who_did(
    start: Start,
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        answers = await asyncio.gather(
            room.tap("chen", card, "approve"),
            room.fill("wu", card, "reject", reason="late"),
        )
        won, lost = sorted((answer for _, answer in answers), key=lambda a: not a["ok"])
        assert (won["ok"], lost["ok"]) == (True, False)
        names = {"陈博", "吴静"}
        (winner,) = {name for name in names if name in won["text"]}
        assert winner in lost["text"]
        closed = await room.card("confirm", closed=True)
        assert winner in closed["outcome"]


async def test_what_cannot_be_answered_says_so_and_offers_what_can(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", "今天天气怎么样?")
        message = await room.wait_for(lambda m: bool(m["card"]))
        labels = [button["label"] for button in message["card"]["buttons"]]
        assert len(labels) >= 2
        assert labels[-1] == "都不是"


async def test_cancel_ends_the_run_and_its_card(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        await room.say("zhao", "/cancel")
        await room.wait_for(lambda m: "没有可以" in text_of(m) or "no run" in text_of(m))
        await room.say("lin", "/cancel")
        await room.card("confirm", closed=True)
        status, answer = await room.tap("chen", card, "approve")
        assert (status, answer["ok"]) == (200, False)
        visits = visits_in(service.parts.settings.data_dir, "P003")
        assert today() not in [visit.visit_date.isoformat() for visit in visits]


async def test_an_unknown_or_tampered_card_is_not_known_here(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        good = card["buttons"][0]["data"]
        foreign = good.replace(good.split(":")[1], "0-AAAAAAAAAAAAAAAAAAAAAA")
        for data in (foreign, "s1:nonsense", good[:-1] + "9", "approve"):
            status, answer = await room.post(
                "taps", "chen", button=data, id="web-x-" + data[:8].replace(":", "")
            )
            assert status in (200, 400)
            assert not answer.get("ok")
        assert (await room.card("confirm"))["outcome"] == ""
