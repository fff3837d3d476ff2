"""A write whose answer is lost: people are asked, nothing is repeated by itself (A41)."""

import json
from dataclasses import replace
from typing import Any

import pytest

from cards.deciding.decision import DecisionRefusal, decide
from engine.errors import ToolUnsure
from engine.frames.outcome import StepContext
from engine.frames.state import AgentState, Approval, PlannerFrame, Run, ToolPlanFrame
from engine.mail import CardDecided, RunContinued
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.library import Library
from engine.reviews.approvals import call_digest, resolve_calls
from engine.runs.replay import replay, trace_of
from engine.runs.step_services import step_services
from engine.tool_plan.calls import Call
from engine.tool_plan.review_cards import call_text
from engine.tools import registry
from engine.tools.model import ToolContext
from tests.fakes.careless import POST_NOTE, PostNote
from tests.fakes.desk import desk, desk_files, fixed_files
from tests.fakes.memos import Memos
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.study import Study
from tests.fakes.walk import CHEN, LIN, NOW, Walk, crashing, new_run

PLAN = json.dumps(
    [
        {"type": "tool", "name": "post_note", "arguments": {"text": "ward 3"}},
        {"type": "reply", "text": "Posted."},
    ]
)
PLANNED, FIXED = "planned", "fixed"


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool has its line in TOOLS, wherever that is read."""
    monkeypatch.setattr(registry, "TOOLS", (*registry.TOOLS, POST_NOTE))


async def _cut(args: PostNote, ctx: ToolContext) -> dict[str, Any]:
    await POST_NOTE.run(args, ctx)
    raise ToolUnsure("tool.timeout_write", name="post_note", seconds="10")


@pytest.fixture
def cut_off(tools: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is lost after the note was sent."""
    lost = replace(POST_NOTE, run=_cut)
    monkeypatch.setattr(registry, "TOOLS", (*registry.TOOLS[:-1], lost))


def planned() -> Walk:
    playbook = desk(("memory__remember", "post_note"))
    return begun(playbook, new_run(playbook))


def fixed(more: str = "") -> Walk:
    playbook = load(fixed_files(more), roles=("reviewer",), held=("reviewer",))
    plan = playbook.skills["look-up"].plan
    assert plan is not None
    state = AgentState(data={"subject_id": "ward 3"}, decisions={"review": "approved"})
    digest = call_digest(resolve_calls(plan, state))
    state = state.model_copy(
        update={"approvals": {"review": Approval(by="chen", name="Chen Bo", digest=digest)}}
    )
    frames = (PlannerFrame(phase="plan"), ToolPlanFrame(skill="look-up"))
    return begun(playbook, new_run(playbook, frames=frames, state=state))


def begun(playbook: Playbook, run: Run) -> Walk:
    library = Library(memory=Memos())
    return Walk(playbook, run, ScriptedModel([PLAN]), records=Study(), library=library)


def notes(found: Walk) -> list[str]:
    assert isinstance(found.library.memory, Memos)
    return found.library.memory.texts


async def to_the_call(found: Walk) -> Walk:
    """As far as the note is about to be posted."""
    await found.start()
    if found.run.waiting and found.card.choice("approve"):
        await found.answer("approve", by=CHEN)
    return found


def walk(kind: str) -> Walk:
    return planned() if kind == PLANNED else fixed()


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("kind", [PLANNED, FIXED])
async def test_a_worker_that_died_after_the_write_leaves_a_question_and_no_second_note(
    kind: str,
) -> None:
    found = await to_the_call(crashing(walk(kind)))
    assert notes(found) == ["ward 3"], "the worker that died had written"
    card = found.card
    assert card.review.roles == ("reviewer",)
    assert card.review.four_eyes
    assert "ward 3" in card.text
    assert "never repeated by itself" in card.text
    assert "may have run" in found.whys[-1]
    skill = found.playbook.skills[found.frame.skill]
    assert (
        card.title == f"It may have happened: {skill.name('en') if kind == FIXED else 'post_note'}"
    )
    assert isinstance(decide(card, LIN, "again", NOW, revision=1), DecisionRefusal)


def test_an_argument_that_was_left_out_is_told_where_the_call_is_to_be_approved_alone() -> None:
    found = fixed()
    services = step_services(found.services(), found.run, found.playbook)
    context = StepContext(found.run, found.playbook, services, False)
    call = Call(POST_NOTE, {"text": "ward 3", "day": None, "count": 0})
    told = call_text(call, context)
    assert "ward 3" in told
    assert "count: 0" in told
    assert "day" not in told
    assert "day: null" in call_text(call, context, number=1)


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("kind", [PLANNED, FIXED])
@pytest.mark.parametrize(
    ("choice", "status", "written"),
    [("again", "completed", 2), ("happened", "completed", 1), ("fail", "failed", 1)],
)
async def test_a_person_says_what_becomes_of_it(
    kind: str, choice: str, status: str, written: int
) -> None:
    found = await to_the_call(crashing(walk(kind)))
    found.crashing = False
    await found.answer(choice, by=CHEN)
    assert found.run.status == status
    assert notes(found) == ["ward 3"] * written
    assert "Chen Bo says" in "\n".join(found.whys)
    assert found.run.state.written == (() if choice == "fail" else ("post_note",))
    if choice == "fail":
        assert "please check the record" in found.run.part.text


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("kind", [PLANNED, FIXED])
async def test_a_second_death_asks_again(kind: str) -> None:
    found = await to_the_call(crashing(walk(kind)))
    await found.answer("again", by=CHEN)
    assert found.run.status == "suspended"
    assert notes(found) == ["ward 3"] * 2
    assert found.card.status == "open"


