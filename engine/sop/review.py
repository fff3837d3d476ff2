"""A person decides at a node of an SOP: the card, and where the decision leads (spec 001 §4.3)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cards.model import Card, Decision, Row
from cards.texts import say
from cards.visible import visible
from engine.dialogue import limit_text
from engine.errors import ToolError
from engine.frames.ends import fail_run, refuse_run
from engine.frames.leaves import (
    LabelledValue,
    label_of,
    value_of,
    value_rows,
    value_tables,
    values_at,
)
from engine.frames.outcome import (
    NodeVerdict,
    StatusChange,
    StepContext,
    StepOutcome,
    Suspend,
)
from engine.frames.state import Approval, Patch, SopFrame
from engine.frames.text_names import (
    context_names,
    fill_markdown,
    fill_plain,
    given_names,
    is_given,
)
from engine.playbooks.leaf import MAX_ROWS, Column
from engine.playbooks.review import ReviewPolicy
from engine.playbooks.skill import PlannedCall, Sop, SopNode, ToolPlan
from engine.reviews.approvals import (
    call_digest,
    calls_of_run,
    planned_calls,
    refusal_of,
    schemas_of,
)
from engine.reviews.approvers import Approvers, find_approvers
from engine.reviews.edits import approved_changes, authors_of, offer_edits, without_lonely_edit
from engine.reviews.policy import (
    approver_card_fields,
    deadline_of,
    good_until,
    is_own_cancel,
    rejection_text,
    review_choices,
)
from engine.rules.soft import SoftDialogue
from engine.sop.ends import SIGNOFF, go_to
from engine.sop.findings import verdict_check
from engine.tools.arguments import normalise_texts

SHOWN_CHARS = 500
SHOWN_EVIDENCE = 5


async def ask(frame: SopFrame, sop: Sop, node: SopNode, context: StepContext) -> StepOutcome:
    """Ask those whom the node's review names; the run is blocked when there is nobody."""
    run, policy, values = context.run, _policy(node), shown_values(node, context)
    shown = context.playbook.skills[node.shows].plan if node.shows else None
    if shown and (refusal := await refusal_of(shown, node.shows, context)):
        return refuse_run(run, refusal, f"{frame.node} asks nobody: {refusal}")
    involved = {*run.requester.ids, *authors_of(values, context).values()}
    approvers = await find_approvers(policy, involved, context)
    if isinstance(approvers, StatusChange):
        return approvers
    digest = _shown_digest(node, context)
    card = _card(frame, sop, values, approvers, context).model_copy(update={"shown_digest": digest})
    schemas = await schemas_of(shown, context) if shown else {}
    update = {"asked": card.token, "shown_digest": digest, "shown_schemas": schemas}
    frame = frame.model_copy(update=update)
    return Suspend(
        frame, (card,), approvers.asking_note(run), f"{frame.node} waits for {approvers.why}"
    )


def title_of(frame: SopFrame, sop: Sop, context: StepContext) -> str:
    """The node's title, else the name of the SOP or of the run."""
    named = sop.nodes[frame.node].title or sop.name
    return fill_plain(named, context) if named else context.run.name


def _policy(node: SopNode) -> ReviewPolicy:
    assert node.review is not None, "the loader checks that a node with a card names its reviewers"
    return node.review


def _shown_digest(node: SopNode, context: StepContext) -> str:
    state = context.run.state
    plan = context.playbook.skills[node.shows].plan if node.shows else None
    if plan:
        return call_digest(calls_of_run(plan, context.run))
    values = tuple({path: value_of(path, state)} for path in node.presents)
    return call_digest(values) if values else ""


def shown_values(node: SopNode, context: StepContext) -> tuple[LabelledValue, ...]:
    """What the approval is about: the shown plan's arguments as they will be written, in their
    order (1.8), and what the node presents beside them.

    What is optional and was left out is not told, but where a reviewer may fill it in.
    """
    plan = context.playbook.skills[node.shows].plan if node.shows else None
    written = _plan_values(plan, context) if plan else ()
    paths = {value.path for value in written}
    presented = values_at([p for p in node.presents if p not in paths], context)
    editable = node.review.may_edit if node.review else ()
    shown = tuple(v for v in (*written, *presented) if v.path in editable or not _is_left_out(v))
    return shown or (*written, *presented)


