"""One thing a person wants (design §4), and the look-up that answers it without a model."""

from typing import Any, Literal

from cards.frozen import Frozen

IntentKind = Literal["qa_query", "workflow", "command", "card_reply", "smalltalk", "unclear"]


class Lookup(Frozen):
    """A read-only tool call whose arguments the text itself gave."""

    tool: str
    arguments: dict[str, Any]


class Intent(Frozen):
    """A piece of a message, in the order asked. `depends_on` are indexes of earlier intents.

    `playbook` is set for `workflow`; `card` and `values` (typed form values by field name) for
    `card_reply`; `lookup` for a `qa_query` that needs no model. `why` explains the verdict. `told`
    is the answer (Markdown) where the router knows it already.
    """

    kind: IntentKind
    text: str
    playbook: str = ""
    depends_on: tuple[int, ...] = ()
    confidence: float = 1.0
    why: str = ""
    lookup: Lookup | None = None
    card: str = ""
    choice: str = ""
    values: dict[str, str] = {}
    told: str = ""
