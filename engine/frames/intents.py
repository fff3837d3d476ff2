"""Intents: what a person wants, one thing each (design §4), and look-ups that need no model."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from cards.frozen import Frozen
from engine.frames.case import CaseName

IntentKind = Literal["qa_query", "workflow", "command", "card_reply", "smalltalk", "unclear"]

IntentNote = Literal["", "quoted", "left_out", "in_doubt", "hangs", "not_possible", "beside"]
"""Why work that the model read is only offered, or that nobody here does it; or that it stands
beside what is answered, and is like nothing."""


class Lookup(Frozen):
    """A read-only tool call whose arguments the text itself gave."""

    tool: str
    arguments: dict[str, Any]


class Candidate(Frozen):
    """What an unclear piece may mean: a request to a playbook, a question, or files for a case.

    `case` is of files, `lookup` of a question that it answers; `name` is how people read either.
    """

    kind: Literal["workflow", "qa_query", "case_file"]
    playbook: str = ""
    request: str = ""
    score: float = 0.0
    case: CaseName | None = None
    lookup: Lookup | None = None
    name: str = ""


class WorkQuestion(Frozen):
    """What is asked of a person's own requests and cases.

    `keys` are the ids of runs and cases, the one that is most likely meant first, and `more` others
    fit as well; none where there is no such request as it is `about`. `paths` are the fields whose
    values are asked for, `aspects` what else is (how it stands, who decided, why).
    """

    keys: tuple[str, ...]
    paths: tuple[str, ...] = ()
    aspects: tuple[str, ...] = ()
    more: int = 0
    about: str = ""


class Intent(Frozen):
    """A piece of a message, in the order asked. `depends_on` are indexes of earlier intents.

    `sure`: rules or the model decided it, and what is left is not the person's to choose.
    `playbook` and `request` (which of its requests) are set for `workflow`, with the `condition`
    under which the person wants it, "" for none; `card` and `values` (typed form values by field
    name) for `card_reply`; `lookup` (and `more` of them, for several subjects) for a `qa_query`
    that needs no model, with the words that it `left` out; `about_run` for one about an active run.
    `why` explains the verdict. `work` for one about the person's own requests and cases. `told` is
    the answer (Markdown) where the router knows it already; `candidates` are what an `unclear` one
    may mean, the likeliest first; earlier cards offered the first of them (`passed`), and `note` is
    what people are told of why. `case` is the one that the message's files are for, as their sender
    chose. `near` are texts (answers, sections of documents) that have words of a question which
    nothing answers, each with the share of its words (`score`), those that have most first.
    `data` are values by field that a program gave with a request, and `digest` fixes what it sent
    under its `key`.
    """

    kind: IntentKind
    text: str
    sure: bool = True
    playbook: str = ""
    request: str = ""
    condition: str = ""
    depends_on: tuple[int, ...] = ()
    confidence: float = 1.0
    why: str = ""
    lookup: Lookup | None = None
    more: tuple[Lookup, ...] = ()
    left: str = ""
    about_run: bool = False
    work: WorkQuestion | None = None
    card: str = ""
    choice: str = ""
    values: dict[str, str] = Field(default_factory=dict)
    told: str = ""
    candidates: tuple[Candidate, ...] = ()
    passed: int = 0
    note: IntentNote = ""
    case: CaseName | None = None
    near: tuple[Candidate, ...] = ()
    data: dict[str, Any] = Field(default_factory=dict)
    digest: str = ""
    key: str = ""

    @property
    def is_of_files(self) -> bool:
        """Whether it is about which case files are for."""
        return self.case is not None or any(c.kind == "case_file" for c in self.candidates)


def route_kind(intents: Sequence[Intent]) -> str:
    """How a message was handled, in a word, as a label of a metric."""
    if len(intents) != 1:
        return "several"
    intent = intents[0]
    if intent.kind != "qa_query":
        return intent.kind
    known = intent.lookup or intent.told or intent.about_run or intent.work
    return "lookup" if known else "model"
