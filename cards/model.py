"""A review card: a question to people, and later its outcome (spec 003, card types)."""

from datetime import datetime
from typing import Literal

from cards.frozen import Frozen

Lang = Literal["zh", "en"]
CardKind = Literal["clarify", "confirm", "select", "phase_done"]
CardStatus = Literal["open", "decided", "expired", "cancelled", "superseded"]
FieldType = Literal["text", "integer", "number", "date", "choice"]
Style = Literal["primary", "danger", "plain"]
Value = str | int | float


class Principal(Frozen):
    """A person, whatever platform they tap on; a stranger has a platform id and no roles.

    `lang` and `zone` (IANA) are what they want to read; None and "" leave it open.
    """

    id: str
    name: str
    roles: tuple[str, ...] = ()
    lang: Lang | None = None
    zone: str = ""


class Field(Frozen):
    """One typed question of a form; `value` is what stands in it before the person types.

    `cues` are words that name the field in free text ("weight", "体重"). An `identity` says whom
    the form is about: another one needs a form of its own. `words` are values in themselves, such
    as "all", wherever a text that gives no other value has one of them. `multiline` text has
    several lines.
    """

    name: str
    label: str
    type: FieldType = "text"
    required: bool = True
    unit: str = ""
    options: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    value: str = ""
    hint: str = ""
    cues: tuple[str, ...] = ()
    identity: bool = False
    words: tuple[str, ...] = ()
    multiline: bool = False


class Choice(Frozen):
    """One button. With `form`, the tap only opens the form; sending the form is the decision."""

    id: str
    label: str
    style: Style = "plain"
    form: tuple[Field, ...] = ()


class Row(Frozen):
    """A labelled value shown on the card."""

    label: str
    value: str


class Review(Frozen):
    """Who may decide: holders of `roles` or the named `persons`; `quorum` counts approvals.

    `four_eyes` refuses the requester (design §7).
    """

    roles: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    quorum: int = 1
    four_eyes: bool = False


class Vote(Frozen):
    """One person's recorded approval on a card whose quorum is not reached yet."""

    person: str
    name: str
    choice: str
    at: datetime


class Decision(Frozen):
    """The answer that closed a card: who, what, when, and the form's typed values."""

    choice: str
    person: str
    name: str
    at: datetime
    values: dict[str, Value] = {}


class Card(Frozen):
    """A card as it is stored: what is shown, who may decide, and what was decided.

    `revision` changes only when what was shown for approval changes; `version` counts stored
    states for compare-and-set. `task_key` is the semantic key of spec 003: a newer open card of
    one run with the same key supersedes the older. `shown_digest` fixes what is approved.
    A card of a talk turn has no `run`, but the `reply` and `part` that it asks about.
    `waiting_for` names, for show, whose answer is awaited. `known` are fields that the form does
    not ask for because their value stands; a text answer is read against them too.
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
    waiting_for: str = ""
    task_key: str = ""
    shown_digest: str = ""
    revision: int = 1
    version: int = 1
    status: CardStatus = "open"
    deadline: datetime | None = None
    votes: tuple[Vote, ...] = ()
    decision: Decision | None = None

    @property
    def lane(self) -> str:
        """The lane that hears of its decision."""
        return f"run:{self.run}" if self.run else f"talk:{self.conversation}"

    def choice(self, choice_id: str) -> Choice | None:
        """The choice of that id, or None when the card never had it."""
        return next((c for c in self.choices if c.id == choice_id), None)
