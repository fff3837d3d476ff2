"""One dialogue with a model: its answer, its faults sent back, its tool calls, its limits."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from cards.frozen import Frozen
from engine.dialogue import (
    CUT_OFF,
    MAX_CALLS,
    MAX_FAULTY,
    NO_MORE_CALLS,
    NO_ROOM,
    Dialogue,
    DialogueFailure,
    DialogueProgress,
    DialogueResult,
    ModelTask,
    advance_dialogue,
    first_messages,
    run_dialogue,
)
from engine.errors import ModelRefused, NoModel
from engine.frames.state import Frame
from engine.ports.model import Completion
from engine.text.answer import read_answer
from engine.tools.model import ToolContext
from engine.tools.read_only import ReadOnlyTools
from tests.fakes.scripted_model import Line, ScriptedModel, calls
from tests.fakes.study import Study

READ = "read_clinical_data"
ONE_READ = calls((READ, {"subject_id": "P003"}))
BEGUN = first_messages("Count.", "1 and 1")


class Sum(Frozen):
    total: int


GOOD = {"total": 2}
FAULT = "total: should be a whole number, not 'two'"
TASK: ModelTask[Sum] = ModelTask(
    purpose="skill", opening=lambda: BEGUN, read=lambda text: read_answer(text, Sum)
)
Outcome = DialogueProgress[Dialogue] | DialogueResult[Dialogue, Sum] | DialogueFailure[Dialogue]


def with_tools(records: Study, **limits: Any) -> ModelTask[Sum]:
    context = ToolContext(today=date(2026, 11, 21))
    return replace(TASK, tools=ReadOnlyTools([records.tool(READ)], context), **limits)


async def outcomes(task: ModelTask[Sum], model: ScriptedModel) -> list[Outcome]:
    """Every outcome up to the last, the dialogue stored and loaded between them."""
    dialogue, seen = Dialogue(), list[Outcome]()
    while not seen or isinstance(seen[-1], DialogueProgress):
        seen.append(await advance_dialogue(dialogue, task, model))
        dialogue = Dialogue.model_validate_json(seen[-1].dialogue.stored())
    return seen


async def test_a_usable_answer_is_the_result() -> None:
    model = ScriptedModel([GOOD])
    (found,) = await outcomes(replace(TASK, schema={"type": "object"}), model)
    assert isinstance(found, DialogueResult)
    assert (found.value, found.dialogue.rounds) == (Sum(total=2), 1)
    assert [m.role for m in found.dialogue.messages] == ["system", "user", "assistant"]
    (request,) = model.requests
    assert (request.messages, request.tools, request.schema) == (BEGUN, (), {"type": "object"})


async def test_faults_are_sent_back_and_forgotten_once_an_answer_is_usable() -> None:
    model = ScriptedModel([{"total": "two"}, "2", GOOD])
    first, second, found = await outcomes(TASK, model)
    assert isinstance(first, DialogueProgress)
    assert isinstance(second, DialogueProgress)
    assert first.why == f"sent back: {FAULT}"
    assert f"- {FAULT}" in first.dialogue.messages[-1].content
    assert (second.dialogue.faulty, found.dialogue.faulty, found.dialogue.rounds) == (2, 0, 3)
    assert model.requests[1].messages == first.dialogue.messages


@pytest.mark.parametrize("tries", [1, 2, MAX_FAULTY])
async def test_after_so_many_unusable_answers_it_is_given_up(tries: int) -> None:
    model = ScriptedModel([{"total": "two"}] * 5)
    *_, last = await outcomes(replace(TASK, max_faulty=tries), model)
    assert isinstance(last, DialogueFailure)
    assert (last.faults, len(model.requests), last.dialogue.faulty) == ((FAULT,), tries, tries)
    assert last.dialogue.messages[-1].role == "assistant"


async def test_what_is_told_of_faults_is_the_tasks_own() -> None:
    task = replace(TASK, correction=lambda faults: f"No: {faults[0]}", max_faulty=2)
    first, _ = await outcomes(task, ScriptedModel(["no", "no"]))
    assert first.dialogue.messages[-1].content == "No: the answer is not one JSON object"


@pytest.mark.parametrize(("cut_off", "told"), [(CUT_OFF, CUT_OFF), ("", "not one JSON object")])
async def test_an_answer_that_was_cut_off_is_told_as_that(cut_off: str, told: str) -> None:
    half: Line = Completion('{"total": ', truncated=True)
    first, found = await outcomes(replace(TASK, cut_off=cut_off), ScriptedModel([half, GOOD]))
    assert told in first.dialogue.messages[-1].content
    assert isinstance(found, DialogueResult)


async def test_a_usable_answer_is_taken_although_it_was_cut_off() -> None:
    whole = Completion('{"total": 2} and', truncated=True)
    (found,) = await outcomes(replace(TASK, cut_off=CUT_OFF), ScriptedModel([whole]))
    assert isinstance(found, DialogueResult)


async def test_calls_are_made_in_a_step_of_their_own_without_a_model(records: Study) -> None:
    task, model = with_tools(records), ScriptedModel([ONE_READ, GOOD])
    wants, called, found = await outcomes(task, model)
    assert isinstance(wants, DialogueProgress)
    assert isinstance(called, DialogueProgress)
    assert (wants.why, called.why) == (f"the model wants {READ}", f"called {READ}")
    assert "P003" in called.dialogue.messages[-1].content
    assert (found.dialogue.calls, found.dialogue.rounds) == (1, 2)
    again = await advance_dialogue(wants.dialogue, task, None)
    assert again == called


@pytest.mark.parametrize("limit", [{"max_calls": 3}, {"max_calls_each": 3}])
async def test_a_call_beyond_the_limits_is_answered_and_not_made(
    records: Study, limit: dict[str, int]
) -> None:
    task = with_tools(records, not_called="No.", **limit)
    many = calls(*[(READ, {"subject_id": "P003"})] * 5)
    _, called, _ = await outcomes(task, ScriptedModel([many, GOOD]))
    told = [m.content for m in called.dialogue.messages if m.role == "tool"]
    assert [each == "No." for each in told] == [False] * 3 + [True] * 2
    assert called.dialogue.calls == 5


async def test_with_no_calls_left_no_tools_are_offered_and_calls_are_a_fault(
    records: Study,
) -> None:
    many = calls(*[(READ, {"subject_id": "P003"})] * MAX_CALLS)
    model = ScriptedModel([many, ONE_READ, GOOD])
    *_, refused, found = await outcomes(with_tools(records), model)
    assert NO_MORE_CALLS in refused.dialogue.messages[-1].content
    assert [len(request.tools) for request in model.requests] == [1, 0, 0]
    assert isinstance(found, DialogueResult)


@pytest.mark.parametrize("rounds", [1, 2, 4])
async def test_the_last_answer_of_all_may_call_nothing(records: Study, rounds: int) -> None:
    model = ScriptedModel([ONE_READ] * 10)
    *_, last = await outcomes(with_tools(records, max_rounds=rounds), model)
    assert isinstance(last, DialogueFailure)
    assert (last.dialogue.rounds, last.faults) == (rounds, (NO_MORE_CALLS,))
    assert [len(request.tools) for request in model.requests] == [1] * (rounds - 1) + [0]


async def test_without_tools_calls_are_not_heard() -> None:
    chatty = replace(ONE_READ, text=json.dumps(GOOD))
    (found,) = await outcomes(TASK, ScriptedModel([chatty]))
    assert isinstance(found, DialogueResult)


async def test_a_dialogue_at_once_goes_through_the_same_steps(records: Study) -> None:
    script: list[Line] = [ONE_READ, "no", GOOD]
    *_, last = await outcomes(with_tools(records), ScriptedModel(script))
    assert await run_dialogue(with_tools(records), ScriptedModel(script)) == last


@pytest.mark.parametrize(
    ("model", "error"), [(None, NoModel), (ScriptedModel([ModelRefused("no")]), ModelRefused)]
)
async def test_no_answer_is_an_error(model: ScriptedModel | None, error: type[Exception]) -> None:
    with pytest.raises(error):
        await run_dialogue(TASK, model)


SAID = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
BRIEF = {"job": {"id": "a", "goal": "g"}, "goal": "g"}
STORED_BEFORE: list[dict[str, Any]] = [
    {
        "kind": "model",
        "schema_version": 1,
        "skill": "s",
        "messages": SAID,
        "asked": "card",
        "fields": ["amount"],
        "faulty": 2,
        "calls": 3,
        "asked_times": 1,
    },
    {
        "kind": "job",
        "schema_version": 1,
        "skill": "s",
        "brief": BRIEF,
        "messages": SAID,
        "faulty": 1,
        "calls": 12,
        "question": "?",
        "asked_times": 3,
    },
    {
        "kind": "leader",
        "schema_version": 1,
        "skill": "s",
        "brief": BRIEF,
        "messages": SAID,
        "faulty": 2,
    },
    {
        "kind": "sop",
        "schema_version": 1,
        "skill": "s",
        "node": "n",
        "soft": {"messages": SAID, "rounds": 2, "unsure": "rounds"},
    },
]


@pytest.mark.parametrize("stored", STORED_BEFORE, ids=lambda stored: str(stored["kind"]))
def test_frames_that_counted_for_themselves_load_and_are_stored_as_they_were(
    stored: dict[str, Any],
) -> None:
    frame: Any = TypeAdapter(Frame).validate_python(stored)
    dialogue = frame.soft if stored["kind"] == "sop" else frame
    assert isinstance(dialogue, Dialogue)
    before = stored.get("soft", stored)
    for counter in ("rounds", "faulty", "calls", "asked_times"):
        assert getattr(dialogue, counter) == before.get(counter, 0)
    assert json.loads(frame.stored()) | {"kind": stored["kind"]} == stored


THOUGHT = "<think>SECRET: the total might be 3</think>"


@pytest.mark.parametrize(
    "said",
    [
        f"{THOUGHT}{json.dumps(GOOD)}",
        f"{json.dumps(GOOD)}{THOUGHT}",
        f"Here it is. {THOUGHT} {json.dumps(GOOD)} <think>SECRET: and now",
        f"SECRET first</think>{json.dumps(GOOD)}",
    ],
)
async def test_thoughts_are_neither_read_nor_kept_nor_told_to_the_model_again(said: str) -> None:
    model = ScriptedModel([f"{THOUGHT}no", said])
    first, found = await outcomes(TASK, model)
    assert isinstance(found, DialogueResult)
    assert found.value == Sum(total=2)
    assert "SECRET" not in f"{first}{found}{model.requests}"


async def test_an_answer_without_room_for_any_text_is_told_and_not_asked_for_again() -> None:
    model = ScriptedModel([Completion(f"{THOUGHT}<think>", truncated=True), GOOD])
    (found,) = await outcomes(TASK, model)
    assert isinstance(found, DialogueFailure)
    assert (found.faults, len(model.requests)) == ((NO_ROOM,), 1)


def test_every_answer_of_a_model_is_taken_by_the_dialogue() -> None:
    """So no other part of the engine can show what a model only thinks."""
    engine = Path(__file__).parents[2] / "engine"
    asking = {
        path.relative_to(engine).as_posix()
        for path in engine.rglob("*.py")
        if ".complete(" in path.read_text("utf-8") or "model.complete" in path.read_text("utf-8")
    }
    # The others pass an answer on to the dialogue: recorded, or within a question's budget.
    assert asking == {
        "dialogue.py",
        "runs/step_services.py",
        "react/engine.py",
        "understanding/form_model.py",
    }
