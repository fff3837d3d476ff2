"""Whether and how a run goes on with another version of its playbook (runs-and-reviews §1.7)."""

from collections.abc import Sequence
from dataclasses import dataclass

from cards.texts import say
from engine.frames.job_graph import JobFrame, JobsFrame, LeaderFrame
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.outcome import Note, StatusChange
from engine.frames.state import (
    ENDED,
    BatchFrame,
    CaseFrame,
    DocumentFrame,
    Frame,
    ModelFrame,
    Patch,
    PlannerFrame,
    PromptFrame,
    Run,
    SopFrame,
    ToolPlanFrame,
    position_of,
)
from engine.planner.phases import PhaseManager
from engine.playbooks.model import Playbook
from engine.playbooks.skill import SopNode
from engine.reviews.approvals import call_digest, calls_of_run
from engine.runs.run_state import state_faults
from engine.runs.sync_changes import ends_target


@dataclass(frozen=True, slots=True)
class Migration:
    """The run as it would go on; with `faults` it cannot, and stays as it is.

    `asks_again` says why what it waits for is asked anew, "" when its cards stay as they are.
    """

    run: Run
    faults: tuple[str, ...] = ()
    asks_again: str = ""


def plan_migration(run: Run, old: Playbook | None, new: Playbook) -> Migration:
    """How the run would go on; `old` is None when its own playbook is not kept any more."""
    faults = _migration_faults(run, old, new)
    if faults:
        return Migration(run, faults)
    why = _reason_to_ask_again(run, old, new)
    ends_to = "" if run.parent else ends_target(new.definition)
    moved = run.model_copy(update={"digest": new.digest, "ends_to": ends_to})
    if not why:
        # A blocked run waits for what it waited for before.
        status = "suspended" if run.waiting else "running"
        status = run.status if run.status != "blocked" else status
        return Migration(moved.model_copy(update={"status": status}))
    return Migration(_restart_at_planner(moved, new), asks_again=why)


def _migration_faults(run: Run, old: Playbook | None, new: Playbook) -> tuple[str, ...]:
    if run.status in ENDED:
        return (f"the run has ended: {run.status}",)
    if run.playbook != new.id:
        return (f"the run is one of {run.playbook}, and this is {new.id}",)
    request = next((r for r in new.definition.requests if r.id == run.request), None)
    if run.request and (request is None or request.not_yet):
        return (f"request {run.request!r} cannot be done there",)
    state = run.state
    whole = Patch(by="", profile=state.profile, decisions=state.decisions, data=dict(state.data))
    faults = state_faults(whole.paths, new)
    if run.children or run.parent:
        faults.append("a run with child runs, or one of them, stays with its version")
    top = run.frames[-1]
    begun = isinstance(top, ToolPlanFrame | LlmPlanFrame) and top.started
    if begun and not _is_same_frame(top, run, old, new):
        faults.append(f"{position_of(top)}: a call may be under way, and is not the same there")
    return tuple(faults)


def _reason_to_ask_again(run: Run, old: Playbook | None, new: Playbook) -> str:
    """Why the run cannot go on where it stands; "" when it can."""
    phases = {phase.id for phase in new.definition.phases_of(run.request)}
    for frame in run.frames:
        if isinstance(frame, PlannerFrame):
            if frame.phase not in phases:
                return f"phase {frame.phase} is not there"
        elif not _is_same_frame(frame, run, old, new):
            return f"{position_of(frame)} is not the same there"
    return ""


def _is_same_frame(frame: Frame, run: Run, old: Playbook | None, new: Playbook) -> bool:
    """Whether the frame's node, its card's kind and its choices exist unchanged."""
    if isinstance(frame, PlannerFrame | CaseFrame):
        return True
    before = old.skills.get(frame.skill) if old else None
    after = new.skills.get(frame.skill)
    if old is None or before is None or after is None or before.kind != after.kind:
        return False
    match frame:
        case PromptFrame():
            names = after.ask.fields if after.ask else ()
            return bool(before.ask and before.ask.fields == names) and _are_same_leaves(
                names, old, new
            )
        case ModelFrame():
            alike = (before.output_schema, before.card) == (after.output_schema, after.card)
            return alike and _are_same_leaves(after.output_schema.paths, old, new)
        case SopFrame(node=node):
            old_node = before.sop.nodes.get(node) if before.sop else None
            new_node = after.sop.nodes.get(node) if after.sop else None
            if old_node is None or new_node is None or old_node.type != new_node.type:
                return False
            shown = _shown_digest(old_node.shows, run, old)
            is_same_plan = shown == _shown_digest(new_node.shows, run, new)
            return is_same_plan and _question_of(old_node) == _question_of(new_node)
        case BatchFrame():
            return before.sop == after.sop
        case ToolPlanFrame():
            return before.plan == after.plan
        case LlmPlanFrame():
            return (before.planner, before.jobs) == (after.planner, after.jobs)
        case JobsFrame() | LeaderFrame() | JobFrame():
            return before.jobs == after.jobs
        case DocumentFrame():
            return before.document == after.document and old.templates == new.templates


def _question_of(node: SopNode) -> tuple[object, ...]:
    """What a person or the model is asked at a node."""
    presented = (node.shows, node.presents)
    return (node.review, node.decision, presented, node.instruction, node.tools)


def _are_same_leaves(paths: Sequence[str], old: Playbook, new: Playbook) -> bool:
    return all(old.definition.leaf(path) == new.definition.leaf(path) for path in paths)


def _shown_digest(name: str, run: Run, playbook: Playbook) -> str:
    """The digest of the calls of a plan that a review shows, "" where it shows none."""
    skill = playbook.skills.get(name)
    return call_digest(calls_of_run(skill.plan, run)) if skill and skill.plan else ""


def _restart_at_planner(run: Run, new: Playbook) -> Run:
    """The run with its planner alone, at its phase or the first open one, to decide anew."""
    manager = PhaseManager(new, run.request)
    planner = next(frame for frame in run.frames if isinstance(frame, PlannerFrame))
    phase = planner.phase
    if phase not in {each.id for each in manager.phases}:
        phase = (manager.first_open(run.state) or manager.phases[-1]).id
    fresh = PlannerFrame(phase=phase, announced=planner.announced)
    update = {"frames": (fresh,), "waiting": (), "result": None, "status": "running"}
    return run.model_copy(update=update)


def migration_outcome(run: Run, change: Migration) -> StatusChange:
    """The migration as the log and the run's part of the reply have it."""
    why = f"migrated to {change.run.digest}"
    why += f"; asks again: {change.asks_again}" if change.asks_again else ""
    note = Note("working", say("part.resumed", run.lang, name=run.name))
    if change.run.waiting and not change.asks_again:
        note = Note(run.part.state, run.part.text)
    return StatusChange(change.run.status, note, why)
