"""One person asks a slow model sixty things at once: nobody else waits for it (design §3)."""

import asyncio
import itertools
from typing import Any

import aiohttp

from adapters.redis import keys
from tests.fakes.model_server import ModelServer, Reply, say_json, slow
from tests.fakes.platforms.patience import until
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_model_walk import settings
from tests.scenarios.test_web_walk import to_review

QUESTIONS = 60
OPEN = "为什么受试者会退出这样的研究 {n}?"
_rooms = itertools.count(1)


def ask(text: str) -> Any:
    return {"intents": [{"text": text, "kind": "qa_query", "playbook": "", "depends_on": []}]}


def script(released: asyncio.Event) -> Any:
    """Routes at once, and answers when it is released."""

    def reply(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return say_json(ask(request["messages"][-1]["content"]))
        return slow(released, "因为太远")

    return reply


async def ask_all(service: Service, person: str, count: int = QUESTIONS) -> list[WebRoom]:
    """One question each in rooms of their own."""
    rooms = []
    async with aiohttp.ClientSession(base_url=service.url) as session:
        for n in range(count):
            room = WebRoom(service.url, f"many-{next(_rooms)}", session=session)
            await room.say(person, OPEN.format(n=n))
            rooms.append(room)
    return rooms


async def answered(service: Service, room: WebRoom) -> str:
    """What the room was told, once the question is answered."""
    async with WebRoom(service.url, room.room) as looking:
        return text_of(await looking.wait_for(lambda m: "因为太远" in text_of(m)))


async def test_while_one_persons_questions_wait_for_a_model_everybody_else_is_served(
    start: Start,
) -> None:
    released = asyncio.Event()
    async with ModelServer(script(released)) as model:
        service = await start(**settings(model), reply_after_s=0.0)
        async with WebRoom(service.url) as room:
            card = await to_review(room)
            rooms = await ask_all(service, "wu")
            most = service.parts.settings.llm_concurrency // 2
            await until(lambda: model.now == most)
            # All of them have been looked at, and what is over the limit was given back.
            await until(lambda: _all_given_back(service, QUESTIONS - most))
            await room.say("lin", "P001 的 ECOG")
            await room.wait_for(lambda m: "P001" in text_of(m) and "<strong>" in text_of(m))
            await room.say("lin", "/help")
            await room.wait_for(lambda m: "/cancel" in text_of(m))
            await room.tap("chen", card, "approve")
            await room.card("phase_done")
            await room.say("lin", "录入 P004 今天的访视")
            await room.wait_for(lambda m: bool(m["card"]) and "P004" in text_of(m["card"]))
            await room.say("lin", "/cancel")
            await room.wait_for(lambda m: "已取消" in text_of(m))
            # A model is there for others as well.
            await room.say("lin", OPEN.format(n="x"))
            await until(lambda: model.now == most + 1)
            assert not released.is_set()
            released.set()
            for each in rooms:
                await answered(service, each)
        assert model.faults == []


async def _all_given_back(service: Service, count: int) -> bool:
    """Whether so many lanes lie in the store, held by nobody."""
    free = 0
    for n in range(service.parts.settings.partitions):
        lanes = await service.parts.store.client.zrange(f"{keys.tag(n)}q", 0, -1)
        for lane in lanes:
            held = await service.parts.store.client.hget(f"{keys.tag(n)}l:{lane}:h", "fence")
            free += held == "0"
    return free >= count
