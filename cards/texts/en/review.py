"""On reviews by several people: votes, seats, reminders, escalation."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "review.call": "Step {n}",
    "review.project": "For the project",
    "named.requester": "Requested by",
    "named.approver": "Approved by",
    "named.approvers": "Approved by",
    "named.project": "Project",
    "named.case": "Case",
    "named.today": "Date",
    "vote.for": "{name} for {seat}",
    "vote.of": "{name}: {choice}",
    "vote.tally": "Votes ({of} seats, more than half decide): {votes}",
    "vote.needed": "Recorded: {choice}; {needed} more needed",
    "vote.lapsed.no_role": "{vote} does not count any more (no longer a reviewer)",
    "vote.lapsed.gone": "{vote} does not count any more (who gave it is not with us any more)",
    "vote.lapsed.same_person": "{vote} does not count any more (both accounts are one person's)",
    "admit.title": "Somebody wants to use this service",
    "admit.text": (
        "This account is not in people.yaml: it was told nothing, and nothing was started."
        " Let in, it may ask, and start what needs no role. For a role, put it into people.yaml."
    ),
    "admit.account": "Account",
    "admit.name": "Calls themselves",
    "admit.guest": "Guest of the workspace",
    "admit.where": "Wrote in",
    "admit.admit": "Admit this account",
    "admit.leave": "Do not",
    "vote.too_few": (
        "But only {n} others may still vote, so these votes cannot come together any more; the "
        "requester can /cancel it and ask anew."
    ),
    "vote.all": "All votes: {votes}",
    "repeat.vote": "Already recorded: you chose {label} on {when}; {needed} more needed.",
    "repeat.closed": "Already recorded: you chose {label} on {when}.",
    "repeat.outcome": "{told} The outcome: {outcome}",
    "refused.other_values": (
        "You chose {label} on {when} with other values, and those stand; these were not taken."
    ),
    "refused.already_voted": "You chose {label} on {when}, and that stands; {needed} more needed.",
    "refused.not_needed": (
        "The vote that you could give is given already; those that are missing are others' to give."
    ),
    "refused.seat_taken": (
        "The seat of {seat} has voted: {label}, by {name} on {when}. One seat has one vote."
    ),
    "card.handed": "{by} handed over to {to}",
    "card.reassigned": "an administrator gave the vote of {by} to {to}",
    "card.reminded": "reminded {n} times",
    "card.reminded_once": "reminded once",
    "card.escalated": "escalated: {role} may decide too",
    "choice.hand_over": "Hand over",
    "handover.title": "Who should decide in your place?",
    "handover.person": "Name",
    "handover.hint": "a name, or a part of it that only they have",
    "handover.done": "Handed over to {to}. Until they vote, you may still decide yourself.",
    "handover.unknown": "There is nobody called “{name}”.",
    "handover.stranger": "They are not among the people of this service.",
    "handover.ambiguous": "Several people fit: {names}.",
    "handover.not_open": "This card is closed.",
    "handover.not_delegable": "This card cannot be handed over.",
    "handover.no_seat": "You have no vote of your own on this card to hand over.",
    "handover.seat_taken": "Your vote has been cast; it cannot be handed over any more.",
    "handover.to_self": "You cannot hand over to yourself.",
    "handover.to_requester": "They made this request; somebody else has to decide it.",
    "handover.to_reviewer": "They are a reviewer of this card already, with a vote of their own.",
    "handover.handed_before": "You handed it over to them before.",
    "handover.usage": "Say to whom, for example: /handover {example}",
    "handover.nothing": "No open card is yours to hand over: /pending shows what waits for you.",
    "handover.several": (
        "{n} cards are yours to hand over; use the “Hand over” button on the one you mean "
        "(/pending shows them)."
    ),
    "review.leaver": (
        "{name} is no longer in people.yaml, so nobody can decide “{title}” in their place. "
        "An admin can name somebody else on the page of the run (Reassign)."
    ),
    "review.nobody": (
        "Nobody can decide “{title}” any more: those who could are no longer in people.yaml, or "
        "hold its role no more. Cancel it and ask again: then whoever holds the role decides."
    ),
    "ping.due": (
        "Reminder ({n} of {of}): “{title}”, requested by {requester}, still waits for a "
        "decision. {votes}"
    ),
    "ping.closed": "“{title}” needs nothing more. {outcome}",
    "run.too_few": (
        "besides the requester only {n} people may review it ({roles}), and it needs {quorum}"
    ),
    # whom a playbook's data names as the one who approves
    "approver.foreseen": (
        "**Nobody could approve this as things stand:** {reasons}. Better have that settled first."
    ),
    "approver.empty": "{source} names nobody who could approve this",
    "approver.several": "{source} names {n} people, and one of them has to approve this",
    "phase_done.untold": "{source} names nobody who may work here, so nobody was told for it",
    "approver.nobody": (
        "{source} says that {value} approves this; nobody in people.yaml who may work here has "
        "that id or account"
    ),
    "approver.no_manager": "{name} has no manager in people.yaml, and a manager approves this",
    "approver.tool": "{tool} did not say who approves this: {reason}",
    "approver.involved": (
        "{name} is the one to approve this, but asked for it or changed it, and may not"
    ),
    "run.approval_too_old": (
        "the approval by {name} was too old to write on, and nothing was written; please decide "
        "again"
    ),
    "part.asked_again": "{name}: the approval had become too old, so it is asked for again",
}
