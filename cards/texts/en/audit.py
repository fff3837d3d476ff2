"""What `signoff audit` says of a run's log."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "audit.started": "started the run: {why}",
    "audit.child": "the run began as a part of {parent}, for {name}",
    "audit.step": "{frame} took a step on {input}: {why}; now {status}, at {to}",
    "audit.tap": "tapped {choice} on {card}: {result}",
    "audit.form": "sent the form of {choice} on {card}: {result}",
    "audit.text": "answered {card} in text: {result}",
    "audit.expired": "{card} expired",
    "audit.cancelled": "cancelled the run",
    "audit.cancelled_in_flight": (
        "cancelled the run; a write was under way then and may have happened"
    ),
    "audit.cancelled_with_parent": "the run was cancelled, since {parent} had ended",
    "audit.cancel_refused": "wanted to cancel the run, and may not",
    "audit.reassigned": "gave the vote of {whose} on {card} to {to}",
    "audit.migration_refused": (
        "wanted to migrate the run to {wanted}, which could not be done: {why}"
    ),
    "audit.result.decided": "it was decided",
    "audit.result.vote": "one vote was counted",
    "audit.result.form": "the form was opened",
    "audit.result.invalid": "refused, the form has faults",
    "audit.result.kept": "noted, and not yet complete",
    "audit.result.about_another": "refused, it is about another",
    "audit.result.unknown_choice": "refused, there is no such choice",
    "audit.result.not_open": "refused, the card was closed",
    "audit.result.expired": "refused, it was too late",
    "audit.result.stale": "refused, the content had changed",
    "audit.result.own_request": "refused, it is their own request",
    "audit.result.not_approver": "refused, they are not an approver",
    "audit.result.own_edit": "refused, what stands is their own change",
    "audit.result.nobody_else": "refused, nobody else could approve the change",
    "audit.result.not_needed": "refused, the vote that they could give was given already",
    "audit.result.seat_taken": "refused, that seat had voted",
    "audit.result.other_values": "refused, other values were recorded before",
    "audit.result.repeated": "the same again, recorded before",
    "audit.result.handed_over": "the vote was handed over",
    "audit.result.no_seat": "refused, they have no vote to hand over",
    "audit.result.not_delegable": "refused, no vote on it can be handed over",
    "audit.result.edited": "the content was changed",
    "audit.result.unchanged": "nothing was changed",
    "audit.result.already_voted": "refused, they had voted before",
    "audit.card": "card {card}: {kind}, {status}, votes so far {votes}",
    "audit.lapsed.no_role": "the vote of {person} ({choice}) counts no more: the role is gone",
    "audit.lapsed.gone": "the vote of {person} ({choice}) counts no more: the person is gone",
    "audit.lapsed.same_person": (
        "the vote of {person} ({choice}) counts no more: both accounts are one person's"
    ),
    "audit.changes": "changes: {paths}",
    "audit.standing": "By the log alone: {status}, at {at}; open cards: {cards}",
    "audit.differs": "But what is stored says: {status}, at {at}",
    "audit.none": "none",
}
