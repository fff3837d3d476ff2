"""How a run ended, and what its part of the reply says of that (design §14)."""

from collections.abc import Mapping

from cards.texts import say
from engine.frames.outcome import NodeVerdict, Note, StatusChange
from engine.frames.state import ENDED, AgentState, CaseFrame, Frame, PlannerFrame, Run
from engine.playbooks.end_kinds import USUAL, Ending, RunEnd

_HEADS: Mapping[RunEnd, str] = {
    "done": "part.done",
    "rejected": "part.rejected",
    "refused": "part.refused",
    "cancelled": "part.cancelled",
}
"""Ends that have a sentence of their own; any other is told in one with its reason."""


def end_of(run: Run) -> RunEnd | None:
    """How the run ended, None while it has not; of runs that older versions ended, by status."""
    usual = USUAL.get(run.status)
    # Whoever cancels a run leaves its state as it was.
    return usual if run.end is None or usual in (None, "cancelled") else run.end


def with_stored_status(run: Run, status: str) -> Run:
    """The run with the terminal status that the store has; "" leaves it as it is."""
    ended = next((each for each in ENDED if each == status), run.status)
    return run.model_copy(update={"status": ended})


def record_ending(
    state: AgentState, ending: Ending | None, frames: tuple[Frame, ...]
) -> AgentState:
    """The state after the top frame ended in this way.

    A refusal or rejection stands until the same skill ends as done, or somebody approves later in
    the same phase.
    """
    top = frames[-1]
    if ending is None or isinstance(top, PlannerFrame | CaseFrame):
        return state
    phase = _phase_prefix(frames)
    endings = {name: each for name, each in state.endings.items() if name != phase + top.skill}
    if ending.end == "done" and ending.approved:
        endings = {n: e for n, e in endings.items() if e.end == "done" or not n.startswith(phase)}
    if ending.end != "done" or ending.said:
        endings[phase + top.skill] = ending
    return state.model_copy(update={"endings": endings})


def _phase_prefix(frames: tuple[Frame, ...]) -> str:
    phases = [frame.phase for frame in frames if isinstance(frame, PlannerFrame)]
    return f"{phases[-1]}/" if phases else "/"


def standing_failures(state: AgentState, phase: str = "") -> tuple[Ending, ...]:
    """The refusals, rejections and failures that stand, of one phase or of all, oldest first."""
    prefix = f"{phase}/" if phase else ""
    endings = state.endings.items()
    return tuple(e for name, e in endings if e.end != "done" and name.startswith(prefix))


def complete_run(run: Run) -> Run:
    """The run as completed; it ended as its last failure that stands, else as done."""
    failures = standing_failures(run.state)
    end: RunEnd = failures[-1].end if failures else "done"
    return run.model_copy(update={"status": "completed", "end": end})


def completion_text(run: Run) -> str:
    """What the part of a completed run says: how it ended, why, and what its last skill said."""
    failures = standing_failures(run.state)
    reasons = [each.said for each in (failures or run.state.endings.values())]
    end: RunEnd = failures[-1].end if failures else "done"
    text = end_text(run, end, "\n\n".join(filter(None, reasons)))
    response = run.state.response
    return text if response in reasons else "\n\n".join(filter(None, (text, response)))


def end_text(run: Run, end: RunEnd, reason: str) -> str:
    """The sentence for that end of a run, with its reason."""
    if end not in _HEADS:
        return say("part.failed", run.lang, name=run.name, reason=reason)
    key = "part.cancelled_after" if end == "cancelled" and run.state.written else _HEADS[end]
    head = say(key, run.lang, name=run.name)
    return "\n\n".join(filter(None, (head, reason)))


def fail_run(
    run: Run,
    reason: str,
    why: str,
    *,
    verdict: NodeVerdict | None = None,
    end: RunEnd | None = None,
) -> StatusChange:
    """End the run as failed; `reason` is for people, `why` for the audit."""
    text = say("part.failed", run.lang, name=run.name, reason=reason)
    return StatusChange("failed", Note("failed", text), why, verdict, end)


def refuse_run(run: Run, reason: str, why: str) -> StatusChange:
    """End the run as refused, before anybody was asked; as `fail_run`."""
    text = end_text(run, "refused", reason)
    return StatusChange("failed", Note("failed", text), why, end="refused")


def block_run(run: Run, reason: str, why: str = "") -> StatusChange:
    """Stop the run until an operator acts; `reason` is for people, `why` for the audit if given."""
    text = say("part.blocked", run.lang, name=run.name, reason=reason)
    return StatusChange("blocked", Note("failed", text), why or reason)
