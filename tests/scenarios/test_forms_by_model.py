"""Answers that rules do not take whole are read by the model, and shown before they count."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.fakes.model_server import ModelServer, Reply, fail, say_json
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_model_walk import settings
from tests.scenarios.test_text_answers import opened, prefilled, told

SAID = {
    "zh": "跟上次比没什么变化，体重还是六十一公斤半，其余照旧",
    "en": "much as before, she weighs sixty-one and a half, nothing else to say",
}
WORDS = {"zh": "体重还是六十一公斤半", "en": "weighs sixty-one and a half"}


def is_form(request: dict[str, Any]) -> bool:
    return "words" in json.dumps(request.get("response_format", ""))


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server
        assert server.faults == []


def scripted(lang: str, *values: dict[str, str]) -> Any:
    """Sorts everything to the first card, and reads these values."""

    def script(request: dict[str, Any]) -> Reply:
        if is_form(request):
            return say_json({"values": list(values)})
        text = json.loads(request["messages"][-1]["content"])["message"]
        piece = {"kind": "card_reply", "route": "", "text": text, "condition": ""}
        return say_json({"pieces": [piece | {"depends_on": [], "card": 1, "option": ""}]})

    return script


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_what_the_model_takes_stands_in_the_form_with_its_words_and_is_not_sent(
    start: Start, model: ModelServer, lang: str
) -> None:
    taken = {"field": "weight_kg", "value": "61.5", "words": WORDS[lang]}
    model.script(scripted(lang, taken))
    service = await start(**settings(model))
    async with WebRoom(service.url) as room:
        card = await opened(room, lang)
        reply = await told(room, SAID[lang], said="61.5")
        assert WORDS[lang] in text_of(reply["parts"])
        assert reply["parts"][0]["state"] == "needs_you"
        await room.wait_for(
            lambda m: bool(m["card"]) and prefilled(m["card"]).get("weight_kg") == "61.5"
        )
        traces = [json.loads(body) for _, body in await service.parts.store.archive.traces(20)]
    (asked,) = [request for request in model.requests if is_form(request)]
    prompt = asked["messages"][-1]["content"]
    assert SAID[lang] in prompt
    assert f"The form:\n<data>{card['title']}" in prompt
    (read,) = [trace for trace in traces if trace["kind"] == "form"]
    assert (read["outcome"], read["values"]) == ("answered", {"weight_kg": "61.5"})
    assert (read["words"], read["model"]) == ({"weight_kg": WORDS[lang]}, "stub-model")
    assert read["tokens"] > 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"field": "weight_kg", "value": "61.5", "words": "she said 61.5"},
        {"field": "weight_kg", "value": "a lot", "words": WORDS["en"]},
        {"field": "nothing", "value": "1", "words": WORDS["en"]},
    ],
)
async def test_a_value_that_nobody_wrote_or_that_does_not_fit_is_not_taken(
    start: Start, model: ModelServer, wrong: dict[str, str]
) -> None:
    model.script(scripted("en", wrong))
    service = await start(**settings(model))
    async with WebRoom(service.url) as room:
        await opened(room, "en")
        await told(room, SAID["en"], said="Still missing")
        assert "weight_kg" not in prefilled(await room.card("clarify"))
    assert sum(map(is_form, model.requests)) == 2


async def test_without_the_model_s_answer_rules_read_what_they_can(
    start: Start, model: ModelServer
) -> None:
    sort = scripted("en")
    model.script(lambda request: fail(400) if is_form(request) else sort(request))
    service = await start(**settings(model))
    async with WebRoom(service.url) as room:
        await opened(room, "en")
        await told(room, "ecog 1, and otherwise as it was in spring", said="spring")
        await room.wait_for(lambda m: bool(m["card"]) and prefilled(m["card"]).get("ecog") == "1")
