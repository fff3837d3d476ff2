"""A review card: a question to people, and later its outcome (spec 003, card types)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import Field as Key

from cards.edits import Edit, EditableContent
from cards.frozen import Frozen
from cards.policy import Escalation, Reminders
from cards.shared_file import SharedFile
from cards.values import Bound, FieldType, Value

ADMIN: Final = "admin"
"""The role of whoever may end every run, and lets people in."""

APPROVE: Final = "approve"
REJECT: Final = "reject"
"""The choices of a review."""

SUBMIT: Final = "submit"
"""The choice that sends the form of a card that asks for values."""

Lang = Annotated[str, Key(pattern="^[a-z]{2,3}$")]
"""A language, named as its file in cards/texts; what was stored may name one without a file."""
CardKind = Literal["clarify", "confirm", "select", "phase_done"]
CardStatus = Literal["open", "told", "decided", "expired", "cancelled", "superseded"]
"""A card that is `told` only informs: it never was open, and nobody decides it."""
Style = Literal["primary", "danger", "plain"]
TextAnswer = Literal["values", "number"]
Majority = Literal["deny_wins", "majority"]
ReasonFor = Literal["required", "optional", "none"]


class Principal(Frozen):
    """A person, whatever platform they tap on; a stranger has an account as id and no roles.

    `lang` and `zone` (IANA) are what they want to read; None and "" leave it open. `accounts` are
    all of theirs when they were looked up, and `guest` is whoever a Slack workspace only lets in
    (design §7). `stands_for` are those whose seat they may take at this moment, as of the roles
    these hold now. `at` is the account through which they act, where that counts. Neither of these
    two is ever stored.
    """

    id: str
    name: str
    roles: tuple[str, ...] = ()
    lang: Lang | None = None
    zone: str = ""
    accounts: tuple[str, ...] = ()
    guest: bool = False
    stands_for: tuple["Principal", ...] = Key(default=(), exclude=True)
    at: str = Key(default="", exclude=True)

    @property
    def ids(self) -> frozenset[str]:
        """Every id under which something of theirs may be stored: their own, and each account's.

        Whoever joins people.yaml was known by their account before.
        """
        return frozenset((self.id, *self.accounts))

    def holds_one_of(self, roles: Sequence[str]) -> bool:
        """Whether they may use what is for these roles; what names none is for everybody."""
        return not roles or not set(roles).isdisjoint(self.roles)

    def as_requester(self) -> dict[str, Any]:
        """What a card that they ask for keeps of them."""
        return {
            "requester": self.id,
            "requester_name": self.name,
            "requester_accounts": self.accounts,
        }


class Field(Frozen):
    """One typed question of a form; `value` is what stands in it before the person types.

    `cues` are words that name the field in free text ("weight", "体重"). An `identity` says whom
    the form is about: another one needs a form of its own. `words` are values in themselves, such
    as "all", wherever a text that gives no other value has one of them. `labels` are what people
    read for `options`. A text is as the regular expression `pattern` says, the whole of it, has
    several lines if `multiline`, and names one of a kind of `entity`, if there is one. Money is in
    one of `currencies`, and a file of one of `kinds`, if there are any. A `person` is given by
    name, by id or by account; `options` are names of some. A text with `columns` has a row in each
    line. `pair_with` names the field whose value is written behind this one's, as in 120/80 or from
    2 to 5 March. The options of a `listed` one are what a tool listed for this form alone. `names`
    are its labels in other languages, `option_names` those of its options, by the word. An identity
    that is `of_no_kind` is any text: of what earlier versions stored, nobody knows that.
    """

    name: str
    label: str
    type: FieldType = "text"
    required: bool = True
    unit: str = ""
    options: tuple[str, ...] = ()
    labels: dict[str, str] = Key(default_factory=dict)
    minimum: Bound | None = None
    maximum: Bound | None = None
    pattern: str = ""
    currencies: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    value: str = ""
    hint: str = ""
    cues: tuple[str, ...] = ()
    identity: bool = False
    entity: str = ""
    words: tuple[str, ...] = ()
    multiline: bool = False
    pair_with: str = ""
    columns: tuple["Field", ...] = ()
    listed: bool = False
    names: tuple[str, ...] = ()
    option_names: dict[str, str] = Key(default_factory=dict)
    of_no_kind: bool = False

    def label_of(self, option: str, lang: str) -> str:
        """What people read for an option."""
        return self.labels.get(option, option)


class Choice(Frozen):
    """One button. With `form`, the tap only opens the form; sending the form is the decision.

    A form that `edits` changes what the card shows, and decides nothing.
    """

    id: str
    label: str
    style: Style = "plain"
    form: tuple[Field, ...] = ()
    edits: bool = False
    intro: str = ""


class Row(Frozen):
    """A labelled value shown on the card; `file` is the name of the file that the value is.

    `link` is where the file may be seen, as it is shown somewhere; no card is stored with one.
    """

    label: str
    value: str
    file: str = ""
    link: str = ""

    @property
    def path(self) -> str:
        """The link on a page of the service itself, "" without one."""
        _, mark, rest = self.link.rpartition("/files/")
        return f"{mark}{rest}" if mark else ""


class NeededVote(Frozen):
    """A vote that a card needs of a holder of `roles`, or of one of the `persons`.

    `approvers` are the ids of all who could give it when the card opened.
    """

    roles: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    approvers: tuple[str, ...] = ()


class Review(Frozen):
    """Who may decide: holders of `roles` or the named `persons`; `quorum` counts seats.

    A person is named as the one whom the card asks about their own request, or, with `approvers`,
    by a playbook's policy.

    `four_eyes` refuses the requester (design §7). `approvers` are the ids of all who could decide
    when the card opened; whoever taps must be one of them and hold a role still (None: the card is
    older than that list). Where not everybody may give each vote, `needed` has one entry for each
    of the quorum, and the rest is of all of them. `decides` says how votes count, `delegable`
    whether seats may be given to others. `execute_s` is how long an approval is good for a write,
    `may_edit` the leaves that reviewers may change.
    """

    roles: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    quorum: int = 1
    four_eyes: bool = False
    approvers: tuple[str, ...] | None = None
    decides: Majority = "deny_wins"
    delegable: bool = True
    remind: Reminders | None = None
    escalate: Escalation | None = None
    execute_s: int | None = None
    may_edit: tuple[str, ...] = ()
    needed: tuple[NeededVote, ...] = ()

    @property
    def by_policy(self) -> bool:
        """Whether a policy says who decides, and it is nobody's own card."""
        return bool(self.roles) or self.approvers is not None


