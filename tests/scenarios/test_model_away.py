"""The model goes away: what still works, what operators see, and what admins are told."""

from pathlib import Path
from typing import Any

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.fakes.model_server import API_KEY, ModelServer, Reply, fail
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_did_you_mean import ENGLISH, RECORD
from tests.scenarios.test_model_walk import QUESTION, scripted
from tests.scenarios.test_web_walk import to_review


async def get(service: Service, path: str) -> str:
    async with aiohttp.ClientSession() as http, http.get(f"{service.url}{path}") as answer:
        assert answer.status == 200
        return await answer.text()


async def numbers(service: Service) -> dict[str, float]:
    """Each sample by its name and the values of its labels, which come in the labels' order."""
    families = text_string_to_metric_families(await get(service, "/metrics"))
    return {
        " ".join([s.name, *s.labels.values()]): s.value
        for family in families
        for s in family.samples
    }


def settings(server: ModelServer) -> dict[str, Any]:
    return {
        "openai_api_key": API_KEY,
        "openai_base_url": server.base_url,
        "llm_model": "one",
        "llm_fallback_models": ("two",),
        "llm_prices": {"one": (1.0, 2.0), "two": (3.0, 4.0)},
    }


def has_select(message: Message) -> bool:
    return bool(message["card"]) and message["card"]["kind"] == "select"


@pytest.fixture
def with_admin(people_file: Path) -> Path:
    text = people_file.read_text("utf-8")
    text = text.replace("people:\n", "  - {id: admin, zh: 管理员, en: admin}\n\npeople:\n", 1)
    people_file.write_text(text.replace("roles: []", "roles: [admin]", 1), "utf-8")
    return people_file


async def test_without_a_model_health_says_off_and_nothing_is_counted(start: Start) -> None:
    service = await start()
    assert '"model": "off"' in await get(service, "/readyz")
    assert not [name for name in await numbers(service) if name.startswith("signoff_model")]


async def test_answers_are_counted_with_their_tokens_cost_and_time(start: Start) -> None:
    async with ModelServer(scripted) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", QUESTION)
            await room.wait_for(lambda m: "更差一些" in text_of(m))
        await service.parts.telemetry.meter.share()
        found = await numbers(service)
    calls = len(model.requests)
    assert found["signoff_model_calls_total one ok"] == calls
    assert found["signoff_model_tokens_total completion one"] == 20 * calls
    prompt = found["signoff_model_tokens_total prompt one"]
    assert found["signoff_model_cost_total one"] == pytest.approx((prompt + 40 * calls) / 1e6)
    assert found["signoff_model_seconds_count one"] == calls
    assert found["signoff_model_seconds_bucket +Inf one"] == calls
    assert 0 < found["signoff_model_seconds_sum one"] < 60 * calls
    assert (found["signoff_model_breaker one"], found["signoff_model_breaker two"]) == (0, 0)
    assert '"model": "ok"' in await get(service, "/readyz")


async def ask(room: WebRoom, state: str) -> None:
    """Asks what only the model can answer, and waits until the answer is in that state."""

    def answered() -> int:
        shown = [m["parts"] for m in room.shown.values() if m["parts"]]
        return len([parts for parts in shown if parts[0]["state"] == state])

    before = answered()
    await room.say("lin", QUESTION)
    await room.wait_for(lambda m: answered() > before)


async def test_a_model_that_stays_away_is_seen_and_told_while_runs_go_on(
    start: Start, with_admin: Path
) -> None:
    away = {"one"}

    def script(request: dict[str, Any]) -> Reply:
        return fail(404) if request["model"] in away else scripted(request)

    async with ModelServer(script) as model:
        service = await start(**settings(model), people=with_admin)
        async with WebRoom(service.url) as room:
            for _ in range(2):
                await ask(room, "answered")
            await service.parts.telemetry.watch.share()
            assert '"model": "degraded"' in await get(service, "/readyz")
            found = await numbers(service)
            states = (found["signoff_model_breaker one"], found["signoff_model_breaker two"])
            assert states == (2, 0)
            await room.wait_for(lambda m: "语言模型「one」连续没有回答" in text_of(m))
            away.add("two")
            for _ in range(5):
                await ask(room, "failed")
            await service.parts.telemetry.watch.share()
            assert '"model": "away"' in await get(service, "/readyz")
            asked = len(model.requests)
            await ask(room, "failed")
            await to_review(room)
            assert len(model.requests) == asked


@pytest.mark.parametrize(
    ("text", "limited", "away"),
    [
        (RECORD, "只按固定规则理解：提问人今天的语言模型用量上限已用完", "语言模型暂时不可用"),
        (
            ENGLISH,
            "Only fixed rules read this message: today's limit for the language model, of the "
            "person who asked, is used up",
            "not available just now",
        ),
    ],
)
async def test_where_rules_alone_read_a_message_the_person_is_told_why(
    start: Start, text: str, limited: str, away: str
) -> None:
    async with ModelServer(scripted) as model:
        service = await start(**settings(model), llm_day_tokens_per_person=100)
        async with WebRoom(service.url) as room:
            await ask(room, "failed")
            asked = len(model.requests)
            await room.say("lin", text)
            asking = await room.wait_for(has_select)
            shown = text_of(asking["parts"])
            assert limited in shown
            assert away not in shown
            assert len(model.requests) == asked
            # A look-up needs no model, and nothing is said of one.
            await room.say("lin", "P003 的 ECOG")
            answer = await room.wait_for(lambda m: "2026-10-28" in text_of(m["parts"]))
            assert "上限" not in text_of(answer)


async def test_a_model_that_is_away_is_told_where_rules_alone_read_a_message(start: Start) -> None:
    async with ModelServer(lambda request: fail(404)) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", RECORD)
            asking = await room.wait_for(has_select)
            assert "语言模型暂时不可用，这条消息只按固定规则理解" in text_of(asking["parts"])