@pytest.mark.usefixtures("cut_off")
@pytest.mark.parametrize("kind", [PLANNED, FIXED])
async def test_an_answer_that_is_lost_on_the_way_is_asked_about_too(kind: str) -> None:
    found = await to_the_call(walk(kind))
    assert notes(found) == ["ward 3"]
    assert "the write may have happened" in found.card.text
    await found.answer("happened", by=CHEN)
    assert found.run.status == "completed"
    assert notes(found) == ["ward 3"]


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("kind", [PLANNED, FIXED])
async def test_without_anybody_dying_nobody_is_asked(kind: str) -> None:
    found = await to_the_call(walk(kind))
    assert found.run.status == "completed"
    assert notes(found) == ["ward 3"]


@pytest.mark.usefixtures("tools")
async def test_where_an_error_leads_stopping_leads_as_well() -> None:
    walked = await to_the_call(crashing(fixed("  on_error: {profile.asked: unsure}\n")))
    walked.crashing = False
    await walked.answer("fail", by=CHEN)
    assert walked.run.status == "completed"
    assert walked.run.state.profile == {"asked": "unsure"}
    assert "nobody knows whether post_note has written" in walked.run.state.problems[0]


@pytest.mark.usefixtures("cut_off")
async def test_a_result_that_nobody_knows_cannot_be_referred_to() -> None:
    steps = json.loads(PLAN)
    steps.insert(1, {**steps[0], "arguments": {"text": "$steps.1.text again"}})
    found = planned()
    found.model = ScriptedModel([json.dumps(steps)])
    await to_the_call(found)
    await found.answer("happened", by=CHEN)
    assert "plans anew" in "\n".join(found.whys)


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("kind", [PLANNED, FIXED])
async def test_with_nobody_to_ask_the_run_is_blocked_and_asks_later(kind: str) -> None:
    found = await to_the_call(crashing(walk(kind)))
    (token,) = found.run.waiting
    # As it stood before it was asked, with a requester who alone holds the role.
    top = found.frame.model_copy(update={"asked": "", "lost": ""})
    own = CHEN.model_copy(update={"id": "chen"})
    update = {"frames": (*found.run.frames[:-1], top), "waiting": (), "status": "running"}
    found.run = found.run.model_copy(update={**update, "requester": own})
    found.crashing = True
    await found.tell(RunContinued())
    assert found.run.status == "blocked"
    assert "nobody but the requester" in found.run.part.text
    assert token


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("kind", [PLANNED, FIXED])
@pytest.mark.parametrize("choice", ["again", "happened", "fail"])
async def test_it_is_replayed_as_it_was(kind: str, choice: str) -> None:
    walked = crashing(planned() if kind == PLANNED else fixed_from_the_start())
    await walked.start()
    if kind == FIXED:
        await walked.answer("submit", {"subject_id": "ward 3"})
    await walked.answer("approve", by=CHEN)
    walked.crashing = False
    await walked.answer(choice, by=CHEN)
    assert walked.run.status in ("completed", "failed")
    entries = [json.dumps(entry, ensure_ascii=False) for entry in walked.log]
    services = replace(walked.services(), model=None)
    again = await replay(trace_of(walked.run, entries), walked.playbook, services)
    assert again.difference is None


def fixed_from_the_start() -> Walk:
    playbook = load(fixed_files(), roles=("reviewer",), held=("reviewer",))
    return begun(playbook, new_run(playbook, message="look up", text="look up"))


@pytest.mark.usefixtures("tools")
async def test_a_card_that_is_not_waited_for_changes_nothing() -> None:
    found = await to_the_call(crashing(planned()))
    verdict = decide(found.card, CHEN, "happened", NOW, revision=1)
    await found.answer("happened", by=CHEN)
    before = found.run
    await found.tell(CardDecided(card="00-other", decision=verdict.decision))  # type: ignore[union-attr]
    assert found.run == before


async def test_tools_that_honour_their_key_are_simply_repeated() -> None:
    steps = json.loads(PLAN)
    steps[0]["name"] = "memory__remember"
    files = desk_files()
    playbook = load(files, roles=("reviewer",), held=("reviewer",))
    found = crashing(begun(playbook, new_run(playbook)))
    found.model = ScriptedModel([json.dumps(steps)])
    await to_the_call(found)
    assert found.run.status == "completed"
    assert notes(found) == ["ward 3"]
    for tool in registry.TOOLS:
        assert tool.readonly or tool.keyed, "a tool of ours that writes honours its key"
