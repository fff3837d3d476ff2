"""The SOP engine: hard rules, soft instructions and human review, node by node (spec 001 §4)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from cards.markdown import literal
from cards.texts import say
from cards.visible import in_row
from engine.frames.ends import fail_run
from engine.frames.leaves import label_of
from engine.frames.outcome import (
    CardAnswered,
    CardTimedOut,
    Done,
    FrameInput,
    Next,
    NodeResult,
    NodeVerdict,
    Note,
    StatusChange,
    StepContext,
    StepOutcome,
)
from engine.frames.state import Patch, Run, SopFrame
from engine.frames.text_names import context_names
from engine.playbooks.checks.list_tools import TODAY
from engine.playbooks.conditions import explain, holds, rule_data
from engine.playbooks.skill import ERROR_END, Sop, SopNode
from engine.rules.hard import HardRule, HardRuleEngine, Severity, Violation, quoted_names
from engine.sop.ends import RULES, SIGNOFF, add_ending, count_visits, go_to
from engine.sop.findings import check_of, findings_of
from engine.sop.look_up import look_up
from engine.sop.records import check_records
from engine.sop.review import ask, take_decision, take_timeout, title_of
from engine.sop.soft_instruction import judge
from engine.sop.violations import count_violations

_FAILING: Mapping[Severity, tuple[Severity, ...]] = {
    "error": ("error",),
    "warning": ("error", "warning"),
    "info": ("error", "warning", "info"),
}
"""The violations that fail a node, by its `fail_on`."""


async def advance(frame: SopFrame, event: FrameInput, context: StepContext) -> StepOutcome:
    """Run the frame's node, or follow the decision that it waited for."""
    sop = _sop(frame, context)
    node = sop.nodes[frame.node]
    match event:
        case CardAnswered(decision=decision):
            advanced = _note_working(take_decision(frame, sop, node, decision, context), context)
        case CardTimedOut():
            advanced = take_timeout(frame, sop, node, context)
        case _ if count_visits(frame, sop, frame.node) > node.max_visits:
            advanced = _stop_loop(frame, sop, node, context)
        case _:
            advanced = await _run(frame, sop, node, context)
    advanced = _fail_at_error_end(advanced, sop, context)
    return add_ending(advanced, sop, event, context) if isinstance(advanced, Done) else advanced


def _note_working(advanced: StepOutcome, context: StepContext) -> StepOutcome:
    """After a card the run's part says that work goes on: nobody is waited for."""
    run = context.run
    note = Note("working", say("part.resumed", run.lang, name=run.name))
    return replace(advanced, note=note) if isinstance(advanced, Next) else advanced


def _sop(frame: SopFrame, context: StepContext) -> Sop:
    sop = context.playbook.skills[frame.skill].sop
    assert sop is not None, "the loader checks that an sop skill has an SOP"
    return sop


async def _run(frame: SopFrame, sop: Sop, node: SopNode, context: StepContext) -> StepOutcome:
    if node.over:
        advanced = await check_records(frame, sop, node, node.over, context)
        return _or_error(advanced, frame, sop, node)
    match node.type:
        case "hard_rule":
            return _judge_rules(frame, sop, node, context)
        case "soft_instruction":
            return await judge(frame, sop, node, context)
        case "human_review":
            return await ask(frame, sop, node, context)
        case "look_up":
            assert node.reads is not None, "the loader checks that it reads something"
            advanced = await look_up(frame, sop, node, node.reads, context)
            return _or_error(advanced, frame, sop, node)
        case "branch":
            return _branch(frame, sop, node, context)
        case _:
            assert_never(node.type)


def _or_error(ended: StepOutcome, frame: SopFrame, sop: Sop, node: SopNode) -> StepOutcome:
    """The node's outcome; where its system could not be read, its `on_error` is followed."""
    if not isinstance(ended, StatusChange):
        return ended
    if node.on_error == ERROR_END and ERROR_END not in sop.outcomes:
        return replace(ended, verdict=NodeVerdict(frame.node, "error", SIGNOFF, ERROR_END))
    return _go_to_error(frame, sop, node.on_error, ended.note.text, ended.why)


