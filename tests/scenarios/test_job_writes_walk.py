"""An expert of a beekeepers' team writes behind a review, and the worker is killed at the write."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.redis.repositories.memory import RedisMemory
from adapters.redis.server.embedded import EmbeddedServer
from bot.settings import Settings
from tests.fakes.job_playbook import job, plan, says
from tests.fakes.model_server import ModelServer, Reply, say
from tests.fakes.team_server import TeamScript
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.test_failpoints import dying, settings_in, still, web_here
from tests.scenarios.test_model_walk import settings as with_model

FILES = {
    "people.yaml": """\
roles:
  - {id: keeper, name: head keeper}
people:
  - {id: ida, name: Ida Holm, web: ida}
  - {id: max, name: Max Weber, web: max, roles: [keeper]}
""",
    "playbooks/hives/playbook.yaml": """\
id: hives
name: Hives
project: APIARY-4
cues: [look through the hives]
requests:
  - id: hives
    name: Look through the hives
    examples: [look through the hives]
profile_fields:
  seen: {label: Seen}
data_fields:
  note: {label: Note, multiline: true, required: false}
phases:
  - id: look
    name: Look
    goal: The hives are seen
    allowed_skills: [look]
    gate_field: profile.seen
    gate_check: not_empty
""",
    "playbooks/hives/skills/look.yaml": """\
id: look
name: Look
description: A team looks through the hives
category: hives
kind: job_graph
provides: [profile.seen]
sets: {profile.seen: "yes"}
jobs:
  experts:
    - {name: keeper, profile: You keep the book of the hives., tools: [memory__remember]}
  review: {roles: [keeper]}
  summary: note
""",
}
NOTE = "Hive three has a young queen."
TEAM = plan(job("book", "keeper"))


def answers(request: dict[str, Any]) -> Reply:
    """The Leader has one job; its expert writes the note, and then says so."""
    told = "\n".join(str(message.get("content") or "") for message in request["messages"])
    if "carried out" in told:
        return say(says("SUCCESS", "the book is up to date"))
    script = TeamScript(team=TEAM)
    reply = script(request)
    if script.asked == ["leader"]:
        return reply
    writes = [{"tool": "memory__remember", "arguments": json.dumps({"text": NOTE})}]
    return say(json.dumps({**json.loads(says(None)), "writes": writes}))


def apiary(tmp_path: Path, redis_server: EmbeddedServer, model: ModelServer) -> Settings:
    folder = tmp_path / "apiary"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    given = {"playbooks": folder / "playbooks", "people": folder / "people.yaml"}
    more = {"languages": ("en",), "project": "APIARY-4"}
    return settings_in(tmp_path, redis_server, **given, **more, **with_model(model))


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_worker_killed_between_approval_and_write_leaves_one_note(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, when: str
) -> None:
    async with ModelServer(answers) as model:
        settings = apiary(tmp_path, redis_server, model)
        async with web_here(settings), dying("worker", settings, f"{when} memory.remember") as ends:
            async with WebRoom(f"http://127.0.0.1:{settings.port}") as room:
                await room.say("ida", "look through the hives")
                card = await room.card("confirm")
                for shown in (NOTE, "APIARY-4", "keeper"):
                    assert shown in text_of(card)
                memory = RedisMemory(redis)
                assert await memory.memos("APIARY-4") == []
                assert (await room.tap("ida", card, "approve"))[1]["ok"] is False
                assert (await room.tap("max", card, "approve"))[1]["ok"]
                await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
            await still(settings)
            assert ends == [-signal.SIGKILL]
        kept = [(memo.text, memo.by) for memo in await memory.memos("APIARY-4")]
        assert kept == [(NOTE, "max")]
