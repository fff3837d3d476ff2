"""What a message shows, platform-free: adapters translate these views and decide nothing."""

from typing import Literal

from cards.frozen import Frozen
from cards.model import CardKind, Field, Lang, Row, Style

Tone = Literal["open", "good", "bad", "neutral"]
PartState = Literal[
    "working", "waiting", "answered", "needs_you", "in_review", "done", "failed", "cancelled"
]


class ButtonView(Frozen):
    """A button: its label and its packed data. With `form`, the tap asks for these fields first.

    With `final` nothing takes the tap back: who can ask whether the person is sure, does.
    """

    data: str
    label: str
    style: Style = "plain"
    form: tuple[Field, ...] = ()
    final: bool = False


class FormView(Frozen):
    """A form to show after a tap; sent back as FormSubmitted with the same `data`."""

    data: str
    lang: Lang
    title: str
    submit: str
    cancel: str
    intro: str = ""
    fields: tuple[Field, ...]


class CardView(Frozen):
    """A card as shown now. `text` and `problems` are Markdown; `outcome` is set once it is closed.

    `tone` colours the outcome; a closed card has no buttons. `origin` is Markdown on where the card
    comes from, "" where it is shown in its own conversation.
    """

    token: str
    kind: CardKind
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


class MessageView(Frozen):
    """One platform message: parts in the order the person asked, and at most one card."""

    lang: Lang
    parts: tuple[PartView, ...] = ()
    card: CardView | None = None