def _judge_rules(frame: SopFrame, sop: Sop, node: SopNode, context: StepContext) -> StepOutcome:
    run = context.run
    data = {**rule_data(run.state.rule_tree()), TODAY: context.services.today.isoformat()}
    by_rule = HardRuleEngine(context_names(context), _titles(run)).by_rule(
        node.rules, data, run.lang, label=lambda field: label_of(field, context)
    )
    failing = [v for _, v in by_rule if v.severity in _FAILING[node.fail_on]]
    problems = () if node.only_branches else tuple(by_rule)
    texts = (*frame.problems, *(_problem_text(rule, v, context) for rule, v in problems))
    checks = (check_of(frame, findings_of((v for _, v in problems), context), context),)
    # A node that is visited again finds the same again.
    violations = count_violations(frame.violations, (rule for rule, _ in problems), context)
    update = {"problems": tuple(dict.fromkeys(texts)), "violations": violations}
    frame = frame.model_copy(update=update)
    target = node.fail_target if failing else node.pass_target
    result: NodeResult = "failed" if failing else "passed"
    broken = tuple(dict.fromkeys(rule.field for rule, _ in by_rule))
    violated = [rule for rule, _ in by_rule]
    places = tuple(n for n, rule in enumerate(node.rules) if rule in violated)
    verdict = NodeVerdict(frame.node, result, RULES, target, broken, places)
    on = f" on {', '.join(v.field for v in failing)}" if failing else ""
    why = f"{frame.node} {result}{on}"
    patch = Patch(by=frame.approved_by or frame.skill)
    return go_to(frame, sop, target, why, patch=patch, verdict=verdict, checks=checks)


def _branch(frame: SopFrame, sop: Sop, node: SopNode, context: StepContext) -> StepOutcome:
    """Go the first way whose condition holds, else the default one; nothing is judged."""
    state = context.run.state.rule_tree()
    way = next((way for way in node.ways if holds(way.when, state)), None)
    target, why = (way.to, explain(way.when, state)) if way else (node.default, "no way holds")
    patch = Patch(by=frame.approved_by or frame.skill)
    return go_to(frame, sop, target, f"{frame.node}: {why}", patch=patch)


def _titles(run: Run) -> dict[str, dict[str, str]]:
    """What people read for ids, by field; the words of an option do not have its value in them."""
    return {
        path: {value: title for value, title in labels.items() if value in title}
        for path, labels in run.state.labels.items()
    }


def _problem_text(rule: HardRule, violation: Violation, context: StepContext) -> str:
    """The violation under its field's label and value, but for what the rule's own text has."""
    label, message = label_of(violation.field, context), literal(violation.message)
    quoted = quoted_names(violation, rule.message, context.run.lang)
    if quoted == {"field", "value"}:
        return message
    lang, leaf = context.run.lang, context.playbook.definition.leaf(violation.field)
    value = violation.value
    # What may be left out has no value that could be told; of what is needed, that it is missing.
    left_out = value is None and leaf is not None and not leaf.required
    if "value" in quoted or left_out:
        return say("rule.labelled", lang, label=label, message=message)
    unit = leaf.unit(lang) if leaf else ""
    if isinstance(value, str):
        value = _titles(context.run).get(violation.field, {}).get(value, value)
    shown = "—" if value is None else literal(in_row(value, unit, lang))
    return say("rule.told", lang, label=label, value=shown, message=message)


def _stop_loop(frame: SopFrame, sop: Sop, node: SopNode, context: StepContext) -> StepOutcome:
    """Follow `on_error` once; the second time end, so that this is no loop either."""
    title = literal(title_of(frame, sop, context))
    problem = say("sop.too_often", context.run.lang, title=title, n=node.max_visits)
    once = count_visits(frame, sop, frame.node) == node.max_visits + 1
    why = f"{frame.node} was entered more than {node.max_visits} times"
    return _go_to_error(frame, sop, node.on_error if once else ERROR_END, problem, why)


def _go_to_error(frame: SopFrame, sop: Sop, target: str, problem: str, why: str) -> StepOutcome:
    frame = frame.model_copy(update={"problems": (*frame.problems, problem)})
    return go_to(frame, sop, target, why, verdict=NodeVerdict(frame.node, "error", SIGNOFF, target))


def _fail_at_error_end(advanced: StepOutcome, sop: Sop, context: StepContext) -> StepOutcome:
    """Fail the run at `end_error`, unless the SOP has an outcome for that end."""
    if not isinstance(advanced, Done) or ERROR_END in sop.outcomes:
        return advanced
    if advanced.verdict is None or advanced.verdict.next != ERROR_END:
        return advanced
    run, problems = context.run, advanced.patch.problems
    reason = problems[-1] if problems else say("sop.error", run.lang)
    return fail_run(run, reason, advanced.why, verdict=advanced.verdict)
