"""What a step's checks found, on its way to the pending findings of the project (spec 001 §4.3)."""

from collections.abc import Iterable, Sequence

from cards.markdown import written
from engine.frames.outcome import Advanced, StepContext
from engine.frames.state import Run, SopFrame
from engine.leaves import label_of
from engine.ports.findings import Check, Checks, Finding
from engine.ports.store import Post
from engine.rules.engine import Violation

LISTED = 100
"""As many findings of one record are listed; all are counted."""


def checked(
    frame: SopFrame, findings: Sequence[Finding], context: StepContext, *, record: str = ""
) -> Check:
    """That the frame's node checked the record just now; without one, whom the run is about."""
    run, services = context.run, context.services
    return Check(
        project=services.project(run.conversation),
        playbook=run.playbook,
        record=record or _record(context),
        skill=frame.skill,
        node=frame.node,
        run=run.id,
        conversation=run.conversation,
        at=services.now,
        findings=tuple(findings[:LISTED]),
        found=len(findings),
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


def posts(after: Run, advanced: Advanced) -> tuple[Post, ...]:
    """The row that carries all that the step checked, or none."""
    checks: tuple[Check, ...] = getattr(advanced, "checks", ())
    if not checks:
        return ()
    row = f"{after.id}/check/{after.steps}"
    return (
        Post(
            row=row,
            conversation=f"checks:{checks[0].project}",
            kind="check",
            ref=row,
            body=Checks(checks=checks).stored(),
        ),
    )


def _record(context: StepContext) -> str:
    """Whom the run's data is about, else which record its parent gave it, else the run itself."""
    run, leaves = context.run, context.playbook.definition.data_fields
    known = (run.state.data.get(name) for name, leaf in leaves.items() if leaf.identity)
    about = " ".join(written(value) for value in known if value not in (None, ""))
    return about or run.key or run.id
