"""What a reviewer saw is what runs: calls that changed in between are refused (A29)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.redis.keys import memos
from adapters.redis.server.embedded import EmbeddedServer
from engine.frames.llm_plan import LlmPlanFrame, ShownCall
from engine.frames.state import Approval, Run
from engine.ports.library import Library
from engine.reviews.approvals import call_digest
from tests.engine.tool_plan.test_planned_runs import NOTE, READ, REPLY, walk
from tests.fakes.memos import Memos
from tests.fakes.model_server import ModelServer, say_json
from tests.fakes.stored import read_hash
from tests.fakes.study import visits_in
from tests.fakes.walk import CHEN, Walk
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import running, settings_over
from tests.scenarios.test_model_walk import settings
from tests.scenarios.test_note_walk import ONE_PART, plan
from tests.scenarios.test_web_walk import ASK, GOOD, today

Mutate = Callable[[Run], Run]


def _planned(change: Callable[[LlmPlanFrame], LlmPlanFrame]) -> Mutate:
    def mutate(run: Run) -> Run:
        top = run.frames[-1]
        assert isinstance(top, LlmPlanFrame)
        return run.model_copy(update={"frames": (*run.frames[:-1], change(top))})

    return mutate


def _other_arguments(frame: LlmPlanFrame) -> LlmPlanFrame:
    step = frame.steps[0].model_copy(update={"arguments": {"text": "something else"}})
    return frame.model_copy(update={"steps": (step, *frame.steps[1:])})


def _other_tool(frame: LlmPlanFrame) -> LlmPlanFrame:
    step = frame.steps[0].model_copy(update={"tool": "record_visit"})
    return frame.model_copy(update={"steps": (step, *frame.steps[1:])})


def _other_result(frame: LlmPlanFrame) -> LlmPlanFrame:
    done = frame.done[0].model_copy(update={"result": {**(frame.done[0].result or {}), "ecog": 4}})
    return frame.model_copy(update={"done": (done, *frame.done[1:])})


def _more_given(frame: LlmPlanFrame) -> LlmPlanFrame:
    step = frame.steps[0].model_copy(update={"given": {"text": "something else"}})
    return frame.model_copy(update={"steps": (step, *frame.steps[1:])})


def _all_the_same(frame: LlmPlanFrame) -> LlmPlanFrame:
    """The call, and the frame's own word on what was shown."""
    changed = _other_arguments(frame)
    call = {"tool": "memory__remember", "arguments": {"text": "something else"}}
    return changed.model_copy(update={"shown": (ShownCall(number=2, call=call_digest((call,))),)})


def _no_approval(run: Run) -> Run:
    return run.model_copy(update={"state": run.state.model_copy(update={"approvals": {}})})


def _another_approval(run: Run) -> Run:
    (name,) = run.state.approvals
    other = {name: Approval(by="chen", name="Chen Bo", digest="e" * 64)}
    return run.model_copy(update={"state": run.state.model_copy(update={"approvals": other})})


MUTATIONS: dict[str, Mutate] = {
    "other arguments": _planned(_other_arguments),
    "another tool": _planned(_other_tool),
    "another result that it refers to": _planned(_other_result),
    "what a person is said to have given": _planned(_more_given),
    "the call and the frame's own digest": _planned(_all_the_same),
    "no approval": _no_approval,
    "another approval": _another_approval,
}


@pytest.mark.parametrize("name", MUTATIONS)
@pytest.mark.parametrize("started", [False, True])
async def test_a29_a_planned_write_that_is_not_what_was_shown_is_refused(
    name: str, started: bool
) -> None:
    """Changed right after the approval, and again right before the call."""
    found: Walk = await walk([READ, NOTE, REPLY]).start()
    mutated = False

    def mutate(run: Run) -> None:
        nonlocal mutated
        top = run.frames[-1]
        ready = isinstance(top, LlmPlanFrame) and top.approval and top.started == started
        if ready and not mutated:
            found.run, mutated = MUTATIONS[name](run), True

    found.on_step = mutate
    await found.answer("approve", by=CHEN)
    assert mutated
    assert isinstance(found.library.memory, Memos)
    assert found.library.memory.texts == []
    assert found.run.status == "failed"
    assert "what was approved is not what would be run" in found.run.part.text


async def test_a29_without_a_change_it_runs() -> None:
    found = await walk([READ, NOTE, REPLY]).start()
    await found.answer("approve", by=CHEN)
    assert found.library == Library(memory=found.library.memory)
    assert isinstance(found.library.memory, Memos)
    assert found.library.memory.texts == ["P003 had ECOG 1."]


async def _tampered(redis: Redis, old: str, new: str) -> None:
    """Every stored run, changed behind the service's back."""
    changed = 0
    for key in await redis.keys("*:run:*"):
        if await redis.type(key) != "hash":
            continue
        for field, value in (await read_hash(redis, key)).items():
            if old in value:
                await redis.hset(key, field, value.replace(old, new))
                changed += 1
    assert changed


async def test_a29_a_planned_write_that_was_changed_in_the_store_is_refused(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with ModelServer(lambda request: say_json(plan("en"))) as model:
        given = settings_over(redis_server, tmp_path, **settings(model))
        async with running(given) as service, WebRoom(service.url) as room:
            await room.say("lin", ONE_PART["en"])
            card = await room.card("confirm")
            await _tampered(redis, "ECOG of P003: $steps", "P003 never had $steps")
            assert (await room.tap("chen", card, "approve"))[1]["ok"]
            failed = await room.wait_for(lambda m: any(p["state"] == "failed" for p in m["parts"]))
            assert "what was approved is not what would be run" in text_of(failed)
            assert await redis.lrange(memos("SIGNOFF-101"), 0, -1) == []


async def test_a29_a_fixed_write_that_was_changed_in_the_store_is_refused(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    given = settings_over(redis_server, tmp_path)
    async with running(given) as service, WebRoom(service.url) as room:
        await room.say("lin", ASK["en"])
        form = await room.card("clarify")
        await room.fill("lin", form, "submit", **GOOD)
        card = await room.card("confirm")
        weight: Any = json.dumps({"weight_kg": 61.5})[1:-1].replace(" ", "")
        await _tampered(redis, weight, '"weight_kg":62.5')
        assert (await room.tap("chen", card, "approve"))[1]["ok"]
        failed = await room.wait_for(lambda m: any(p["state"] == "failed" for p in m["parts"]))
        assert "what was approved is not what would be written" in text_of(failed)
        visits = visits_in(service.parts.settings.data_dir, "P003")
        assert today() not in [visit.visit_date.isoformat() for visit in visits]
