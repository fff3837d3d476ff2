"""What a playbook says of its case: which runs share a state, and what of it (design §12)."""

from typing import Any

from pydantic import Field as Key
from pydantic import model_validator

from cards.frozen import Frozen

REQUEST = "request"
"""Each run has a state of its own."""
BY_PLACE = ("conversation", "project")
"""Cases that are known by where a run was asked for; all others are entities."""


class CaseDefinition(Frozen):
    """`of` says what runs share their state by: `request` (nothing), `conversation`, `project`, or
    an entity of the playbook. `own` are paths that each request keeps to itself.

    `rows` names the column of a list leaf that says which row is which, by path; rows of other
    lists are the same where all of their columns are.
    """

    of: str = REQUEST
    own: tuple[str, ...] = Key(default=(), max_length=200)
    rows: dict[str, str] = {}

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, given: Any) -> Any:
        if isinstance(given, str):
            return {"of": given}
        if not isinstance(given, dict):
            return given
        # What passes through here is no JSON any more, where lists stand for tuples.
        return {key: tuple(v) if isinstance(v, list) else v for key, v in given.items()}

    @property
    def is_shared(self) -> bool:
        """Whether several runs may share a state."""
        return self.of != REQUEST
