"""Hard rules over records that a tool lists, some members in each step (spec 001 §2, 000)."""

from asyncio import sleep
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from json import dumps
from typing import Any

from cards.markdown import format_value
from cards.texts import say
from engine.errors import ToolError
from engine.frames.ends import fail_run
from engine.frames.leaves import label_of, value_of
from engine.frames.outcome import Next, NodeVerdict, Note, StepContext, StepOutcome
from engine.frames.state import Patch, Rows, Scalar, SopFrame
from engine.frames.text_names import context_names
from engine.playbooks.checks.list_tools import PREVIOUS, TODAY
from engine.playbooks.conditions import rule_data
from engine.playbooks.leaf import MAX_ROWS
from engine.playbooks.records import Members, Over
from engine.playbooks.skill import Sop, SopNode
from engine.ports.storage.findings import Check, Finding
from engine.rules.hard import HardRule, HardRuleEngine, Violation
from engine.sop.ends import RULES, go_to
from engine.sop.findings import check_of, findings_of
from engine.sop.listing import list_members, list_records, normalise_member
from engine.sop.violations import add_counts, chart_of, count_violations, name_rule

MEMBERS_A_STEP, MOST_A_STEP = 10, 100
MOST_RECORDS_A_STEP = 2_000
RECORDS_AT_A_TIME = 100
"""After so many a step lets other work of its process go on."""
STEPS = 40
"""About so many steps for any number of members: each writes all earlier findings again."""
_Violations = tuple[tuple[HardRule, Violation], ...]


@dataclass(frozen=True, slots=True)
class _JudgedMember:
    """What the rules found in the records of one member: findings, each with its record."""

    name: str
    records: int
    violated: tuple[HardRule, ...]
    findings: tuple[tuple[Finding, Mapping[str, Any]], ...]


async def check_records(
    frame: SopFrame, sop: Sop, node: SopNode, over: Over, context: StepContext
) -> StepOutcome:
    """Judge the next members' records; after the last, write the tables of findings."""
    try:
        if frame.left is None:
            return _begin(frame, await _members(over, context), context)
        if frame.left:
            return await _check_some(frame, node, over, context)
    except ToolError as error:
        return fail_run(context.run, error.text(context.run.lang), str(error))
    lang, found = context.run.lang, frame.found
    data = {over.findings: frame.findings, over.summary: frame.summary}
    count = frame.of if over.for_each else frame.checked
    # Of one thing alone a count tells nothing.
    is_told = over.for_each is not None or count > 1
    response = say("records.checked", lang, n=count, findings=found) if is_told else ""
    if found > len(frame.findings):
        response += say("records.cut", lang, n=len(frame.findings))
    if frame.of > len(frame.summary):
        response += say("records.cut_summary", lang, n=len(frame.summary))
    chart = chart_of(frame.violations, count, context)
    changes = {"by": frame.skill, "data": data, "response": response or None, "chart": chart}
    patch = Patch.model_validate(changes)
    target = node.fail_target if found else node.pass_target
    counted = frame.violations
    places = tuple(n for n, each in enumerate(node.rules) if name_rule(each, context) in counted)
    verdict = NodeVerdict(frame.node, "checked", RULES, target, rules=places)
    why = f"{count} checked, {found} findings"
    return go_to(frame, sop, target, why, patch=patch, verdict=verdict)


async def _members(over: Over, context: StepContext) -> tuple[str, ...]:
    """Whose records are judged; one without a name where it is nobody's in particular."""
    each = over.for_each
    if each is None:
        return ("",)
    only = value_of(each.only, context.run.state) if each.only else None
    if only not in (None, ""):
        return (_normalised(str(only), over, each, context),)
    return await list_members(each.tool, each.arguments, each.name_column, context)


def _normalised(text: str, over: Over, each: Members, context: StepContext) -> str:
    """What people wrote as the playbook's entities have it, and as the tool takes it."""
    named = context.entities.ids(text)
    text = named[0] if len(named) == 1 else text.strip()
    return normalise_member(over.tool, over.arguments, each.name, text, context)


def _begin(frame: SopFrame, members: tuple[str, ...], context: StepContext) -> Next:
    after = frame.model_copy(update={"left": members, "of": len(members)})
    return Next(after, f"{len(members)} to check", note=_progress(after, context))


