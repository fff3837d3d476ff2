"""Kinds of things that `element__extract` takes out of texts, as a playbook declares them."""

import unicodedata

from pydantic import Field as Key

from cards.frozen import Frozen
from cards.linear import BadPattern, compile_linear, matches
from engine.text.elements import ElementKind
from engine.text.language import LocalizedText
from engine.yaml.faults import Fault

MAX_ELEMENT_KINDS = 30
MAX_PATTERN_CHARS = 500


class ElementDefinition(Frozen):
    """A kind of thing that texts have in a certain form, such as an order number or a clause.

    `pattern` is a regular expression of RE2's kind over text in which full-width letters and signs
    are plain ones. With a group, that part of what it finds is the value.
    """

    name: LocalizedText
    pattern: str = Key(min_length=1, max_length=MAX_PATTERN_CHARS)

    def kind(self, name: str) -> ElementKind:
        """The kind as texts are searched for it."""
        return ElementKind(name, self.pattern, self.name)


def element_faults(element: ElementDefinition) -> list[Fault]:
    """What is wrong with a kind's pattern."""
    wrong = _pattern_fault(element.pattern)
    return [(("pattern",), wrong)] if wrong else []


def _pattern_fault(pattern: str) -> str:
    try:
        groups = compile_linear(pattern).groups
        if groups > 1:
            return "should have one group at most, which is the value; write (?:…) for the others"
        if matches(pattern, ""):
            return "finds an empty text; say what it has at least"
    except BadPattern as error:
        return f"cannot be run: {error}"
    plain = unicodedata.normalize("NFKC", pattern)
    wide = next((a for a in pattern if unicodedata.normalize("NFKC", a) != a), "")
    return f"{wide} is searched for as its plain form; write that" if plain != pattern else ""
