"""What a step's checks found, on its way to the pending findings of the project (spec 001 §4.3)."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from cards.markdown import written
from engine.frames.leaves import label_of
from engine.frames.outcome import StepContext, StepOutcome, checks_of
from engine.frames.state import ENDED, Run, SopFrame
from engine.ports.storage.findings import Check, Checks, Finding, Withdrawal
from engine.ports.storage.store import Post
from engine.rules.engine import Violation

LISTED = 100
"""As many findings of one record are listed; all are counted."""


def checked(
    frame: SopFrame, findings: Sequence[Finding], context: StepContext, *, record: str = ""
) -> Check:
    """That the frame's node checked the record just now; without one, whom the run is about."""
    run, services = context.run, context.services
    return Check(
        project=context.playbook.definition.project,
        playbook=run.playbook,
        record=record or _record(context),
        skill=frame.skill,
        node=frame.node,
        run=run.id,
        conversation=run.conversation,
        at=services.now,
        findings=tuple(findings[:LISTED]),
        found=len(findings),
        requester=run.requester.id,
        title=run.name,
    )


def of_violations(
    violations: Iterable[Violation], context: StepContext, *, entry: str = ""
) -> tuple[Finding, ...]:
    """Violations of hard rules, in that entry of the record, as findings."""
    return tuple(
        Finding(
            field=violation.field,
            label=label_of(violation.field, context),
            message=violation.message,
            severity=violation.severity,
            value="" if violation.value is None else written(violation.value),
            entry=entry,
        )
        for violation in violations
    )


def of_verdict(
    frame: SopFrame, title: str, reason: str, context: StepContext, *, passed: bool
) -> tuple[Check, ...]:
    """A soft instruction's verdict as a check: what failed stands under the node's title."""
    failed = Finding(field=frame.node, label=title, message=reason)
    return (checked(frame, () if passed else (failed,), context),)


def noted(after: Run, advanced: StepOutcome) -> Run:
    """The run with the project in which something that it found stands."""
    projects = [check.project for check in checks_of(advanced) if check.found]
    return after.model_copy(update={"found_in": projects[0]}) if projects else after


def posts(after: Run, advanced: StepOutcome, now: datetime) -> tuple[Post, ...]:
    """The rows that carry what the step checked, and what the end of the run withdraws."""
    checks = checks_of(advanced)
    found: list[Post] = []
    if checks:
        found.append(_post(f"{after.id}/check/{after.steps}", Checks(checks=checks)))
    if after.status == "stopped":
        found += withdrawn(after, now)
    elif after.status in ENDED:
        # Nobody can check the run itself again; a record can be, in another run.
        found += withdrawn(after, now, record=after.id)
    return tuple(found)


def withdrawn(run: Run, now: datetime, *, record: str = "") -> tuple[Post, ...]:
    """The row that closes what a run found, which was cancelled or has ended; or none."""
    if not run.found_in:
        return ()
    ended = Withdrawal(project=run.found_in, run=run.id, record=record, at=now)
    return (_post(f"{run.id}/check/end", Checks(withdrawn=ended)),)


def _post(row: str, told: Checks) -> Post:
    about = told.withdrawn or told.checks[0]
    return Post(
        row=row,
        conversation=f"checks:{about.project}",
        kind="check",
        ref=row,
        body=told.stored(),
    )


def _record(context: StepContext) -> str:
    """Whom the run's data is about, else which record its parent gave it, else the run itself."""
    run, leaves = context.run, context.playbook.definition.data_fields
    known = (run.state.data.get(name) for name, leaf in leaves.items() if leaf.identity)
    about = " ".join(written(value) for value in known if value not in (None, ""))
    return about or run.key or run.id
