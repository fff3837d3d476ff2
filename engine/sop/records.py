"""Hard rules over study records: subject by subject, some in each step (spec 001 §2, 000)."""

from datetime import date
from typing import Any

from cards.markdown import literal
from cards.texts import say
from engine.errors import ToolError, ToolFailed, ToolRetry
from engine.frames.leaves import label_of
from engine.frames.outcome import Next, Note, StatusChange, StepContext, StepOutcome
from engine.frames.state import Patch, Rows, Scalar, SopFrame
from engine.playbooks.checks.sop import PREVIOUS, TODAY
from engine.playbooks.leaf_faults import MAX_ROWS
from engine.playbooks.skill import Over, Sop, SopNode
from engine.ports.storage.findings import Check, Finding
from engine.rules.engine import HardRule, HardRuleEngine, Violation
from engine.sop.ends import go_to
from engine.sop.findings import checked, of_violations
from engine.sop.violations import chart_of, counted
from engine.text.entities import subject_ids
from engine.tools.registry import tool

SUBJECTS_A_STEP, MOST_A_STEP = 10, 100
STEPS = 40
"""About so many steps whatever the size of a study: each writes all that was found before it."""
_Found = tuple[tuple[HardRule, Violation], ...]


async def over_records(
    frame: SopFrame, sop: Sop, node: SopNode, over: Over, context: StepContext
) -> StepOutcome:
    """The next subjects' visits judged, or the tables of what was found once none is left."""
    try:
        if frame.left is None:
            return _begun(frame, await _subjects(over, context), context)
        if frame.left:
            return await _some(frame, node, context)
    except ToolError as error:
        reason = error.told(context.run.lang)
        text = say("part.failed", context.run.lang, name=context.run.name, reason=reason)
        return StatusChange("failed", Note("failed", text), str(error))
    lang, found = context.run.lang, frame.found
    data = {over.findings: frame.findings, over.summary: frame.summary}
    response = say("records.checked", lang, n=frame.of, findings=found)
    if found > len(frame.findings):
        response += say("records.cut", lang, n=len(frame.findings))
    if frame.of > len(frame.summary):
        response += say("records.cut_subjects", lang, n=len(frame.summary))
    chart = chart_of(frame.violations, frame.of, context)
    told = {"by": frame.skill, "data": data, "response": response, "chart": chart}
    patch = Patch.model_validate(told)
    target = node.failed if found else node.passed
    return go_to(frame, sop, target, f"{frame.of} subjects, {found} findings", patch=patch)


async def _subjects(over: Over, context: StepContext) -> tuple[str, ...]:
    one = str(context.run.state.data.get(over.subject, "")) if over.subject else ""
    if one:
        # A form may say "subject p003".
        named = subject_ids(one)
        return named if len(named) == 1 else (one.strip().upper(),)
    found = await context.services.call(tool("list_subjects"), {}, context.tools())
    return tuple(found["subjects"])


def _begun(frame: SopFrame, subjects: tuple[str, ...], context: StepContext) -> Next:
    after = frame.model_copy(update={"left": subjects, "of": len(subjects)})
    return Next(after, f"{len(subjects)} subjects to check", note=_progress(after, context))


async def _some(frame: SopFrame, node: SopNode, context: StepContext) -> Next:
    assert frame.left is not None
    count = min(MOST_A_STEP, max(SUBJECTS_A_STEP, -(-frame.of // STEPS)))
    now, later = frame.left[:count], frame.left[count:]
    findings, summary = list(frame.findings), list(frame.summary)
    violations, checks = frame.violations, list[Check]()
    for subject in now:
        visits = await _visits(subject, context)
        judged = [(visit, _judged(visit, node, context)) for visit in visits]
        of_subject = [one for visit, each in judged for one in _findings(visit, each, context)]
        violated = (rule for _, each in judged for rule, _ in each)
        violations = counted(violations, violated, context)
        checks.append(checked(frame, of_subject, context, record=subject))
        findings += [_row(subject, finding) for finding in of_subject]
        summary.append({"subject_id": subject, "visits": len(visits), "findings": len(of_subject)})
    update = {
        "left": later,
        "findings": tuple(findings[:MAX_ROWS]),
        "summary": _worst_first(summary),
        "found": frame.found + len(findings) - len(frame.findings),
        "violations": violations,
    }
    after = frame.model_copy(update=update)
    note = _progress(after, context)
    return Next(after, f"checked {', '.join(now)}", note=note, checks=tuple(checks))


async def _visits(subject: str, context: StepContext) -> list[dict[str, Any]]:
    """The subject's visits, each with the values of the one before it; raises ToolError."""
    given, who = {"subject_id": subject}, literal(subject)
    try:
        found = await context.services.call(tool("list_visits"), given, context.tools())
    except ToolRetry as error:
        raise ToolFailed("tool.no_subject", who=who) from error
    if not found["found"]:
        near = say("list.items", context.run.lang).join(map(literal, found["nearest"]))
        raise ToolFailed("tool.no_subject_near" if near else "tool.no_subject", who=who, ids=near)
    visits = found["visits"]
    return [
        {**visit, **{f"{PREVIOUS}{name}": value for name, value in before.items()}}
        for visit, before in zip(visits, ({}, *visits), strict=False)
    ]


def _worst_first(summary: list[dict[str, Scalar]]) -> Rows:
    """Those with most findings first, so that what a long list leaves out has fewest."""
    return tuple(sorted(summary, key=lambda row: -int(row["findings"] or 0))[:MAX_ROWS])


def _judged(visit: dict[str, Any], node: SopNode, context: StepContext) -> _Found:
    today: date = context.services.today
    data = {**visit, TODAY: today.isoformat()}
    return HardRuleEngine().by_rule(
        node.rules, data, context.run.lang, label=lambda field: label_of(field, context)
    )


def _findings(visit: dict[str, Any], found: _Found, context: StepContext) -> tuple[Finding, ...]:
    violations = (violation for _, violation in found)
    return of_violations(violations, context, entry=str(visit["visit_date"]))


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
