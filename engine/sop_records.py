"""Hard rules over study records: subject by subject, some in each step (spec 001 §2, 000)."""

from datetime import date
from typing import Any

from cards.texts import say
from engine.errors import ToolError
from engine.findings import checked, of_violations
from engine.frames.outcome import Advanced, Ended, Next, Note, StepContext
from engine.frames.state import Patch, Scalar, SopFrame
from engine.playbooks.check_sop import TODAY
from engine.playbooks.leaf_faults import MAX_ROWS
from engine.playbooks.skill import Over, Sop, SopNode
from engine.ports.findings import Check, Finding
from engine.rules.engine import HardRuleEngine
from engine.sop_ends import go_to
from engine.tools.registry import tool

SUBJECTS_A_STEP = 10


async def over_records(
    frame: SopFrame, sop: Sop, node: SopNode, over: Over, context: StepContext
) -> Advanced:
    """The next subjects' visits judged, or the tables of what was found once none is left."""
    try:
        if frame.left is None:
            return _begun(frame, await _subjects(over, context), context)
        if frame.left:
            return await _some(frame, node, context)
    except ToolError as error:
        reason = error.told(context.run.lang)
        text = say("part.failed", context.run.lang, name=context.run.name, reason=reason)
        return Ended("failed", Note("failed", text), str(error))
    lang, found = context.run.lang, frame.found
    data = {over.findings: frame.findings, over.summary: frame.summary}
    response = say("records.checked", lang, n=frame.of, findings=found)
    if found > len(frame.findings):
        response += say("records.cut", lang, n=len(frame.findings))
    patch = Patch.model_validate({"by": frame.skill, "data": data, "response": response})
    target = node.on_fail if found else node.on_pass
    return go_to(frame, sop, target, f"{frame.of} subjects, {found} findings", patch=patch)


async def _subjects(over: Over, context: StepContext) -> tuple[str, ...]:
    one = context.run.state.data.get(over.subject) if over.subject else None
    if one:
        return (str(one),)
    found = await context.services.call(tool("list_subjects"), {}, context.tools())
    return tuple(found["subjects"])


def _begun(frame: SopFrame, subjects: tuple[str, ...], context: StepContext) -> Next:
    after = frame.model_copy(update={"left": subjects, "of": len(subjects)})
    return Next(after, f"{len(subjects)} subjects to check", note=_progress(after, context))


async def _some(frame: SopFrame, node: SopNode, context: StepContext) -> Next:
    assert frame.left is not None
    now, later = frame.left[:SUBJECTS_A_STEP], frame.left[SUBJECTS_A_STEP:]
    findings, summary = list(frame.findings), list(frame.summary)
    checks: list[Check] = []
    for subject in now:
        found = await context.services.call(
            tool("list_visits"), {"subject_id": subject}, context.tools()
        )
        of_subject = [one for visit in found["visits"] for one in _judged(visit, node, context)]
        checks.append(checked(frame, of_subject, context, record=subject))
        findings += [_row(subject, finding) for finding in of_subject]
        summary.append(
            {"subject_id": subject, "visits": len(found["visits"]), "findings": len(of_subject)}
        )
    update = {
        "left": later,
        "findings": tuple(findings[:MAX_ROWS]),
        "summary": tuple(summary[:MAX_ROWS]),
        "found": frame.found + len(findings) - len(frame.findings),
    }
    after = frame.model_copy(update=update)
    note = _progress(after, context)
    return Next(after, f"checked {', '.join(now)}", note=note, checks=tuple(checks))


def _judged(visit: dict[str, Any], node: SopNode, context: StepContext) -> tuple[Finding, ...]:
    today: date = context.services.today
    data = {**visit, TODAY: today.isoformat()}
    found = HardRuleEngine().run(node.rules, data, context.run.lang)
    return of_violations(found, context, entry=str(visit["visit_date"]))


def _row(subject: str, finding: Finding) -> dict[str, Scalar]:
    return {
        "subject_id": subject,
        "visit_date": finding.entry,
        "field": finding.label,
        "value": finding.value,
        "message": finding.message,
    }


def _progress(frame: SopFrame, context: StepContext) -> Note:
    run, left = context.run, frame.left or ()
    text = say("part.records", run.lang, name=run.name, n=frame.of - len(left), of=frame.of)
    return Note("working", text)
