"""What a message shows, free of any platform; adapters only translate these views."""

from typing import Literal

from cards.frozen import Frozen
from cards.model import CardKind, Field, Lang, Row, Style

Tone = Literal["open", "good", "bad", "neutral"]
PartState = Literal[
    "working",
    "waiting",
    "answered",
    "needs_you",
    "in_review",
    "done",
    "rejected",
    "refused",
    "failed",
    "withdrawn",
    "cancelled",
    "expired",
]
NOT_DONE: frozenset[PartState] = frozenset(
    {"rejected", "refused", "failed", "withdrawn", "cancelled", "expired"}
)
"""The states of a part that is over, and whose work was not done."""


class ButtonView(Frozen):
    """A button: its label and its packed data. With `form`, the tap asks for these fields first.

    `intro` is what the form says above them. `opens` is the label where a tap only opens the form,
    "" where that is `label` too. A `final` tap cannot be taken back: platforms that can ask whether
    the person is sure, do. A form that `edits` changes what the card shows.
    """

    data: str
    label: str
    style: Style = "plain"
    form: tuple[Field, ...] = ()
    edits: bool = False
    intro: str = ""
    opens: str = ""
    final: bool = False

    @property
    def opening_label(self) -> str:
        """The label where the form is not open yet."""
        return self.opens or self.label


class FormView(Frozen):
    """A form to show after a tap; sent back as FormSubmitted with the same `data`.

    With `edits`, what is not sent stays as it is.
    """

    data: str
    lang: Lang
    title: str
    submit: str
    cancel: str
    intro: str = ""
    fields: tuple[Field, ...]
    edits: bool = False


class ConfirmView(Frozen):
    """Whether the person is sure of a tap that nobody can take back; `data` is that button's.

    All texts are plain. It stands `apart` from a button that shares its message with those of
    others.
    """

    data: str
    lang: Lang
    text: str
    confirm: str
    cancel: str
    style: Style = "plain"
    apart: bool = False


ViewKind = CardKind | Literal["run"]
"""What a view is of: a card, or what is told of a run, with buttons that are of no card."""


class CardView(Frozen):
    """A card as shown now. `text` and `problems` are Markdown; `outcome` is set once it is closed.

    `tone` colours the outcome; a closed card has no buttons. `origin` is Markdown on where the card
    comes from, "" where it is shown in its own conversation.
    """

    token: str
    kind: ViewKind
    title: str
    text: str = ""
    problems: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    note: str = ""
    origin: str = ""
    buttons: tuple[ButtonView, ...] = ()
    outcome: str = ""
    tone: Tone = "open"


class PartView(Frozen):
    """One piece of a reply; `number` is 0 when the reply has a single part. `text` is Markdown."""

    number: int
    state: PartState
    label: str = ""
    text: str


class BarView(Frozen):
    """A bar of a chart: its label, plain text on one line, and how long it is."""

    label: str
    value: int


class ChartView(Frozen):
    """A bar chart as data, drawn by platforms; title and labels are plain text."""

    title: str
    bars: tuple[BarView, ...]

    @property
    def alt_text(self) -> str:
        """The chart in words, for those who do not see it."""
        return f"{self.title}: " + "; ".join(f"{bar.label} – {bar.value}" for bar in self.bars)


Plainer = Literal["plain", "pieces", "file", "anew"]
"""How a refused message is shown: without mark-up, that in small pieces, as a file below a line, or
without mark-up in a new message in place of one that takes no edit. Each has the buttons."""


class MessageView(Frozen):
    """One platform message: parts in the order the person asked, and at most one card.

    With a `chart`, the parts say in words what it shows: a platform that shows pictures shows the
    chart in their place, any other the parts. `card_part` is the number of the part that the card
    is about, 0 for none or all: platforms that can, show the card below that part. `plainer` is how
    to show it where it was refused before.
    """

    lang: Lang
    parts: tuple[PartView, ...] = ()
    card: CardView | None = None
    card_part: int = 0
    chart: ChartView | None = None
    plainer: Plainer | None = None
