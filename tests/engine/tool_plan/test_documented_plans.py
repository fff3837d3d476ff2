"""The example of docs/tool-plans.md does what the page says."""

import re
from pathlib import Path
from typing import Any

import pytest

from engine.frames.state import PlannerFrame
from engine.playbooks.drawing.graph import build_graph
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.library import Library
from engine.ports.model import Model
from tests.engine.tool_plan.test_planned_runs import NOTE, READ, REPLY, Answers, memos, study
from tests.fakes.memos import Memos
from tests.fakes.walk import CHEN, Walk, new_run

ROOT = Path(__file__).parents[3]


def documented() -> Playbook:
    text = (ROOT / "docs" / "tool-plans.md").read_text("utf-8")
    files = dict(re.findall(r"```yaml\n# (\S+)\n(.*?)```", text, re.S))
    return load(files, roles=("crc", "reviewer"), held=("reviewer",))


def walk(request: str, phase: str, model: Model | None = None) -> Walk:
    playbook = documented()
    frames = (PlannerFrame(phase=phase),)
    run = new_run(playbook, request=request, frames=frames, message="for the desk")
    return Walk(playbook, run, model, records=study(), library=Library(memory=Memos()))


async def test_the_documented_planner_reads_asks_and_remembers() -> None:
    found = await walk("find-out", "find-out", Answers([[READ, NOTE, REPLY]])).start()
    assert "P003 had ECOG 1." in found.card.text
    await found.answer("approve", by=CHEN)
    assert (found.run.status, memos(found)) == ("completed", ["P003 had ECOG 1."])
    assert found.run.state.profile == {"answered": "yes"}


@pytest.mark.parametrize("model", [None, Answers([[READ, NOTE, REPLY]])])
async def test_its_on_error_holds_for_a_rejection_and_for_a_missing_model(model: Any) -> None:
    found = await walk("find-out", "find-out", model).start()
    if model:
        await found.answer("reject", {"reason": "no"}, by=CHEN)
    assert (found.run.status, memos(found)) == ("completed", [])
    assert found.run.state.profile == {"answered": "failed"}


async def test_the_documented_fixed_plan_keeps_what_was_approved() -> None:
    found = await walk("agreement", "agree").start()
    await found.answer("submit", {"agreement": "Calls are on Monday."})
    assert "Calls are on Monday" in found.card.text
    await found.answer("approve", by=CHEN)
    assert (found.run.status, memos(found)) == ("completed", ["Calls are on Monday."])


def test_the_graph_shows_who_approves_what_the_model_plans() -> None:
    nodes = {
        node.key: node for node in build_graph(documented(), "en").nodes if node.kind == "skill"
    }
    details = nodes["find-out"].details
    assert details["tools"][0] == "read_clinical_data"
    assert details["max_steps"] == (5,)
    assert (details["roles"], details["quorum"], details["four_eyes"]) == (
        ("reviewer",),
        (1,),
        (True,),
    )
    assert "max_steps" not in nodes["agreement-keep"].details
