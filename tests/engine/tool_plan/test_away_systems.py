"""A write whose system is away waits for the requester; the approval of exactly it is kept."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cards.deciding.decision import DecisionRefusal, decide
from engine.errors import ToolFailed, ToolUnsure
from engine.frames.state import AgentState, Approval, PlannerFrame, Run, ToolPlanFrame
from engine.mail import AlarmRang
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.library import Library
from engine.reviews.approvals import call_digest, resolve_calls
from engine.runs.replay import replay, trace_of
from engine.tool_plan.away_calls import RETRY_AFTER_S
from engine.tools import registry
from engine.tools.model import ToolContext
from tests.fakes.careless import POST_NOTE, PostNote
from tests.fakes.desk import desk, fixed_files
from tests.fakes.memos import Memos
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.study import Study
from tests.fakes.walk import CHEN, LIN, NOW, Walk, new_run

PLAN = json.dumps(
    [
        {"type": "tool", "name": "post_note", "arguments": {"text": "ward 3"}},
        {"type": "reply", "text": "Posted."},
    ]
)


class System:
    """Takes notes, but for so many times that it is away; `keys` are those of every call."""

    def __init__(self) -> None:
        self.away = 0
        self.keys: list[str] = []

    async def run(self, args: PostNote, ctx: ToolContext) -> dict[str, Any]:
        self.keys.append(ctx.key)
        if self.away:
            self.away -= 1
            raise ToolFailed("connection.away", name="notes")
        return await POST_NOTE.run(args, ctx)


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    made = System()
    tool = replace(POST_NOTE, run=made.run)
    monkeypatch.setattr(registry, "TOOLS", (*registry.TOOLS, tool))
    return made


def planned() -> Walk:
    playbook = desk(("memory__remember", "post_note"))
    return begun(playbook, new_run(playbook))


def fixed(more: str = "") -> Walk:
    playbook = load(fixed_files(more), roles=("reviewer",), held=("reviewer",))
    plan = playbook.skills["look-up"].plan
    assert plan is not None
    state = AgentState(data={"subject_id": "ward 3"}, decisions={"review": "approved"})
    digest = call_digest(resolve_calls(plan, state))
    given = Approval(by="chen", name="Chen Bo", digest=digest)
    state = state.model_copy(update={"approvals": {"review": given}})
    frames = (PlannerFrame(phase="plan"), ToolPlanFrame(skill="look-up"))
    return begun(playbook, new_run(playbook, frames=frames, state=state))


def begun(playbook: Playbook, run: Run) -> Walk:
    library = Library(memory=Memos())
    return Walk(playbook, run, ScriptedModel([PLAN]), records=Study(), library=library)


def notes(found: Walk) -> list[str]:
    assert isinstance(found.library.memory, Memos)
    return found.library.memory.texts


async def to_the_call(found: Walk) -> Walk:
    await found.start()
    if found.run.waiting and found.card.choice("approve"):
        await found.answer("approve", by=CHEN)
    return found


async def ring(found: Walk) -> None:
    """The pause before the next try has passed."""
    await found.tell(AlarmRang(id="away"))


async def to_the_question(found: Walk, system: System, times: int = 1) -> Walk:
    """All tries by itself fail, and so do further `times` less one."""
    system.away = len(RETRY_AFTER_S) + times
    await to_the_call(found)
    for _ in RETRY_AFTER_S:
        await ring(found)
    return found


both = pytest.mark.parametrize("walk", [planned, fixed])


@both
async def test_a_system_that_is_away_for_seconds_is_tried_again_by_itself_and_that_is_told(
    walk: Callable[[], Walk], system: System
) -> None:
    system.away = 2
    found = await to_the_call(walk())
    for after_s in RETRY_AFTER_S[:2]:
        assert (found.run.status, found.run.waiting) == ("suspended", ())
        assert found.run.part.state == "working"
        assert "notes cannot be reached at the moment" in found.run.part.text
        assert f"It is tried again in {after_s} s." in found.run.part.text
        await ring(found)
    assert (found.run.status, notes(found)) == ("completed", ["ward 3"])
    assert len(system.keys) == 3
    assert len({*system.keys}) == 1
    await ring(found)
    assert notes(found) == ["ward 3"], "an alarm that comes late changes nothing"


@both
async def test_a_write_that_may_have_happened_is_never_tried_again_by_itself(
    walk: Callable[[], Walk], system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unsure(args: PostNote, ctx: ToolContext) -> dict[str, Any]:
        system.keys.append(ctx.key)
        raise ToolUnsure("connection.unsure", name="notes")

    tool = replace(POST_NOTE, run=unsure)
    monkeypatch.setattr(registry, "TOOLS", (*registry.TOOLS[:-1], tool))
    found = await to_the_call(walk())
    assert found.card.choice("happened")
    await ring(found)
    assert len(system.keys) == 1


@both
async def test_it_is_tried_again_on_the_same_approval_as_often_as_the_requester_says(
    walk: Callable[[], Walk], system: System
) -> None:
    found = await to_the_question(walk(), system, 2)
    tries = len(system.keys)
    for _ in range(2):
        card = found.card
        assert (found.run.status, found.run.part.state) == ("suspended", "needs_you")
        assert "notes cannot be reached at the moment" in found.run.part.text
        assert "ward 3" in card.text
        assert "What was approved stays approved" in card.text
        assert isinstance(decide(card, CHEN, "again", NOW, revision=1), DecisionRefusal)
        assert notes(found) == []
        await found.answer("again", by=LIN)
    assert found.run.status == "completed"
    assert notes(found) == ["ward 3"]
    assert len(system.keys) == tries + 2
    assert len({*system.keys}) == 1, "a system that knows the key writes once"
    assert found.run.state.written == ("post_note",)


@both
async def test_it_can_be_given_up(walk: Callable[[], Walk], system: System) -> None:
    found = await to_the_question(walk(), system)
    await found.answer("give_up", by=LIN)
    assert found.run.status == "failed"
    assert "notes cannot be reached at the moment" in found.run.part.text
    assert "has given it up" in found.run.part.text
    assert notes(found) == []


async def test_given_up_it_goes_where_an_error_leads(system: System) -> None:
    found = await to_the_question(fixed("  on_error: {profile.asked: unsure}\n"), system)
    await found.answer("give_up", by=LIN)
    assert found.run.status == "completed"
    assert found.run.state.profile == {"asked": "unsure"}


async def test_an_approval_that_became_too_old_meanwhile_is_asked_for_again(
    system: System,
) -> None:
    found = await to_the_question(fixed(), system)
    state = found.run.state
    old = state.approvals["review"].model_copy(update={"until": NOW})
    state = state.model_copy(update={"approvals": {"review": old}})
    found.run = found.run.model_copy(update={"state": state})
    await found.answer("again", by=LIN)
    assert found.card.review.roles == ("reviewer",)
    assert notes(found) == []


@both
@pytest.mark.parametrize("choice", ["again", "give_up"])
async def test_it_is_replayed_as_it_was(
    walk: Callable[[], Walk], choice: str, system: System
) -> None:
    system.away = len(RETRY_AFTER_S) + 1
    found = planned() if walk is planned else fixed_from_the_start()
    await found.start()
    if walk is fixed:
        await found.answer("submit", {"subject_id": "ward 3"})
    await found.answer("approve", by=CHEN)
    for _ in RETRY_AFTER_S:
        await ring(found)
    await found.answer(choice, by=LIN)
    assert found.run.status in ("completed", "failed")
    entries = [json.dumps(entry, ensure_ascii=False) for entry in found.log]
    services = replace(found.services(), model=None)
    again = await replay(trace_of(found.run, entries), found.playbook, services)
    assert again.difference is None


def fixed_from_the_start() -> Walk:
    playbook = load(fixed_files(), roles=("reviewer",), held=("reviewer",))
    return begun(playbook, new_run(playbook, message="look up", text="look up"))
