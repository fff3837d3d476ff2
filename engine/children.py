"""Child runs: what goes on at the same time, each in a lane of its own (design §5)."""

from pydantic import ValidationError

from engine.frames.outcome import ChildEnded, Fork, StepContext
from engine.frames.state import ENDED, Patch, Run, RunStatus
from engine.mail import ChildRan, RunMail
from engine.merge import merged

ANYHOW = -1
"""Instead of the steps a run had when it was read: cancelled wherever it is."""


def begun(run: Run, fork: Fork, context: StepContext) -> tuple[Run, tuple[Run, ...]]:
    """The run with its new children, and these."""
    new = tuple(
        run.model_copy(
            update={
                "id": context.services.new_id(run.conversation),
                "parent": run.id,
                "key": child.key,
                "frames": (child.frame,),
                "state": merged(run.state, child.patch, context.playbook),
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
                "begun": 0,
                "started_at": context.services.now,
            }
        )
        for child in fork.children
    )
    known = {**run.children, **{child.key: child.id for child in new}}
    update = {"children": known, "begun": run.begun + len(new)}
    return run.model_copy(update=update), new


def ended(run: Run, mail: ChildRan) -> ChildEnded | None:
    """What a frame hears of its child; None for one that it does not know any more."""
    if run.status != "suspended" or run.children.get(mail.key) != mail.run:
        return None
    try:
        patch = Patch.model_validate_json(mail.patch)
    except ValidationError:
        patch = Patch(by=mail.run)
    return ChildEnded(mail.key, _status(mail.status), patch, mail.reason)


def _status(text: str) -> RunStatus:
    found: RunStatus
    for found in ("completed", "stopped", "cancelled", "blocked"):
        if text == found:
            return found
    return "failed"


def left(run: Run, mail: RunMail) -> dict[str, str]:
    """The children that have not ended; one that is blocked has not."""
    if not isinstance(mail, ChildRan) or mail.status == "blocked":
        return run.children
    return {key: child for key, child in run.children.items() if child != mail.run}


def told(after: Run, patch: Patch | None, reason: str) -> tuple[tuple[str, str], ...]:
    """Mail to the parent's lane, once a child has ended or is blocked."""
    if not after.parent or not (after.status in ENDED or after.status == "blocked"):
        return ()
    mail = ChildRan(
        run=after.id,
        key=after.key,
        status=after.status,
        patch=(patch or Patch(by=after.id)).model_dump_json(),
        reason=reason,
    )
    return ((f"run:{after.parent}", mail.model_dump_json()),)


def orphans(after: Run) -> tuple[tuple[str, int], ...]:
    """The children that end with their parent, however far they are."""
    if after.status not in ENDED:
        return ()
    return tuple((child, ANYHOW) for child in after.children.values())
