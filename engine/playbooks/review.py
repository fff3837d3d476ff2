"""What a node's `review` may say: who decides, how votes count, and by when (design §7)."""

import re
from typing import Final

from pydantic import Field as Key

from cards.model import Majority, ReasonFor
from cards.policy import Escalation, FilePolicy, Reminders, Seconds
from cards.values import Bound
from engine.playbooks.conditions import AnyCondition, paths_of
from engine.playbooks.records import ListTool
from engine.text.language import LocalizedText

REQUESTER: Final = "requester"
"""Who asked for the run, as `$requester` in what a tool is given and in `person`."""

MANAGER_OF: Final = re.compile(r"\$requester((?:\.manager){0,3})")
"""Who asked, their manager in people.yaml, or the manager's, and so on."""


class PersonTool(ListTool):
    """A tool that only reads, and the `column` of its answer that names a person.

    In `with`, `$requester` is the id of who asked.
    """

    column: str = Key(min_length=1)


class Deciders(FilePolicy):
    """Who decides: holders of one of the `roles`, or one `person`.

    That is whom a field names (`$path`), who asked (`$requester`), their manager in people.yaml
    (`$requester.manager`), or whom a tool names.
    """

    roles: tuple[str, ...] = ()
    person: str | PersonTool | None = Key(default=None, exclude_if=lambda person: person is None)

    @property
    def is_requester(self) -> bool:
        """Whether who asked decides."""
        return self.person == f"${REQUESTER}"

    @property
    def named_by(self) -> str:
        """What says who the person is: a field, people.yaml, or a tool's column; "" with roles."""
        source = self.person
        if isinstance(source, PersonTool):
            return f"{source.column} of {source.tool}"
        return source or ""

    @property
    def read_paths(self) -> tuple[str, ...]:
        """The fields that say who the person is."""
        source = self.person
        read = source.arguments.values() if isinstance(source, PersonTool) else (source,)
        return tuple(each[1:] for each in read if isinstance(each, str) and each[:1] == "$")


class FurtherVote(Deciders):
    """One more approval, by somebody else: always, or where a value is `above` a limit, or `when`.

    It is needed as well where that cannot be told, as where the value is missing or in another
    currency.
    """

    above: dict[str, Bound] = Key(default={}, max_length=1)
    when: AnyCondition | None = None

    @property
    def read_paths(self) -> tuple[str, ...]:
        """The fields that say who the person is, and whether they are asked."""
        return (*super().read_paths, *self.above, *(paths_of(self.when) if self.when else ()))


class Buttons(FilePolicy):
    """What the buttons of a review say, as in {approve: Acknowledge}; else as of any review."""

    approve: LocalizedText | None = None
    reject: LocalizedText | None = None


class ReviewPolicy(Deciders):
    """Who decides at a node; four eyes unless switched off (design §7).

    `also` are further approvals that are needed, each by another person.
    `deadline` is how long people may decide, `execute_within` how long an approval is good for the
    write that it allows, `reject_reason` whether a rejection asks for a reason. `may_edit` are
    leaves that reviewers may change before they approve. With `hand_over`, seats may be given.
    `buttons` say otherwise what approves and rejects.
    """

    also: tuple[FurtherVote, ...] = Key(default=(), max_length=5, exclude_if=lambda also: not also)
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
    buttons: Buttons | None = Key(default=None, exclude_if=lambda buttons: buttons is None)

    @property
    def all_roles(self) -> tuple[str, ...]:
        """Every role whose holders may be asked."""
        return tuple(dict.fromkeys((*self.roles, *(r for each in self.also for r in each.roles))))