class Vote(Frozen):
    """One person's recorded vote on a card that is not decided by it.

    `seat` is the id of the person in whose place they voted, "" for their own; `reason` is why they
    rejected it. `gives` are those of the review's needed votes that it may be, by number.
    `form_digest` is of the form that they sent with it (cards.forms), "" for none.
    """

    person: str
    name: str
    choice: str
    at: datetime
    seat: str = ""
    seat_name: str = ""
    reason: str = ""
    gives: tuple[int, ...] = ()
    form_digest: str = ""

    @property
    def seat_owner(self) -> str:
        """The id of the person whose seat has voted."""
        return self.seat or self.person


class LapsedVote(Frozen):
    """A vote that counts no more since `at`, before the card was decided.

    `no_role`: nobody holds that seat any more; `gone`: who voted in it is nobody of ours any more;
    `same_person`: two accounts that voted turned out to be one person's.
    """

    vote: Vote
    at: datetime
    why: Literal["no_role", "gone", "same_person"]


class HandOver(Frozen):
    """One person's seat on one card, given to another (principal ids).

    `ordered` when an operator gave it, and not who holds it.
    """

    by: str
    by_name: str
    to: str
    to_name: str
    at: datetime
    ordered: bool = False


class Decision(Frozen):
    """The answer that closed a card: who, what, when, and the form's typed values.

    `files` are those that the form brought, by field name; its values call them as their sender
    does. `seat` is the id of the person in whose place it was given, "" for their own. `edits` are
    the changes that were decided upon, `shown_digest` fixes what was shown with them. `labels` are
    what people read for values that a tool listed, by field name. `votes` are all that the card had
    by then, this one last, where it needed more than one; `option` is the text of a chosen option.
    `form_digest` is of the form as it was sent (cards.forms), "" for none.
    """

    choice: str
    person: str
    name: str
    at: datetime
    values: dict[str, Value] = Key(default_factory=dict)
    files: dict[str, SharedFile] = Key(default_factory=dict)
    edits: tuple[Edit, ...] = ()
    shown_digest: str = ""
    seat: str = ""
    seat_name: str = ""
    labels: dict[str, str] = Key(default_factory=dict)
    votes: tuple[Vote, ...] = ()
    option: str = ""
    form_digest: str = ""

    @property
    def deciders(self) -> Sequence["Vote | Decision"]:
        """Whoever chose so, the one whose vote decided it last."""
        return [vote for vote in self.votes if vote.choice == self.choice] or [self]


