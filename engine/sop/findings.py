"""The findings of a step's checks, as posts to the project's pending findings (spec 001 §4.3)."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from cards.markdown import format_value
from engine.frames.leaves import label_of
from engine.frames.outcome import StepContext, StepOutcome, checks_of
from engine.frames.state import ENDED, Run, SopFrame
from engine.ports.storage.findings import Check, CheckReport, Finding, Withdrawal
from engine.ports.storage.store import Post
from engine.rules.hard import Violation

LISTED = 100
"""At most so many findings of one record are listed; all are counted."""


def check_of(
    frame: SopFrame, findings: Sequence[Finding], context: StepContext, *, record: str = ""
) -> Check:
    """A check of the record by the frame's node; without `record`, of what the run is about."""
    run, services = context.run, context.services
    return Check(
        project=run.project or context.playbook.definition.project,
        playbook=run.playbook,
        record=record or _record_name(context),
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


def findings_of(
    violations: Iterable[Violation], context: StepContext, *, entry: str = ""
) -> tuple[Finding, ...]:
    """Violations of hard rules as findings; `entry` is where in the record they are."""
    return tuple(
        Finding(
            field=violation.field,
            label=label_of(violation.field, context),
            message=violation.message,
            severity=violation.severity,
            value="" if violation.value is None else format_value(violation.value),
            entry=entry,
        )
        for violation in violations
    )


def verdict_check(
    frame: SopFrame, title: str, reason: str, context: StepContext, *, passed: bool
) -> tuple[Check, ...]:
    """A soft instruction's verdict as a check; a failure has the node's title as its label."""
    failed = Finding(field=frame.node, label=title, message=reason)
    return (check_of(frame, () if passed else (failed,), context),)


def note_project(after: Run, advanced: StepOutcome) -> Run:
    """The run, which remembers the project to which it reported findings."""
    projects = [check.project for check in checks_of(advanced) if check.found]
    return after.model_copy(update={"found_in": projects[0]}) if projects else after


def check_posts(after: Run, advanced: StepOutcome, now: datetime) -> tuple[Post, ...]:
    """The posts of what the step checked, and of what the end of the run withdraws."""
    checks = checks_of(advanced)
    posts: list[Post] = []
    if checks:
        posts.append(_post(f"{after.id}/check/{after.steps}", CheckReport(checks=checks)))
    if after.status == "stopped":
        posts += withdrawal_posts(after, now)
    elif after.status in ENDED:
        # Nobody can check the run itself again; a record can be, in another run.
        posts += withdrawal_posts(after, now, record=after.id)
    return tuple(posts)


def withdrawal_posts(run: Run, now: datetime, *, record: str = "") -> tuple[Post, ...]:
    """The post that withdraws what an ended run found; none if it found nothing."""
    if not run.found_in:
        return ()
    withdrawal = Withdrawal(project=run.found_in, run=run.id, record=record, at=now)
    return (_post(f"{run.id}/check/end", CheckReport(withdrawn=withdrawal)),)


def _post(row: str, checks: CheckReport) -> Post:
    about = checks.withdrawn or checks.checks[0]
    return Post(
        row=row,
        conversation=f"checks:{about.project}",
        kind="check",
        ref=row,
        body=checks.stored(),
    )


def _record_name(context: StepContext) -> str:
    """The identity in the run's data, else the record its parent gave it, else the run's id."""
    run, leaves = context.run, context.playbook.definition.data_fields
    known = (run.state.data.get(name) for name, leaf in leaves.items() if leaf.identity)
    identity = " ".join(format_value(value) for value in known if value not in (None, ""))
    return identity or run.key or run.id
