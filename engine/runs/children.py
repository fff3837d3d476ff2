"""Child runs: work that goes on at the same time, each in a lane of its own (design §5)."""

from collections.abc import Collection

from pydantic import ValidationError

from engine.frames.job_graph import JobFrame, LeaderFrame
from engine.frames.outcome import ChildRunEnded, Fork, StepContext
from engine.frames.state import ENDED, Patch, Run, RunStatus
from engine.jobs.writes import add_made, made_in
from engine.mail import ChildRunReported, RunMail
from engine.ports.model import ModelUsage
from engine.runs.run_state import merge_patch

_LIVE: tuple[RunStatus, ...] = ("blocked", "suspended", "running")
AT_ANY_STEP = -1
"""In place of the steps that a run had when it was read: it is cancelled wherever it is."""


def start_children(run: Run, fork: Fork, context: StepContext) -> tuple[Run, tuple[Run, ...]]:
    """The run with its new children, and the children."""
    new = tuple(
        run.model_copy(
            update={
                "id": context.services.new_id(run.conversation),
                "parent": run.id,
                "key": child.key,
                "frames": (child.frame,),
                # How the parent's skills ended says nothing of how this one does.
                "state": merge_patch(run.state, child.patch, context.playbook, run.lang).model_copy(
                    update={"endings": {}}
                ),
                "status": "running",
                "waiting": (),
                "result": None,
                "slot": False,
                "wakes": (),
                "steps": 0,
                "heard": 0,
                "outgoing": (),
                "changes": 0,
                "sent": {},
                "children": {},
                "prompted": 0,
                "counted_from": 0,
                "used": ModelUsage(),
                "started_at": context.services.now,
            }
        )
        for child in fork.children
    )
    known = {**run.children, **{child.key: child.id for child in new}}
    return run.model_copy(update={"children": known}), new


def child_input(run: Run, mail: ChildRunReported) -> ChildRunEnded | None:
    """What the parent's frame is advanced with; None for a child that it does not know any more."""
    if run.status != "suspended" or run.children.get(mail.key) != mail.run:
        return None
    try:
        patch = Patch.model_validate_json(mail.patch)
    except ValidationError:
        patch = Patch(by=mail.run)
    return ChildRunEnded(mail.key, _read_status(mail.status), patch, mail.reason, mail.used)


def _read_status(text: str) -> RunStatus:
    found: RunStatus
    for found in ("completed", "stopped", "cancelled", *_LIVE):
        if text == found:
            return found
    return "failed"


def remaining_children(run: Run, mail: RunMail) -> dict[str, str]:
    """The children that have not ended after this mail."""
    if not isinstance(mail, ChildRunReported) or mail.status in _LIVE:
        return run.children
    return {key: child for key, child in run.children.items() if child != mail.run}


def parent_mails(
    before: Run, after: Run, patch: Patch | None, reason: str
) -> tuple[tuple[str, str], ...]:
    """Mail to the parent's lane, once the child has ended or is blocked.

    The parent of a job also hears when it waits for a person, and when it goes on.
    """
    if not after.parent or not (after.status in ENDED or _has_news(before, after)):
        return ()
    patch = patch or Patch(by=after.id)
    if isinstance(after.frames[0], JobFrame):
        # However it stands: what was written is not to be written again.
        patch = patch.model_copy(update={"made": add_made(made_in(after), patch.made)})
    mail = ChildRunReported(
        run=after.id,
        key=after.key,
        status=after.status if after.status in ENDED else _outside_status(after),
        patch=patch.model_dump_json(),
        reason=reason,
        used=after.used,
    )
    return ((f"run:{after.parent}", mail.stored()),)


def _has_news(before: Run, after: Run) -> bool:
    """Whether the parent has to know how a child stands that has not ended."""
    if not isinstance(after.frames[0], JobFrame | LeaderFrame):
        return after.status == "blocked"
    return _outside_status(before) != _outside_status(after)


def _outside_status(run: Run) -> RunStatus:
    """The status of a run that has not ended, as its parent sees it."""
    if run.status == "blocked":
        return "blocked"
    return "suspended" if run.waiting else "running"


def drop_children(run: Run, keys: Collection[str]) -> tuple[Run, tuple[tuple[str, int], ...]]:
    """The run without these children (keys), and what cancels them."""
    gone = tuple((child, AT_ANY_STEP) for key, child in run.children.items() if key in keys)
    if not gone:
        return run, ()
    left = {key: child for key, child in run.children.items() if key not in keys}
    return run.model_copy(update={"children": left}), gone


def cancelled_with_parent(after: Run) -> tuple[tuple[str, int], ...]:
    """What cancels the children of a run that has ended."""
    if after.status not in ENDED:
        return ()
    return tuple((child, AT_ANY_STEP) for child in after.children.values())
