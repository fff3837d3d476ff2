"""A review's policy: who may decide, how to reject, how long an approval is good."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from cards.markdown import literal
from cards.model import Choice, Decision, Field, Lang, Principal, Review
from cards.showing.show import voter_name
from cards.texts import say
from engine.frames.ends import block_run
from engine.frames.outcome import StatusChange, StepContext
from engine.playbooks.review import ReviewPolicy


def shortage_text(
    policy: ReviewPolicy,
    holders: Sequence[Principal],
    involved: Collection[str],
    roles: str,
    context: StepContext,
) -> str:
    """Why those who may decide cannot reach the quorum; "" when they can.

    `involved` are ids of the people who have no vote under four eyes; `roles` names the roles.
    """
    run = context.run
    left = [p for p in holders if not (policy.four_eyes and p.ids.intersection(involved))]
    if len(left) >= policy.quorum:
        return ""
    if not left:
        key = "run.only_requester" if holders else "run.no_approver"
        return say(key, run.lang, roles=roles)
    return say("run.too_few", run.lang, n=len(left), roles=roles, quorum=policy.quorum)


def review_of(policy: ReviewPolicy, holders: Sequence[Principal]) -> Review:
    """The policy as the card keeps it, with who may decide at this moment."""
    return Review(
        roles=policy.roles,
        quorum=policy.quorum,
        four_eyes=policy.four_eyes,
        approvers=tuple(each.id for each in holders),
        decides=policy.decides,
        delegable=policy.hand_over,
        remind=policy.remind,
        escalate=policy.escalate,
        execute_s=policy.execute_s,
        may_edit=policy.may_edit,
    )


def reject_choice(policy: ReviewPolicy, lang: Lang) -> Choice:
    """The choice that rejects, with the form that the policy asks for."""
    needed = policy.reject_reason == "required"
    field = Field(name="reason", label=say("form.reason", lang), required=needed)
    form = () if policy.reject_reason == "none" else (field,)
    return Choice(id="reject", label=say("choice.reject", lang), style="danger", form=form)


def good_until(policy: ReviewPolicy, decision: Decision) -> datetime | None:
    """When the approval is too old for the write that it allows."""
    if policy.execute_s is None:
        return None
    return decision.at + timedelta(seconds=policy.execute_s)


def rejection_text(decision: Decision, context: StepContext) -> str:
    """Who rejected it and why (Markdown); when, its card says by each reader's clock."""
    lang, reason = context.run.lang, str(decision.values.get("reason", ""))
    name = literal(voter_name(decision, lang))
    key = "run.rejected" if reason else "run.rejected_plainly"
    return say(key, lang, name=name, reason=literal(reason))


def run_card_fields(context: StepContext) -> dict[str, Any]:
    """The fields that all cards of the run share, with a new token."""
    run = context.run
    return {
        "token": context.services.new_id(run.conversation),
        "run": run.id,
        "conversation": run.conversation,
        "lang": run.lang,
        **run.requester.as_requester(),
    }


def requester_card_fields(context: StepContext) -> dict[str, Any]:
    """The fields that all cards share which only the run's requester answers."""
    requester = context.run.requester
    review = Review(persons=(requester.id,))
    return {**run_card_fields(context), "review": review, "waiting_for": requester.name}


def reviewer_names(policy: ReviewPolicy | None, context: StepContext) -> str:
    """The names of those for whom a card waits: the review's roles, else the requester."""
    run, people = context.run, context.services.people
    if policy is None:
        return run.requester.name
    return say("list.items", run.lang).join(people.role_name(r, run.lang) for r in policy.roles)


def block_without_reviewers(
    policy: ReviewPolicy | None, involved: Collection[str], context: StepContext
) -> StatusChange | None:
    """Block the run when there are not enough people who may decide; else None."""
    if policy is None:
        return None
    run, holders = context.run, context.services.people.holders(policy.roles)
    reason = shortage_text(policy, holders, involved, reviewer_names(policy, context), context)
    return block_run(run, reason) if reason else None


def deadline_of(policy: ReviewPolicy, context: StepContext) -> datetime | None:
    """The moment until which the review has to be decided; None for ever."""
    deadline_s = policy.deadline_s
    return context.services.now + timedelta(seconds=deadline_s) if deadline_s else None
