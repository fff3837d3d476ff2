"""Kinds of things that texts name or hold, and cases of them (design §11, §12)."""

import unicodedata
from typing import Any

from pydantic import Field as Key
from pydantic import model_validator

from cards.frozen import Frozen
from cards.linear import BadPattern, compile_linear, find_spans, matches
from engine.text.elements import ElementKind
from engine.text.entity_kinds import MAX_ID_CHARS, Case, PatternKind
from engine.text.language import LocalizedText
from engine.yaml.faults import Fault

MAX_KINDS = 20
MAX_PATTERN_CHARS = 200
MAX_ELEMENT_KINDS = 30
MAX_ELEMENT_CHARS = 500
MAX_COLUMNS = 8

# A pattern that finds one of these would take every text for names.
_PLAIN_WORDS = ("is", "the", "what", "of", "please", "查", "的", "查看")


class EntityDefinition(Frozen):
    """A kind of thing that texts name: by the form of its ids, or by a list that a tool reads.

    `pattern` is a regular expression of RE2's kind. With `case` upper or lower an id may be
    written in either case, and is made so; characters of `without` may stand in it or not. A list
    has a row for each: `id` is the column of its id, `names` are the columns of other names.
    """

    name: LocalizedText
    pattern: str = Key(default="", max_length=MAX_PATTERN_CHARS)
    case: Case = "as_written"
    without: str = Key(default="", max_length=8)
    tool: str = ""
    id: str = ""
    names: tuple[str, ...] = Key(default=(), max_length=MAX_COLUMNS)

    def pattern_kind(self, name: str) -> PatternKind | None:
        """The kind as texts are searched for it; None for a list."""
        if not self.pattern:
            return None
        return PatternKind(name, self.pattern, self.case, self.without, self.name)


def definition_faults(entity: EntityDefinition) -> list[Fault]:
    """What is wrong in itself with a kind's definition, each with where."""
    if bool(entity.pattern) == bool(entity.tool):
        return [((), "should have either a pattern, or a tool that lists them")]
    if entity.pattern:
        found: list[Fault] = [
            ((key,), "belongs to a list of a tool")
            for key in ("id", "names")
            if getattr(entity, key)
        ]
        wrong = _pattern_fault(entity)
        return [*found, (("pattern",), wrong)] if wrong else found
    found = [((key,), "belongs to a pattern") for key in ("without",) if getattr(entity, key)]
    if entity.case != "as_written":
        found.append((("case",), "belongs to a pattern"))
    return found if entity.id else [*found, (("id",), "is required: the column of the id")]


def _pattern_fault(entity: EntityDefinition) -> str:
    try:
        if matches(entity.pattern, ""):
            return "finds an empty text; say what an id has at least"
        kind = PatternKind("", entity.pattern, entity.case)
        word = next((word for word in _PLAIN_WORDS if any(kind.find(word))), "")
        any(find_spans(entity.pattern, "x" * MAX_ID_CHARS))
    except BadPattern as error:
        return f"cannot be run: {error}"
    return f"takes plain words for ids, such as {word!r}" if word else ""


class ElementDefinition(Frozen):
    """A kind of thing that texts have in a certain form, such as an order number or a clause.

    `pattern` is a regular expression of RE2's kind over text in which full-width letters and signs
    are plain ones. With a group, that part of what it finds is the value.
    """

    name: LocalizedText
    pattern: str = Key(min_length=1, max_length=MAX_ELEMENT_CHARS)

    def kind(self, name: str) -> ElementKind:
        """The kind as texts are searched for it."""
        return ElementKind(name, self.pattern, self.name)


def element_faults(element: ElementDefinition) -> list[Fault]:
    """What is wrong with a kind's pattern."""
    wrong = _element_pattern_fault(element.pattern)
    return [(("pattern",), wrong)] if wrong else []


def _element_pattern_fault(pattern: str) -> str:
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
