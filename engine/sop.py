"""The SOP engine: hard rules and human review, node by node (spec 001 §4)."""

from datetime import timedelta

from cards.markdown import literal
from cards.model import Card, Choice, Decision, Field, Review
from cards.texts import say
from engine import plan as plans
from engine.findings import checked, of_violations
from engine.frames.outcome import (
    Advanced,
    Answer,
    Ended,
    Input,
    Note,
    StepContext,
    Suspend,
    TimedOut,
)
from engine.frames.state import Approval, Patch, SopFrame
from engine.leaves import rows, written
from engine.playbooks.check_sop import TODAY
from engine.playbooks.skill import ReviewPolicy, Sop, SopNode
from engine.rules.engine import HardRuleEngine, Violation
from engine.sop_ends import go_to
from engine.sop_records import over_records


async def advance(frame: SopFrame, given: Input, context: StepContext) -> Advanced:
    """Run the node the frame stands at, or follow the decision it waited for."""
    sop = _sop(frame, context)
    node = sop.nodes[frame.node]
    match given:
        case Answer(decision=decision):
            return _decided(frame, sop, node, decision, context)
        case TimedOut():
            return _expired(frame, sop, node, context)
        case _ if node.over:
            return await over_records(frame, sop, node, node.over, context)
        case _ if node.type == "hard_rule":
            return _check(frame, sop, node, context)
        case _:
            return _ask(frame, node, context)


def _sop(frame: SopFrame, context: StepContext) -> Sop:
    sop = context.playbook.skills[frame.skill].sop
    assert sop is not None, "the loader checks that an sop skill has an SOP"
    return sop


def _check(frame: SopFrame, sop: Sop, node: SopNode, context: StepContext) -> Advanced:
    run = context.run
    data = {**run.state.data, TODAY: context.services.today.isoformat()}
    found = HardRuleEngine().run(node.rules, data, run.lang)
    errors = tuple(v for v in found if v.severity == "error")
    checks = (checked(frame, of_violations(found, context), context),)
    frame = frame.model_copy(update={"problems": tuple(_told(v, context) for v in found)})
    if errors:
        fields = ", ".join(v.field for v in errors)
        return go_to(frame, sop, node.on_fail, f"{frame.node} failed on {fields}", checks=checks)
    return go_to(frame, sop, node.on_pass, f"{frame.node} passed", checks=checks)


def _told(violation: Violation, context: StepContext) -> str:
    defined = context.playbook.definition.data_fields.get(violation.field)
    lang = context.run.lang
    label = defined.label(lang) if defined else violation.field
    shown = "—" if violation.value is None else literal(written(violation.value))
    return say("rule.told", lang, label=label, value=shown, message=violation.message)


def _policy(node: SopNode) -> ReviewPolicy:
    assert node.review is not None, "the loader checks that a human_review names its reviewers"
    return node.review


def _ask(frame: SopFrame, node: SopNode, context: StepContext) -> Advanced:
    run, people, policy = context.run, context.services.people, _policy(node)
    roles = say("list.items", run.lang).join(
        people.role_name(role, run.lang) for role in policy.roles
    )
    others = [p for p in people.holders(policy.roles) if p.id != run.requester.id]
    if not (others if policy.four_eyes else people.holders(policy.roles)):
        holds = people.holders(policy.roles)
        reason = say("run.only_requester" if holds else "run.no_approver", run.lang, roles=roles)
        text = say("part.blocked", run.lang, name=run.name, reason=reason)
        return Ended("blocked", Note("failed", text), reason)
    digest = _shown_digest(node, context)
    card = _card(node, digest, roles, context)
    frame = frame.model_copy(update={"asked": card.token, "shown_digest": digest})
    note = Note("in_review", say("part.in_review", run.lang, name=run.name, roles=roles))
    return Suspend(frame, (card,), note, f"{frame.node} waits for {', '.join(policy.roles)}")


def _shown_digest(node: SopNode, context: StepContext) -> str:
    shown = context.playbook.skills[node.shows].plan if node.shows else None
    return plans.digest(plans.resolve(shown, context.run.state)) if shown else ""


def _shown_fields(node: SopNode, context: StepContext) -> tuple[str, ...]:
    """The data leaves that the shown plan writes, in the order of its arguments."""
    shown = context.playbook.skills[node.shows].plan if node.shows else None
    values = [v for call in shown.calls for v in call.arguments.values()] if shown else []
    return tuple(v[1:] for v in values if isinstance(v, str) and v.startswith("$"))


def _card(node: SopNode, digest: str, roles: str, context: StepContext) -> Card:
    run, policy, lang = context.run, _policy(node), context.run.lang
    reason = Field(name="reason", label=say("form.reason", lang))
    deadline = timedelta(seconds=policy.deadline_s) if policy.deadline_s else None
    return Card(
        kind="confirm",
        token=context.services.new_id(run.conversation),
        run=run.id,
        conversation=run.conversation,
        lang=lang,
        title=node.title(lang) if node.title else run.name,
        text=node.description(lang) if node.description else "",
        rows=rows(_shown_fields(node, context), context),
        choices=(
            Choice(id="approve", label=say("choice.approve", lang), style="primary"),
            Choice(id="reject", label=say("choice.reject", lang), style="danger", form=(reason,)),
        ),
        review=Review(roles=policy.roles, quorum=policy.quorum, four_eyes=policy.four_eyes),
        requester=run.requester.id,
        requester_name=run.requester.name,
        waiting_for=roles,
        task_key=f"confirm:{run.id}",
        shown_digest=digest,
        deadline=context.services.now + deadline if deadline else None,
    )


def _decided(
    frame: SopFrame, sop: Sop, node: SopNode, decision: Decision, context: StepContext
) -> Advanced:
    if decision.choice == "approve":
        approval = Approval(by=decision.person, name=decision.name, digest=frame.shown_digest)
        patch = Patch(by=decision.person, approvals={node.decision: approval}, problems=())
        return go_to(frame, sop, node.on_approve, f"{decision.name} approved", patch=patch)
    lang = context.run.lang
    reason = decision.values.get("reason", "")
    who, why = literal(decision.name), literal(str(reason))
    text = say("run.rejected", lang, name=who, reason=why)
    patch = Patch(by=decision.person, problems=(text,))
    return go_to(frame, sop, node.on_reject, f"{decision.name} rejected: {reason}", patch=patch)


def _expired(frame: SopFrame, sop: Sop, node: SopNode, context: StepContext) -> Advanced:
    run, reason = context.run, say("run.expired", context.run.lang)
    if node.on_expire:
        return go_to(frame, sop, node.on_expire, "nobody decided in time")
    text = say("part.failed", run.lang, name=run.name, reason=reason)
    return Ended("failed", Note("failed", text), "nobody decided in time")