def _is_left_out(value: LabelledValue) -> bool:
    """Whether nobody gave it, and nobody had to."""
    return value.value is None and value.leaf is not None and not value.leaf.required


def _plan_values(plan: ToolPlan, context: StepContext) -> tuple[LabelledValue, ...]:
    values: list[LabelledValue] = []
    resolved = calls_of_run(plan, context.run)
    calls = [call for call, _ in planned_calls(plan, context.run.state)]
    for number, (call, planned) in enumerate(zip(calls, resolved, strict=True), 1):
        if len(calls) > 1 or not call.arguments:
            label = say("review.call", context.run.lang, n=number)
            values.append(LabelledValue(label, call.tool))
        values += _project_of(call.tool, context)
        arguments = _as_called(call.tool, planned["arguments"], context)
        values += [_argument(n, call, arguments[n], context) for n in call.arguments]
    return tuple(values)


def _project_of(tool: str, context: StepContext) -> list[LabelledValue]:
    """The project for which the call keeps something, if it does."""
    try:
        kept = context.find_tool(tool).of_project
    except ToolError:
        # There is no such tool: the call says so.
        return []
    label = say("review.project", context.run.lang)
    return [LabelledValue(label, context.tool_context().project)] if kept else []


def _argument(name: str, call: PlannedCall, value: Any, context: StepContext) -> LabelledValue:
    source = call.arguments[name]
    if column := call.row_column(source):
        leaf = context.playbook.definition.data_fields[call.for_each]
        return LabelledValue(
            leaf.columns[column].label(context.run.lang),
            value,
            labels=_cell_labels(call.for_each, leaf.columns[column], value, context),
        )
    if isinstance(source, str) and source.startswith("$"):
        if is_given(source[1:], context):
            return _given(source[1:], context)
        (shown,) = values_at([source[1:]], context)
        return replace(shown, value=value)
    return LabelledValue(label_of(name, context), value)


def _cell_labels(path: str, column: Column, value: Any, context: StepContext) -> Mapping[str, str]:
    """What people read for a cell of a list: the label of an option, the name of an entity."""
    if column.entity:
        return context.run.state.labels.get(path, {})
    return {value: column.label_of(value, context.run.lang)} if value in column.options else {}


def _given(name: str, context: StepContext) -> LabelledValue:
    """What a call names besides fields, as people know it, and as it is written."""
    written, known = given_names(context.run).get(name, ""), context_names(context)[name]
    shown = known if known in ("", written) else f"{known} ({written})"
    return LabelledValue(say(f"named.{name}", context.run.lang), shown or written)


def _as_called(tool: str, arguments: dict[str, Any], context: StepContext) -> dict[str, Any]:
    """The arguments with texts as the tool normalises them, such as an id in capitals."""
    try:
        return normalise_texts(context.find_tool(tool), arguments)
    except ToolError:
        # There is no such tool: the call says so.
        return arguments


def _card(
    frame: SopFrame,
    sop: Sop,
    values: tuple[LabelledValue, ...],
    approvers: Approvers,
    context: StepContext,
) -> Card:
    node = sop.nodes[frame.node]
    run, policy, lang = context.run, _policy(node), context.run.lang
    described = fill_markdown(node.description, context) if node.description else ""
    why = _why_asked(frame.soft, context) if frame.soft else ""
    known = _soft_rows(node, frame.soft, context) if frame.soft else ()
    texts = (*filter(None, (described, why)), *value_tables(values, lang, most=MAX_ROWS))
    offer = offer_edits(node, values, texts, context)
    card = Card(
        kind="confirm",
        title=title_of(frame, sop, context),
        text="\n\n".join(texts),
        rows=(*value_rows(values, lang), *known),
        problems=frame.problems,
        choices=(
            *review_choices(approvers, lang),
            *((offer.choice,) if offer else ()),
        ),
        editing=offer.editing if offer else None,
        authors=authors_of(values, context),
        **approver_card_fields(approvers, context),
        task_key=f"confirm:{run.id}",
        deadline=deadline_of(policy, context),
    )
    return without_lonely_edit(card, context.services.people)


