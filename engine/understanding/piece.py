"""A piece of a message and what it surely is."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.frames.intents import Candidate, IntentKind, Lookup


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the message and what it surely is; `kind` is `unclear` when that is nothing.

    Not `firm`: by its form, while its words speak for something else. `told` is what to say where
    that is known already; `idle` pieces surely ask for nothing, and `elsewhere` ones for what
    nobody here does; `asks_which` ones for one of a playbook's requests.
    """

    text: str
    kind: IntentKind
    why: str
    playbook: str = ""
    request: str = ""
    condition: str = ""
    confidence: float = 1.0
    lookup: Lookup | None = None
    more: tuple[Lookup, ...] = ()
    joint: str = "end"
    then: bool = False
    start: int = 0
    end: int = 0
    about_run: bool = False
    card: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    told: str = ""
    firm: bool = True
    idle: bool = False
    holds_off: bool = False
    elsewhere: bool = False
    asks_which: bool = False
    candidates: tuple[Candidate, ...] = ()

    @property
    def work(self) -> bool:
        """It is most likely work, but not surely."""
        return self.kind == "unclear" and any(c.kind == "workflow" for c in self.candidates[:1])

    @property
    def wants(self) -> bool:
        """The piece surely wants something of the bot."""
        return self.kind in ("workflow", "qa_query", "card_reply")
