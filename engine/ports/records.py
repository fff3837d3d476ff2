"""Everything that the store keeps, record by record: what is kept of a person is found in it."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from dataclasses import field as part
from typing import Literal, Protocol

SwapOutcome = Literal["done", "changed", "busy"]
"""`changed`: something else stands there by now; `busy`: somebody has it in hand."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A text of the store: its `kind`, the `name` of what it belongs to, and where it stands there.

    `name` is the id of a run, card, reply or trace, or a conversation, project or person. `field`
    is the part of it, "" where it has none. `beside` are the other parts. `place` is the store's
    own name of the place.
    """

    kind: str
    name: str
    text: str
    field: str = ""
    beside: Mapping[str, str] = part(default_factory=dict)
    place: tuple[str, ...] = ()


class StoredRecords(Protocol):
    """Reads and changes all records; for an operator's command, for it costs as much as there is.

    Raises StoreUnavailable.
    """

    def all(self) -> AsyncIterator[StoredRecord]:
        """Every record, in any order; one that changes meanwhile may be met before or after."""
        ...

    async def swap(self, record: StoredRecord, text: str) -> SwapOutcome:
        """Put the text in the record's place, or take it away with "", if it is as it was read."""
        ...

    async def forget(self, record: StoredRecord) -> SwapOutcome:
        """Take away all that stands under the record's name, if the record is as it was read."""
        ...


class Erasures(Protocol):
    """What was erased, and what is being erased: texts by pseudonym. Raises StoreUnavailable."""

    async def number(self) -> int:
        """A number that no other erasure has."""
        ...

    async def all(self) -> Mapping[str, str]:
        """The text of each, by its pseudonym."""
        ...

    async def note(self, pseudonym: str, text: str) -> None:
        """Keep the text in place of the one before."""
        ...

    async def digest(self, text: str) -> str:
        """A digest under a key that only this store has."""
        ...
