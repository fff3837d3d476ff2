"""What a model cannot check of a review: that it can be decided, and in time (design §7)."""

from collections.abc import Sequence
from zoneinfo import available_timezones

from cards.fields.money import read_currency_amount
from cards.policy import Hours, Reminders
from cards.values import BadValue, Bound
from engine.playbooks.checks.list_tools import ListToolCheck
from engine.playbooks.checks.names import FileCheck
from engine.playbooks.review import (
    MANAGER_OF,
    REQUESTER,
    Deciders,
    PersonTool,
    ReviewPolicy,
)
from engine.playbooks.skill import SopNode
from engine.yaml.faults import Path

MIN_REMINDER_PAUSE_S = 60
"""Nobody is reminded more often than this."""

MAX_BUTTON = 30
"""No button has a longer label."""

_NAMING = ("text", "person", "choice", "entity", "email")
"""Types of fields that may hold the id or account of a person."""


class ReviewCheck(FileCheck):
    """One pass over a node's `review`; adds each problem where it stands."""

    def run(self, node: SopNode, review: ReviewPolicy, at: Path) -> None:
        """Check the review of an SOP's node."""
        self.policy(review, at)
        if review.execute_s and not node.shows:
            fault = "belongs to a review that shows a plan: only writes are held back"
            self.add((*at, "execute_within"), fault)
        self._expiry(node, at[:-1])

    def policy(self, review: ReviewPolicy, at: Path) -> None:
        """Check who decides, how votes count, and the clocks."""
        self.deciders(review, at)
        if review.four_eyes and any(part.is_requester for part in (review, *review.also)):
            self.add((*at, "four_eyes"), "should be false where $requester decides")
        self._further(review, at)
        self._edits(review, at)
        self._quorum(review, at)
        self._buttons(review, at)
        if review.escalate:
            self._escalation(review, (*at, "escalate"))
        if review.remind:
            self._reminders(review.remind, review.deadline_s, (*at, "remind"))

    def deciders(self, part: Deciders, at: Path) -> None:
        """Roles that somebody holds, or where it stands who it is."""
        if part.person is None:
            self._roles(part.roles, at)
            return
        if part.roles:
            self.add((*at, "person"), "does not go together with roles; give one of them")
        if isinstance(part.person, PersonTool):
            tools = ListToolCheck(self.names, self.source, self.problems)
            tools.check_person(part.person, (*at, "person"))
        elif not MANAGER_OF.fullmatch(part.person):
            self._person_field(part.person, (*at, "person"))

    def _person_field(self, source: str, at: Path) -> None:
        path, definition = source.removeprefix("$"), self.names.definition
        if path == source or not path or path.split(".")[0] == REQUESTER:
            fault = "should be a field as $manager, $requester, $requester.manager, or a tool"
            self.add(at, fault)
            return
        self.check_path(path, at)
        leaf = definition.leaf(path) if definition else None
        if leaf is not None and leaf.type not in _NAMING:
            self.add(at, f"{path} is a field of type {leaf.type}, which names no person")

    def _further(self, review: ReviewPolicy, at: Path) -> None:
        """The approvals that are needed besides, and when."""
        if review.also and review.decides == "majority":
            self.add((*at, "also"), "does not go together with decides: majority")
        for index, part in enumerate(review.also):
            where = (*at, "also", index)
            self.deciders(part, where)
            if part.above and part.when:
                self.add((*where, "when"), "does not go together with above; give one of them")
            for path, most in part.above.items():
                self._limit(path, most, (*where, "above", path))
            if part.when:
                self.check_condition(part.when, (*where, "when"))

    def _limit(self, path: str, most: Bound, at: Path) -> None:
        """A limit is of its field's type: a number, or an amount with its currency."""
        self.check_path(path, at)
        leaf = self.names.definition.leaf(path) if self.names.definition else None
        if leaf is None:
            return
        if leaf.type == "money":
            if not _is_amount(most, leaf.currencies):
                self.add(at, "should be an amount with its currency, as in 5000 EUR")
        elif leaf.type not in ("number", "integer"):
            self.add(at, f"{path} is a field of type {leaf.type}; a limit is of numbers or money")
        elif isinstance(most, str):
            self.add(at, "should be a number, as the field is")

    def _edits(self, review: ReviewPolicy, at: Path) -> None:
        """Nobody who decides may change who decides."""
        read = {path for part in (review, *review.also) for path in part.read_paths}
        for index, path in enumerate(review.may_edit):
            if path in read or any(each.startswith(f"{path}.") for each in read):
                fault = f"{path} says who approves; whoever approves may not change it"
                self.add((*at, "may_edit", index), fault)
            self.check_given(path, (*at, "may_edit", index))
            if name := self.names.computed_from(path):
                fault = f"{name} is computed from {path}, and would not be what the card shows"
                self.add((*at, "may_edit", index), fault)

    def _buttons(self, review: ReviewPolicy, at: Path) -> None:
        """Every platform shows a short label whole."""
        for choice, text in review.buttons or ():
            for lang, written in text.root.items() if text else ():
                where = (*at, "buttons", choice, lang) if lang else (*at, "buttons", choice)
                if not 1 <= len(written.strip()) <= MAX_BUTTON:
                    self.add(where, f"should have 1 to {MAX_BUTTON} characters")

    def _roles(self, roles: Sequence[str], at: Path) -> None:
        if not roles:
            self.add((*at, "roles"), "should name at least one role")
        for index, role in enumerate(roles):
            self.require_known(role, self.names.roles, (*at, "roles", index), "role in people.yaml")
        held = self.names.held_roles
        if roles and held is not None and not set(roles) & set(held):
            self.add((*at, "roles"), f"nobody in people.yaml holds {' or '.join(roles)}")

    def _quorum(self, review: ReviewPolicy, at: Path) -> None:
        """Whether enough people can vote; with four eyes, for somebody else's request at least."""
        if review.decides == "majority" and review.quorum % 2 == 0:
            fault = (
                f"should be odd with decides: majority, so that no vote ends {review.quorum // 2}"
            )
            self.add((*at, "quorum"), f"{fault} to {review.quorum // 2}")
        if review.person and review.quorum > 1:
            self.add((*at, "quorum"), f"is {review.quorum}, and one person has one vote")
        people = self.names.people
        if people is None or not review.roles:
            return
        holders = {person for person, held in people.items() if set(held) & set(review.roles)}
        who = " or ".join(review.roles)
        if holders and len(holders) < review.quorum:
            fault = f"is {review.quorum}, and only {len(holders)} in people.yaml hold {who}"
            self.add((*at, "quorum"), fault)
        elif review.four_eyes and holders == set(people) and len(holders) == review.quorum:
            fault = (
                f"is {review.quorum}, and whoever asks is one of the {len(holders)} who hold {who}"
            )
            self.add((*at, "quorum"), f"{fault}: with four_eyes too few are left")

    def _escalation(self, review: ReviewPolicy, at: Path) -> None:
        assert review.escalate is not None
        role, held = review.escalate.role, self.names.held_roles
        self.require_known(role, self.names.roles, (*at, "role"), "role in people.yaml")
        known = self.names.roles is None or role in self.names.roles
        if known and held is not None and role not in held:
            self.add((*at, "role"), f"nobody in people.yaml holds {role}")
        if role in review.roles:
            self.add((*at, "role"), f"{role} may decide from the beginning; name another role")
        self._before(review.escalate.after_s, review.deadline_s, (*at, "after"))

    def _reminders(self, remind: Reminders, deadline_s: int | None, at: Path) -> None:
        self._before(remind.after_s, deadline_s, (*at, "after"))
        if remind.every_s is not None and remind.every_s < MIN_REMINDER_PAUSE_S:
            self.add((*at, "every"), f"should be at least {MIN_REMINDER_PAUSE_S}s")
        if remind.every_s is None and remind.after_s < MIN_REMINDER_PAUSE_S and remind.at_most > 1:
            self.add(
                (*at, "every"), f"is required where after is less than {MIN_REMINDER_PAUSE_S}s"
            )
        if remind.hours:
            self._hours(remind.hours, (*at, "hours"))

    def _hours(self, hours: Hours, at: Path) -> None:
        self.require_known(hours.zone, available_timezones(), (*at, "zone"), "time zone")
        if hours.closes <= hours.opens:
            self.add((*at, "closes"), f"should be later than {hours.opens}, when it opens")

    def _before(self, after_s: int, deadline_s: int | None, at: Path) -> None:
        if deadline_s is not None and after_s >= deadline_s:
            self.add(at, "should be less than the deadline, or it never happens")

    def _expiry(self, node: SopNode, at: Path) -> None:
        """Time alone approves nothing."""
        if node.on_expire and node.on_expire == node.pass_target:
            fault = "should lead elsewhere than an approval: nobody has decided"
            self.add((*at, "on_expire"), fault)


def _is_amount(most: Bound, currencies: Sequence[str]) -> bool:
    try:
        # Its own currency has to be there even where the field has one alone.
        read_currency_amount(str(most), (), "en")
        read_currency_amount(str(most), currencies, "en")
    except BadValue:
        return False
    return True
