"""The account of a message: how it was read, and all that came of it; as data, bounded and masked.

It is made from what traces and audit keep (`bot/dev/gathering.py`), and shown in a terminal and on
the page of the web chat. Texts in it are people's, tools' and models': data, never markup.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field as Key

from cards.frozen import Frozen


class RouteVerdict(Frozen):
    """What a strategy of the router said."""

    strategy: str
    sure: bool
    why: str


class TakenValue(Frozen):
    """A value that stands at `path` from now on; `words` of a text gave it, "" where none did."""

    path: str
    value: str
    words: str = ""


class ValuesTaken(Frozen):
    """Values were taken: from whom or what, and from which words."""

    kind: Literal["values"] = "values"
    by: str = ""
    values: tuple[TakenValue, ...]


class WordsUnused(Frozen):
    """Words of the message that nothing took."""

    kind: Literal["unused"] = "unused"
    words: str


class CallMade(Frozen):
    """A tool was called, or (`rehearse`) tried without a change: with what, and what came of it.

    `rows` is None where it gave none, `fault` why.
    """

    kind: Literal["call"] = "call"
    tool: str
    arguments: str
    rows: int | None = None
    seconds: float | None = None
    fault: str = ""
    rehearsed: bool = False


class ModelAsked(Frozen):
    """A model was asked."""

    kind: Literal["model"] = "model"
    model: str = ""
    tokens: int = 0
    seconds: float | None = None
    fault: str = ""


class NodeReached(Frozen):
    """A node of an SOP was judged, by whom or what; of rules, how many, and what did not hold."""

    kind: Literal["node"] = "node"
    node: str
    result: str
    by: str
    next: str
    rules: int = 0
    broken: tuple[str, ...] = ()


class AskedPerson(Frozen):
    """Somebody who may decide; `delegate` stands in for them on that day, "" for nobody."""

    id: str
    name: str
    delegate: str = ""


class CardAsked(Frozen):
    """A card went to these people, and why to them; `votes` of them decide.

    `is_own` when it asks who asked.
    """

    kind: Literal["card"] = "card"
    card: str
    card_kind: str
    to: tuple[AskedPerson, ...]
    why: str
    votes: int = 1
    is_own: bool = False


class AnswerGiven(Frozen):
    """Somebody answered a card, or tried to."""

    kind: Literal["answer"] = "answer"
    by: str
    choice: str
    result: str
    via: str = ""


class StepMade(Frozen):
    """What else the run did, and why."""

    kind: Literal["step"] = "step"
    why: str


class RunEnded(Frozen):
    """The run ended, or is blocked: how."""

    kind: Literal["end"] = "end"
    end: str
    why: str = ""


AccountEvent = Annotated[
    ValuesTaken
    | WordsUnused
    | CallMade
    | ModelAsked
    | NodeReached
    | CardAsked
    | AnswerGiven
    | StepMade
    | RunEnded,
    Key(discriminator="kind"),
]


class PartAccount(Frozen):
    """One thing that the message asked for: how it was read, and what came of it, in order.

    `target` is a request (`playbook/request`) or a tool; `run` the run that it began. `may_mean` is
    what it is offered as; `is_open` when it is a question that no look-up answers.
    """

    number: int
    text: str
    kind: str
    target: str = ""
    condition: str = ""
    after: tuple[int, ...] = ()
    sure: bool = True
    confidence: float = 1.0
    why: str = ""
    may_mean: tuple[str, ...] = ()
    is_open: bool = False
    state: str
    run: str = ""
    events: tuple[AccountEvent, ...] = ()
    cut: int = 0


class MessageAccount(Frozen):
    """A message: who wrote it where, which strategy of the router decided, and its parts.

    `named` are the things that the text names, by their kind. `settled` when nothing of it is being
    worked on.
    """

    id: str
    at: datetime
    conversation: str
    by: str
    name: str
    lang: str
    text: str
    strategy: str = ""
    verdicts: tuple[RouteVerdict, ...] = ()
    named: tuple[TakenValue, ...] = ()
    parts: tuple[PartAccount, ...] = ()
    settled: bool = False
