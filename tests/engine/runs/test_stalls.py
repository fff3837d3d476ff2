"""A run that gets nowhere is stopped and shown to a person; one that people move is not."""

from typing import Any

import pytest

from engine.frames.state import AgentState
from engine.mail import RunContinued, RunResumed
from engine.runs.run import MAX_STEPS
from tests.fakes.matter import playbook
from tests.fakes.scripted_model import ScriptedModel, asks, output
from tests.fakes.study import Study
from tests.fakes.walk import Walk, new_run

IDLE = """\
id: idle
name: {zh: 空转, en: Idle}
description: {zh: 空转, en: Changes nothing}
category: intake
kind: prompt
system_prompt: Do nothing.
output_schema: {profile: [summary], data: [amount]}
provides: [profile.intake_status]
"""
UNDO = """\
id: undo
name: {zh: 撤销, en: Undo}
description: {zh: 撤销, en: Undoes it}
category: intake
kind: tool_plan
provides: [profile.stage]
sets: {profile.stage: null}
plan:
  calls: [{tool: get_project_stats, arguments: {}}]
"""
REDO = UNDO.replace("id: undo", "id: redo").replace("stage: null", "stage: again")


def of(*skills: str, stall_after: int = 3, **files: str) -> Any:
    return playbook(
        (
            "playbook.yaml",
            "    allowed_skills: [matter-intake, file-classify]",
            f"    allowed_skills: [{', '.join(skills)}]",
        ),
        ("playbook.yaml", "sync:\n", f"stall_after: {stall_after}\nsync:\n"),
        **files,
    )


def started(walk: Walk) -> list[str]:
    return [e["why"] for e in walk.log if e.get("event") == "task_start"]


@pytest.mark.parametrize("limit", [1, 3, 5])
async def test_a_skill_that_changes_nothing_is_stopped_after_so_many_times(limit: int) -> None:
    matter = of("idle", stall_after=limit, idle=IDLE)
    walk = await Walk(matter, new_run(matter), ScriptedModel([output()] * 9)).start()
    assert walk.run.status == "blocked"
    assert len(started(walk)) == limit
    assert "“Idle” has run again and again without any progress" in walk.run.part.text
    assert f"but nothing has changed by {limit}" in walk.log[-1]["why"]


async def test_two_skills_that_undo_each_other_are_stopped() -> None:
    matter = playbook(
        (
            "playbook.yaml",
            "    allowed_skills: [matter-intake, file-classify]",
            "    allowed_skills: [matter-intake, undo, redo]\n    priority_rules:\n"
            "      - {when: {field: profile.stage, check: empty}, skill: redo}\n"
            "      - {when: {field: profile.stage, check: not_empty}, skill: undo}",
        ),
        undo=UNDO,
        redo=REDO,
    )
    walk = await Walk(matter, new_run(matter), records=Study(project="MATTER-1")).start()
    assert walk.run.status == "blocked"
    assert len(started(walk)) == 6
    assert walk.run.steps < MAX_STEPS


async def test_a_skill_that_always_changes_something_still_ends() -> None:
    matter = of("idle", idle=IDLE)

    class Counting:
        count = 0

        async def complete(self, messages: Any, **asked: Any) -> Any:
            self.count += 1
            answer = output(data={"amount": self.count % 60})
            return await ScriptedModel([answer]).complete(messages, **asked)

    walk = Walk(matter, new_run(matter), Counting())
    await walk.start()
    assert walk.run.status == "blocked"
    assert walk.run.steps <= MAX_STEPS + 1


async def test_a_person_who_answers_the_same_again_is_no_stall() -> None:
    matter = of("idle", idle=IDLE)
    question = asks("clarify", {"field": "amount", "question": "?"})
    walk = await Walk(matter, new_run(matter), ScriptedModel([question, output()])).start()
    for _ in range(8):
        assert walk.run.status == "suspended"
        await walk.answer("submit", {"amount": "5"})
    assert walk.run.status == "suspended"
    assert walk.run.heard == 8


async def test_a_blocked_run_is_told_apart_from_one_that_waits() -> None:
    matter = of("idle", idle=IDLE)
    walk = await Walk(matter, new_run(matter), ScriptedModel([output()] * 9)).start()
    assert walk.run.waiting == ()
    assert walk.run.part.state == "failed"
    assert walk.run.state == AgentState(), "all else stays as it is"


async def test_an_operator_lets_a_stalled_run_try_anew() -> None:
    matter = of("idle", idle=IDLE)
    walk = await Walk(matter, new_run(matter), ScriptedModel([output()] * 9)).start()
    assert walk.run.status == "blocked"
    await walk.tell(RunResumed())
    assert walk.run.status == "running"
    walk.model = ScriptedModel([output(profile={"summary": "s"}, data={"amount": 5})])
    await walk.tell(RunContinued())
    assert walk.run.state.data == {"amount": 5}
