"""What has a certain form in texts, as a project says."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from cards.linear import find_values
from engine.text.language import LocalizedText

FormKind = Literal["date", "amount", "email", "phone", "id_number"]
FORM_KINDS: Final[tuple[FormKind, ...]] = get_args(FormKind)
"""What is known by its form wherever it stands, without a project's saying so."""


@dataclass(frozen=True)
class ElementKind:
    """A kind of thing by its form, a regular expression of RE2's kind; its group is the value."""

    name: str
    pattern: str
    label: LocalizedText

    def find(self, text: str) -> Iterator[tuple[str, str]]:
        """The value and the words of each one in an NFKC text, in order."""
        for whole, value in find_values(self.pattern, text):
            plain = " ".join(value.split())
            if plain:
                yield plain, " ".join(whole.split())