def _why_asked(soft: SoftDialogue, context: StepContext) -> str:
    lang, confidence = context.run.lang, context.services.limits.soft.confidence
    limit = limit_text(soft.whose, lang) if soft.whose else f"{confidence:.0%}"
    why = say(f"soft.unsure.{soft.unsure}", lang, n=soft.rounds, limit=limit)
    return f"{why}\n\n{say('soft.decide', lang)}"


def _soft_rows(node: SopNode, soft: SoftDialogue, context: StepContext) -> tuple[Row, ...]:
    """The instruction and the model's verdict so far, as rows of plain text."""
    lang, verdict = context.run.lang, soft.verdict
    listed = [(say("soft.instruction", lang), node.instruction)]
    if verdict is not None:
        passed = say("soft.passed" if verdict.passed else "soft.failed", lang)
        listed += [(say("soft.verdict", lang), passed), (say("soft.reason", lang), verdict.reason)]
        listed += [
            (say("soft.evidence", lang), evidence) for evidence in verdict.evidence[:SHOWN_EVIDENCE]
        ]
        listed += [(say("soft.confidence", lang), f"{verdict.confidence:.0%}")]
    elif soft.last_answer:
        listed += [(say("soft.last_answer", lang), soft.last_answer)]
    return tuple(Row(label=label, value=_cut(text)) for label, text in listed)


def _cut(text: str) -> str:
    line = visible(text.strip())
    return line if len(line) <= SHOWN_CHARS else f"{line[:SHOWN_CHARS]}…"


def take_decision(
    frame: SopFrame, sop: Sop, node: SopNode, decision: Decision, context: StepContext
) -> StepOutcome:
    """Follow the decision; a soft instruction that is approved has passed."""
    soft = node.kind.judge == "model"
    approved, reason = decision.choice == "approve", str(decision.values.get("reason", ""))
    title = title_of(frame, sop, context)
    passed = approved or node.only_branches
    checks = verdict_check(frame, title, reason, context, passed=passed) if soft else ()
    if approved:
        target = node.pass_target
        # An edited card has the digest of what its last approver saw.
        digest = decision.shown_digest or frame.shown_digest
        until = good_until(_policy(node), decision)
        approval = Approval.of(decision, digest, until=until, schemas=frame.shown_schemas)
        approvals = {node.decision: approval} if node.decision else {}
        changes = approved_changes(decision, context)
        patch = Patch(approvals=approvals, problems=(), **changes)
        frame = frame.model_copy(update={"problems": (), "approved_by": decision.person})
        verdict = NodeVerdict(frame.node, "approved", decision.person, target)
        why = f"{decision.name} approved"
        return go_to(frame, sop, target, why, patch=patch, verdict=verdict, checks=checks)
    target = node.fail_target
    own_cancel = is_own_cancel(_policy(node), decision, context.run)
    rejected = () if own_cancel else (rejection_text(decision, context),)
    problems = (*frame.problems, *rejected)
    frame = frame.model_copy(update={"problems": problems, "approved_by": ""})
    patch = Patch(by=decision.person, problems=problems)
    verdict = NodeVerdict(frame.node, "rejected", decision.person, target)
    why = f"{decision.name} rejected: {reason}".removesuffix(": ")
    return go_to(frame, sop, target, why, patch=patch, verdict=verdict, checks=checks)


def take_timeout(frame: SopFrame, sop: Sop, node: SopNode, context: StepContext) -> StepOutcome:
    """Nobody decided in time: follow `on_expire`, or fail the run."""
    run, why = context.run, "nobody decided in time"
    target = node.on_expire
    verdict = NodeVerdict(frame.node, "expired", SIGNOFF, target)
    if target:
        return go_to(frame, sop, target, why, verdict=verdict)
    reason = say("run.expired", run.lang)
    return fail_run(run, reason, why, verdict=verdict, end="expired")
