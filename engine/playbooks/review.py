"""What a node's `review` may say: who decides, how votes count, and by when (design §7)."""

from pydantic import Field as Key

from cards.model import Majority, ReasonFor
from cards.policy import Escalation, FilePolicy, Reminders, Seconds


class ReviewPolicy(FilePolicy):
    """Who decides at a node; four eyes unless switched off (design §7).

    `deadline` is how long people may decide, `execute_within` how long an approval is good for the
    write that it allows, `reject_reason` whether a rejection asks for a reason. `may_edit` are
    leaves that reviewers may change before they approve. With `hand_over`, seats may be given.
    """

    roles: tuple[str, ...]
    quorum: int = Key(default=1, ge=1, le=20)
    four_eyes: bool = True
    decides: Majority = "deny_wins"
    deadline_s: Seconds | None = Key(default=None, alias="deadline")
    execute_s: Seconds | None = Key(default=None, alias="execute_within")
    remind: Reminders | None = None
    escalate: Escalation | None = None
    reject_reason: ReasonFor = "required"
    may_edit: tuple[str, ...] = ()
    hand_over: bool = True
