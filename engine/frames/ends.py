"""How a run has ended, and what its part of the reply says of it (design §14)."""

from collections.abc import Mapping

from cards.texts import say
from engine.frames.state import ENDED, AgentState, Frame, PlannerFrame, Run
from engine.playbooks.end_kinds import USUAL, Ending, RunEnd

_HEADS: Mapping[RunEnd, str] = {
    "done": "part.done",
    "rejected": "part.rejected",
    "refused": "part.refused",
}
"""The sentences that stand by themselves; what went wrong otherwise is one with its reason."""


def end_of(run: Run) -> RunEnd | None:
    """How the run has ended, None while it has not; of older runs by their status alone."""
    usual = USUAL.get(run.status)
    # Whoever cancels a run leaves its state as it was.
    return usual if run.end is None or usual in (None, "cancelled") else run.end


def with_stored_status(run: Run, status: str) -> Run:
    """The run with the terminal status that the store has, "" for none: cancelled from outside."""
    found = next((ended for ended in ENDED if ended == status), run.status)
    return run.model_copy(update={"status": found})


def record_ending(
    state: AgentState, ending: Ending | None, frames: tuple[Frame, ...]
) -> AgentState:
    """The state after the top frame has ended so.

    A refusal or rejection stands until the same skill ends as done, or somebody approves later in
    the same phase.
    """
    top = frames[-1]
    if ending is None or isinstance(top, PlannerFrame):
        return state
    phase = _phase_prefix(frames)
    kept = {name: each for name, each in state.endings.items() if name != phase + top.skill}
    if ending.end == "done" and ending.approved:
        kept = {n: e for n, e in kept.items() if e.end == "done" or not n.startswith(phase)}
    if ending.end != "done" or ending.said:
        kept[phase + top.skill] = ending
    return state.model_copy(update={"endings": kept})


def _phase_prefix(frames: tuple[Frame, ...]) -> str:
    below = [frame.phase for frame in frames if isinstance(frame, PlannerFrame)]
    return f"{below[-1]}/" if below else "/"


def standing_failures(state: AgentState, phase: str = "") -> tuple[Ending, ...]:
    """The refusals, rejections and failures that stand, of one phase or of all, oldest first."""
    prefix = f"{phase}/" if phase else ""
    named = state.endings.items()
    return tuple(e for name, e in named if e.end != "done" and name.startswith(prefix))


def complete_run(run: Run) -> Run:
    """The run, with nothing left to do."""
    stands = standing_failures(run.state)
    end: RunEnd = stands[-1].end if stands else "done"
    return run.model_copy(update={"status": "completed", "end": end})


def completion_text(run: Run) -> str:
    """What the part of a run that went to its last phase says: how it ended, and why."""
    stands = standing_failures(run.state)
    said = [each.said for each in (stands or run.state.endings.values())]
    text = end_text(run, stands[-1].end if stands else "done", "\n\n".join(filter(None, said)))
    response = run.state.response
    return text if response in said else "\n\n".join(filter(None, (text, response)))


def end_text(run: Run, end: RunEnd, said: str) -> str:
    """The sentence for that end of a run, and what is said of it."""
    if end not in _HEADS:
        return say("part.failed", run.lang, name=run.name, reason=said)
    head = say(_HEADS[end], run.lang, name=run.name)
    return "\n\n".join(filter(None, (head, said)))
