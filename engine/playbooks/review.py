"""What a node's `review` may say: who decides, how votes count, and by when (design §7)."""

import re
from typing import Final

from pydantic import Field as Key

from cards.model import Majority, ReasonFor
from cards.policy import Escalation, FilePolicy, Reminders, Seconds
from engine.playbooks.records import ListTool

REQUESTER: Final = "requester"
"""Who asked for the run, as `$requester` in what a tool is given and in `person`."""

MANAGER_OF: Final = re.compile(r"\$requester((?:\.manager){1,3})")
"""The requester's manager in people.yaml, or the manager's, and so on."""


class PersonTool(ListTool):
    """A tool that only reads, and the `column` of its answer that names a person.

    In `with`, `$requester` is the id of who asked.
    """

    column: str = Key(min_length=1)


class ReviewPolicy(FilePolicy):
    """Who decides at a node; four eyes unless switched off (design §7).

    Either holders of one of the `roles` decide, or one `person`: whom a field names (`$path`), the
    requester's manager in people.yaml (`$requester.manager`), or whom a tool names.
    `deadline` is how long people may decide, `execute_within` how long an approval is good for the
    write that it allows, `reject_reason` whether a rejection asks for a reason. `may_edit` are
    leaves that reviewers may change before they approve. With `hand_over`, seats may be given.
    """

    roles: tuple[str, ...] = ()
    person: str | PersonTool | None = Key(default=None, exclude_if=lambda person: person is None)
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

    @property
    def named_by(self) -> str:
        """What says who the person is: a field, people.yaml, or a tool's column; "" with roles."""
        source = self.person
        return (
            f"{source.column} of {source.tool}" if isinstance(source, PersonTool) else source or ""
        )