async def _check_some(frame: SopFrame, node: SopNode, over: Over, context: StepContext) -> Next:
    assert frame.left is not None
    count = min(MOST_A_STEP, max(MEMBERS_A_STEP, -(-frame.of // STEPS)))
    findings, summary = list(frame.findings), list(frame.summary)
    violations, checks, checked = frame.violations, list[Check](), frame.checked
    members: list[str] = []
    for name in frame.left[:count]:
        if checked - frame.checked >= MOST_RECORDS_A_STEP:
            break
        members.append(name)
        judged = await _judge_member(name, node, over, context)
        found = [finding for finding, _ in judged.findings]
        violations = count_violations(violations, judged.violated, context)
        if judged.records < over.at_least:
            needed = say("records.at_least", context.run.lang, least=over.at_least)
            violations = add_counts(violations, [(needed, 1)])
        checks.append(check_of(frame, found, context, record=name))
        findings += [_row(judged.name, each, over, context) for each in judged.findings]
        summary.append(_summary_row(judged, over))
        checked += judged.records
    update = {
        "left": frame.left[len(members) :],
        "checked": checked,
        "findings": tuple(findings[:MAX_ROWS]),
        "summary": _worst_first(summary),
        "found": frame.found + len(findings) - len(frame.findings),
        "violations": violations,
    }
    after = frame.model_copy(update=update)
    note = _progress(after, context)
    return Next(after, f"checked {', '.join(members)}", note=note, checks=tuple(checks))


async def _judge_member(
    name: str, node: SopNode, over: Over, context: StepContext
) -> _JudgedMember:
    """Judge each record by the rules, beside the one before it. Raises ToolError."""
    known = {over.for_each.name: name} if over.for_each else {}
    records = await list_records(over.tool, over.arguments, known, context)
    today = {TODAY: context.services.today.isoformat()}
    outer = {**rule_data(context.run.state.rule_tree()), **today}
    judge = _judge_of(node, outer, context)
    violated: list[HardRule] = []
    findings: list[tuple[Finding, Mapping[str, Any]]] = []
    for number, (record, before) in enumerate(zip(records, ({}, *records), strict=False), 1):
        if number % RECORDS_AT_A_TIME == 0:
            await sleep(0)
        found = judge({**_previous(before), **record, **today})
        violated += [rule for rule, _ in found]
        entry = str(record.get(over.entry, "")) if over.entry else str(number)
        listed = findings_of((violation for _, violation in found), context, entry=entry)
        findings += [(finding, record) for finding in listed]
    if len(records) < over.at_least:
        findings.append((_too_few(name, len(records), over, context), {}))
    return _JudgedMember(name, len(records), tuple(violated), tuple(findings))


def _too_few(name: str, count: int, over: Over, context: StepContext) -> Finding:
    """That too few records were found, with the values that they were looked up by."""
    lang, state = context.run.lang, context.run.state
    paths = [v[1:] for v in over.arguments.values() if isinstance(v, str) and v.startswith("$")]
    known = {path: value_of(path, state) for path in paths}
    if over.for_each and over.for_each.name in known:
        known[over.for_each.name] = name
    about = paths[0] if paths else over.findings
    key = "records.too_few" if count else "records.none"
    return Finding(
        field=about,
        label=label_of(about, context),
        message=say(key, lang, n=count, least=over.at_least),
        value=", ".join(format_value(v) for v in known.values() if v not in (None, "")),
    )


def _previous(before: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{PREVIOUS}{name}": value for name, value in before.items()}


def _judge_of(
    node: SopNode, outer: Mapping[str, Any], context: StepContext
) -> Callable[[Mapping[str, Any]], _Violations]:
    """What judges a record by the node's rules."""
    rules = HardRuleEngine(context_names(context))
    return lambda record: rules.by_rule(
        node.rules,
        record,
        context.run.lang,
        label=lambda field: label_of(field, context),
        outer=outer,
    )


def _row(
    name: str, found: tuple[Finding, Mapping[str, Any]], over: Over, context: StepContext
) -> dict[str, Scalar]:
    """A finding as the columns of its table have it: its own words, the member, or the record's."""
    finding, record = found
    known = {"field": finding.label, "value": finding.value, "message": finding.message}
    if over.for_each:
        known[over.for_each.name_column] = name
    leaf = context.playbook.definition.data_fields[over.findings]
    return {c: known[c] if c in known else _cell(record.get(c)) for c in leaf.columns}


def _cell(value: Any) -> Scalar:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return dumps(value, ensure_ascii=False, default=str)


def _summary_row(judged: _JudgedMember, over: Over) -> dict[str, Scalar]:
    counts: dict[str, Scalar] = {over.count: judged.records, "findings": len(judged.findings)}
    return {over.for_each.name_column: judged.name, **counts} if over.for_each else counts


def _worst_first(summary: list[dict[str, Scalar]]) -> Rows:
    """Most findings first, so that a list that is cut leaves out those with fewest."""
    return tuple(sorted(summary, key=lambda row: -int(str(row["findings"] or 0)))[:MAX_ROWS])


def _progress(frame: SopFrame, context: StepContext) -> Note:
    run, left = context.run, frame.left or ()
    text = say("part.records", run.lang, name=run.name, n=frame.of - len(left), of=frame.of)
    return Note("working", text)
