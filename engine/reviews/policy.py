"""A review's policy: how to reject, how long an approval is good; and fields of its cards."""

from datetime import datetime, timedelta
from typing import Any, Literal

from cards.deciding.names import decider_names
from cards.markdown import literal
from cards.model import APPROVE, Choice, Decision, Field, Lang, Review
from cards.texts import say
from cards.visible import visible
from engine.frames.outcome import StepContext
from engine.frames.state import Run
from engine.playbooks.review import ReviewPolicy
from engine.reviews.approvers import Approvers
from engine.text.language import LocalizedText


def reject_choice(policy: ReviewPolicy, lang: Lang) -> Choice:
    """The choice that rejects, with the form that the policy asks for."""
    needed = policy.reject_reason == "required"
    field = Field(name="reason", label=say("form.reason", lang), required=needed)
    form = () if policy.reject_reason == "none" else (field,)
    label = own_label(policy, "reject", lang) or say("choice.reject", lang)
    return Choice(id="reject", label=label, style="danger", form=form)


def own_label(policy: ReviewPolicy, choice: Literal["approve", "reject"], lang: Lang) -> str:
    """What the policy calls the button; "" where it does not say."""
    text: LocalizedText | None = getattr(policy.buttons, choice, None)
    return text(lang) if text else ""


def review_choices(approvers: Approvers, lang: Lang) -> tuple[Choice, Choice]:
    """The choices that approve and reject; who asked confirms or cancels, and gives no reason."""
    policy = approvers.policy
    key = "choice.confirm" if approvers.is_requester else "choice.approve"
    label = own_label(policy, "approve", lang) or say(key, lang)
    approve = Choice(id="approve", label=label, style="primary")
    if not approvers.is_requester:
        return approve, reject_choice(policy, lang)
    label = own_label(policy, "reject", lang) or say("choice.cancel", lang)
    return approve, Choice(id="reject", label=label, style="danger")


def good_until(policy: ReviewPolicy, decision: Decision) -> datetime | None:
    """When the approval is too old for the write that it allows."""
    if policy.execute_s is None:
        return None
    return decision.at + timedelta(seconds=policy.execute_s)


def rejection_text(decision: Decision, context: StepContext) -> str:
    """Who rejected it and why (Markdown); when, its card says by each reader's clock."""
    lang, reason = context.run.lang, str(decision.values.get("reason", ""))
    name = literal(decider_names(decision, lang))
    key = "run.rejected" if reason else "run.rejected_plainly"
    return say(key, lang, name=name, reason=literal(visible(reason, lines=True)))


def is_own_cancel(policy: ReviewPolicy, decision: Decision, run: Run) -> bool:
    """Whether who asked took back what only they had to confirm: nobody has rejected anything."""
    # The one person whom a field or a tool names may be who asked, too.
    own = policy.person is not None and not (policy.also or decision.seat)
    return own and decision.choice != APPROVE and decision.person in run.requester.ids


def run_card_fields(context: StepContext) -> dict[str, Any]:
    """The fields that all cards of the run share, with a new token."""
    run = context.run
    return {
        "token": context.services.new_id(run.conversation),
        "run": run.id,
        "conversation": run.conversation,
        "project": run.project,
        "lang": run.lang,
        **run.requester.as_requester(),
    }


def requester_card_fields(context: StepContext) -> dict[str, Any]:
    """The fields that all cards share which only the run's requester answers."""
    requester = context.run.requester
    review = Review(persons=(requester.id,))
    return {**run_card_fields(context), "review": review, "waiting_for": requester.name}


def approver_card_fields(approvers: Approvers, context: StepContext) -> dict[str, Any]:
    """The fields that all cards share which people decide by a policy."""
    return {
        **run_card_fields(context),
        "review": approvers.review(),
        "waiting_for": approvers.names,
    }


def deadline_of(policy: ReviewPolicy, context: StepContext) -> datetime | None:
    """The moment until which the review has to be decided; None for ever."""
    deadline_s = policy.deadline_s
    return context.services.now + timedelta(seconds=deadline_s) if deadline_s else None