@dataclass(frozen=True, slots=True)
class CardTraits:
    """What all cards of a kind have in common.

    `text` says with what a text may answer the card: values for its form, the number of a choice.
    One that `signs_off` is a review, decided by its buttons alone; nobody decides what `informs`.
    """

    text: TextAnswer | None = None
    signs_off: bool = False
    informs: bool = False


CARD_KINDS: Final[Mapping[CardKind, CardTraits]] = {
    "clarify": CardTraits(text="values"),
    "confirm": CardTraits(signs_off=True),
    "select": CardTraits(text="number"),
    "phase_done": CardTraits(informs=True),
}


class Card(Frozen):
    """A card as it is stored: what is shown, who may decide, and what was decided.

    `revision` changes only when what was shown for approval changes; `version` counts stored
    states for compare-and-set. `task_key` is the semantic key of spec 003: a newer open card of
    one run with the same key supersedes the older. `shown_digest` fixes what is approved.
    A card of a talk turn has no `run`, but the `reply` and `part` that it asks about.
    `requester_accounts` are those of whoever asked, since an id in people.yaml may come and go.
    `waiting_for` names, for show, whose answer is awaited. `known` are fields that the form does
    not ask for because their value stands; a text answer is read against them too. `editing` is
    what reviewers may change, `edits` what they did, `authors` by leaf whose change stands there.
    `lapsed` are votes that count no more, `handed` seats that were given to others. `reminded`
    counts reminders, and `escalated` says for whom the escalation added approvers. `by_text` is an
    example of a text that answers it, "" where none does. `project` is the one that it is about, ""
    for a card of none, and where an earlier version did not keep it.
    """

    schema_version: Literal[1] = 1
    kind: CardKind
    token: str
    run: str
    reply: str = ""
    part: int = 0
    conversation: str
    lang: Lang
    title: str
    text: str = ""
    rows: tuple[Row, ...] = ()
    problems: tuple[str, ...] = ()
    known: tuple[Field, ...] = ()
    choices: tuple[Choice, ...]
    review: Review
    requester: str
    requester_name: str = ""
    requester_accounts: tuple[str, ...] = ()
    waiting_for: str = ""
    task_key: str = ""
    shown_digest: str = ""
    revision: int = 1
    version: int = 1
    status: CardStatus = "open"
    deadline: datetime | None = None
    votes: tuple[Vote, ...] = ()
    decision: Decision | None = None
    editing: EditableContent | None = None
    edits: tuple[Edit, ...] = ()
    authors: dict[str, str] = Key(default_factory=dict)
    lapsed: tuple[LapsedVote, ...] = ()
    handed: tuple[HandOver, ...] = ()
    reminded: int = 0
    escalated: str = ""
    by_text: str = ""
    project: str = ""

    @property
    def is_own_confirmation(self) -> bool:
        """Whether by its policy only who asked decides: they just confirm."""
        review = self.review
        own = review.by_policy and review.persons == (self.requester,)
        return own and not (review.roles or review.four_eyes)

    @property
    def traits(self) -> CardTraits:
        """What its kind says of it."""
        return CARD_KINDS[self.kind]

    @property
    def deciders(self) -> Sequence[Vote | Decision]:
        """Whoever chose what was decided, the last one last; nobody where nothing was."""
        if self.decision is None:
            return ()
        # What earlier versions decided has its votes here alone.
        before = [v for v in self.votes if v.choice == self.decision.choice]
        return (*before, self.decision)

    @property
    def lane(self) -> str:
        """The lane that hears of its decision."""
        return f"run:{self.run}" if self.run else f"talk:{self.conversation}"

    @property
    def text_answer(self) -> TextAnswer | None:
        """With what a text may answer it: by a number nobody does what a policy asks them for."""
        text = self.traits.text
        return None if text == "number" and self.review.by_policy else text

    @property
    def signs_off(self) -> bool:
        """Whether it is a review, decided by its buttons alone."""
        return self.traits.signs_off or (self.kind == "select" and self.review.by_policy)

    def is_requested_by(self, principal: Principal) -> bool:
        """Whether this person, as the directory has them today, is the one who asked."""
        return not principal.ids.isdisjoint((self.requester, *self.requester_accounts))

    def choice(self, choice_id: str) -> Choice | None:
        """The choice of that id, or None when the card never had it."""
        return next((c for c in self.choices if c.id == choice_id), None)
