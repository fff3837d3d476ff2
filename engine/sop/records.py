"""Hard rules over study records, some subjects in each step (spec 001 §2, 000)."""

from datetime import date
from typing import Any

from cards.markdown import literal
from cards.texts import say
from engine.errors import ToolError, ToolFailed, ToolRetry
from engine.frames.ends import fail_run
from engine.frames.leaves import label_of
from engine.frames.outcome import Next, Note, StepContext, StepOutcome
from engine.frames.state import Patch, Rows, Scalar, SopFrame
from engine.playbooks.checks.sop import PREVIOUS, TODAY
from engine.playbooks.leaf import MAX_ROWS
from engine.playbooks.skill import Over, Sop, SopNode
from engine.ports.storage.findings import Check, Finding
from engine.rules.hard import HardRule, HardRuleEngine, Violation
from engine.sop.ends import go_to
from engine.sop.findings import check_of, findings_of
from engine.sop.violations import chart_of, count_violations

SUBJECTS_A_STEP, MOST_A_STEP = 10, 100
STEPS = 40
"""About so many steps for a study of any size: each writes all earlier findings again."""
_Violations = tuple[tuple[HardRule, Violation], ...]


async def check_records(
    frame: SopFrame, sop: Sop, node: SopNode, over: Over, context: StepContext
) -> StepOutcome:
    """Judge the next subjects' visits; after the last, write the tables of findings."""
    try:
        if frame.left is None:
            return _begin(frame, await _subjects(over, context), context)
        if frame.left:
            return await _check_some(frame, node, context)
    except ToolError as error:
        return fail_run(context.run, error.text(context.run.lang), str(error))
    lang, found = context.run.lang, frame.found
    data = {over.findings: frame.findings, over.summary: frame.summary}
    response = say("records.checked", lang, n=frame.of, findings=found)
    if found > len(frame.findings):
        response += say("records.cut", lang, n=len(frame.findings))
    if frame.of > len(frame.summary):
        response += say("records.cut_subjects", lang, n=len(frame.summary))
    chart = chart_of(frame.violations, frame.of, context)
    changes = {"by": frame.skill, "data": data, "response": response, "chart": chart}
    patch = Patch.model_validate(changes)
    target = node.fail_target if found else node.pass_target
    return go_to(frame, sop, target, f"{frame.of} subjects, {found} findings", patch=patch)


async def _subjects(over: Over, context: StepContext) -> tuple[str, ...]:
    subject = str(context.run.state.data.get(over.subject, "")) if over.subject else ""
    if subject:
        # A form may say "subject p003".
        named = context.entities.ids(subject)
        return named if len(named) == 1 else (subject.strip().upper(),)
    tool = context.find_tool("list_subjects")
    found = await context.services.call(tool, {}, context.tool_context())
    return tuple(found["subjects"])


def _begin(frame: SopFrame, subjects: tuple[str, ...], context: StepContext) -> Next:
    after = frame.model_copy(update={"left": subjects, "of": len(subjects)})
    return Next(after, f"{len(subjects)} subjects to check", note=_progress(after, context))


async def _check_some(frame: SopFrame, node: SopNode, context: StepContext) -> Next:
    assert frame.left is not None
    count = min(MOST_A_STEP, max(SUBJECTS_A_STEP, -(-frame.of // STEPS)))
    subjects, later = frame.left[:count], frame.left[count:]
    findings, summary = list(frame.findings), list(frame.summary)
    violations, checks = frame.violations, list[Check]()
    for subject in subjects:
        visits = await _visits(subject, context)
        judged = [(visit, _judge(visit, node, context)) for visit in visits]
        of_subject = [f for visit, found in judged for f in _findings(visit, found, context)]
        violated = (rule for _, found in judged for rule, _ in found)
        violations = count_violations(violations, violated, context)
        checks.append(check_of(frame, of_subject, context, record=subject))
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
    return Next(after, f"checked {', '.join(subjects)}", note=note, checks=tuple(checks))


async def _visits(subject: str, context: StepContext) -> list[dict[str, Any]]:
    """The subject's visits, each with the values of the one before it. Raises ToolError."""
    arguments, who = {"subject_id": subject}, literal(subject)
    try:
        found = await context.services.call(
            context.find_tool("list_visits"), arguments, context.tool_context()
        )
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
    """Most findings first, so that a list that is cut leaves out those with fewest."""
    return tuple(sorted(summary, key=lambda row: -int(str(row["findings"] or 0)))[:MAX_ROWS])


def _judge(visit: dict[str, Any], node: SopNode, context: StepContext) -> _Violations:
    today: date = context.services.today
    data = {**visit, TODAY: today.isoformat()}
    return HardRuleEngine().by_rule(
        node.rules, data, context.run.lang, label=lambda field: label_of(field, context)
    )


def _findings(
    visit: dict[str, Any], found: _Violations, context: StepContext
) -> tuple[Finding, ...]:
    violations = (violation for _, violation in found)
    return findings_of(violations, context, entry=str(visit["visit_date"]))


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
