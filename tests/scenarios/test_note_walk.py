"""Look up, then remember: a model plans it, a reviewer approves the words, the memo is found."""

import json
from typing import Any

import pytest

from tests.fakes.model_server import ModelServer, Reply, say, say_json
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_model_walk import settings
from tests.scenarios.test_web_walk import to_review

ASK = {
    "zh": "查一下 P003 的 ECOG，再把结论记到项目备忘",
    "en": "look up the ECOG of P003, then remember the conclusion for the project",
}
ONE_PART = {
    "zh": "把 P003 的 ECOG 查出来，记到项目备忘",
    "en": "remember the ECOG of P003 for the project",
}
ABOUT = {"zh": "P003 的 ECOG 为 $steps.1.ecog", "en": "ECOG of P003: $steps.1.ecog"}
MEMO = {"zh": "P003 的 ECOG 为 1", "en": "ECOG of P003: 1"}
SAID = {"zh": "已记下：$steps.1.ecog", "en": "Kept: $steps.1.ecog"}
SHOWN = {"zh": "已记下：1", "en": "Kept: 1"}


def plan(lang: str, **read: str) -> list[dict[str, Any]]:
    arguments = {"subject_id": "P003", "field": "ecog", **read}
    return [
        {"type": "tool", "name": "read_clinical_data", "arguments": arguments},
        {"type": "tool", "name": "memory__remember", "arguments": {"text": ABOUT[lang]}},
        {"type": "reply", "text": SAID[lang]},
    ]


def plans(request: dict[str, Any]) -> bool:
    return "JSON array of steps" in request["messages"][0]["content"]


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("message", [ASK, ONE_PART])
async def test_what_is_looked_up_is_remembered_in_the_words_that_were_approved(
    start: Start, lang: str, message: dict[str, str]
) -> None:
    def script(request: dict[str, Any]) -> Reply:
        assert plans(request), "everything else is decided without the model"
        return say(f"```json\n{json.dumps(plan(lang), ensure_ascii=False)}\n```")

    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", message[lang])
            card = await room.card("confirm")
            assert MEMO[lang] in text_of(card)
            assert "memory__remember" in text_of(card)
            own, refused = await room.tap("lin", card, "approve")
            assert (own, refused["ok"]) == (200, False)
            assert (await room.tap("chen", card, "approve"))[1]["ok"]
            done = await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
            assert SHOWN[lang] in text_of(done)
            await room.say("zhao", "What do you remember?")
            await room.wait_for(lambda m: m["card"] is None and MEMO[lang] in text_of(m))


@pytest.mark.parametrize(
    ("question", "then"),
    [
        ("P003 的 ECOG 是多少？", "把结论记到项目备忘"),
        ("What is the ECOG of P003?", "remember the conclusion for the project"),
    ],
)
async def test_who_plans_knows_the_answer_that_was_given_before(
    start: Start, question: str, then: str
) -> None:
    planned: list[str] = []

    def script(request: dict[str, Any]) -> Reply:
        if not plans(request):
            route = "clinical_qc/note"
            piece = {"kind": "workflow", "route": route, "text": then, "condition": ""}
            return say_json({"pieces": [piece | {"depends_on": [], "card": None, "option": ""}]})
        planned.append(request["messages"][-1]["content"])
        return say_json([{"type": "reply", "text": "-"}])

    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", question)
            await room.wait_for(lambda m: m["parts"][0]["state"] == "answered")
            await room.say("lin", then)
            await room.wait_for(lambda m: bool(planned))
    said = planned[0].partition("Said before in this conversation")[2]
    assert f": {question}" in said
    assert "bot: " in said
    assert "P003" in said.partition("bot: ")[2]


async def test_what_the_request_does_not_say_is_asked_and_a_failed_step_is_planned_around(
    start: Start,
) -> None:
    asked: list[str] = []

    def script(request: dict[str, Any]) -> Reply:
        assert plans(request)
        asked.append(request["messages"][-1]["content"])
        steps = plan("en", visit_date="2020-01-01") if len(asked) == 1 else plan("en")[1:]
        if len(asked) == 1:
            del steps[0]["arguments"]["subject_id"]
        else:
            steps[0]["arguments"] = {"text": "P003 had no visit in 2020"}
            steps[1]["text"] = "There was none."
        return say_json(steps)

    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", "remember the conclusion for the project")
            form = await room.card("clarify")
            await room.say("lin", "P003")
            card = await room.card("confirm")
            assert "P003 had no visit in 2020" in text_of(card)
            assert "this is a new one" in text_of(card)
            assert "$steps.1.ecog leads nowhere" in asked[1]
            assert form["buttons"]
            await room.fill("chen", card, "reject", reason="who asked?")
            ended = await room.wait_for(lambda m: "rejected" in [p["state"] for p in m["parts"]])
            assert "who asked?" in text_of(ended)
            assert "no visit" in text_of(ended).lower()


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_without_a_model_it_says_what_people_can_do(start: Start, lang: str) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", ONE_PART[lang])
        failed = await room.wait_for(lambda m: any(p["state"] == "failed" for p in m["parts"]))
        assert "OPENAI_API_KEY" not in text_of(failed)
        assert {"zh": "请把每一步分开说", "en": "each step by itself"}[lang] in text_of(failed)


async def test_who_answers_and_who_plans_know_what_was_decided_here_and_why(start: Start) -> None:
    """Of a request that shares no case: it was rejected in this conversation."""
    told: list[str] = []

    def script(request: dict[str, Any]) -> Reply:
        told.append(json.dumps([m["content"] for m in request["messages"]], ensure_ascii=False))
        if plans(request):
            return say(json.dumps(plan("en")))
        if "response_format" in request:
            route = "clinical_qc/note"
            piece = {"kind": "workflow", "route": route, "text": ONE_PART["en"], "condition": ""}
            return say_json({"pieces": [piece]})
        return say("The scale was broken.")

    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            card = await to_review(room)
            await room.fill("chen", card, "reject", reason="the scale was broken")
            await room.card("confirm", closed=True)
            await room.say("lin", "Why does the weight of P003 look odd to you?")
            await room.wait_for(lambda m: "The scale was broken" in text_of(m))
            assert "陈博 / Chen Bo chose" in told[-1]
            assert "the scale was broken" in told[-1]
            await room.say("lin", ONE_PART["en"])
            await room.wait_for(lambda m: bool(m["card"]) and MEMO["en"] in text_of(m))
    (asked,) = [each for each in told if "JSON array of steps" in each]
    assert "the scale was broken" in asked
