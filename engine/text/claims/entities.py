"""What a text names, for the fields of its kind."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from cards.model import Field
from engine.text.claims.form_text import FormText, ValueSpan
from engine.text.entity_kinds import Entities, EntityMatch, unshared
from engine.text.values import cue_pattern, field_names

_LEADING = frozenset(
    (
        *("to", "for", "by", "from", "with", "at", "on", "in", "of", "as", "and", "let"),
        *("under", "behind", "before", "after", "about", "into", "than"),
    )
)
"""Words that name what stands behind them; a single Chinese character does so too."""


def kind_of_field(field: Field, entities: Entities) -> str:
    """Of which kind of entity a field's text names one; "" for none.

    Fields were once stored without their kind: whom a form is about is of the only kind there is.
    """
    kinds = {kind.name for kind in entities.kinds}
    if field.entity or not field.identity or field.of_no_kind or len(kinds) != 1:
        return field.entity
    return kinds.pop()


def find_entities(said: FormText) -> Iterator[ValueSpan]:
    """What the text names, for the one field that is of its kind, or that is named beside it.

    A name that several have says of none of them that it is meant.
    """
    asked = {f.name: kind for f in said.fields if (kind := kind_of_field(f, said.entities))}
    found = unshared(said.entities.find(said.written or said.text)) if asked else ()
    for kind in dict.fromkeys(match.kind for match in found):
        of_kind = [f for f in said.fields if asked.get(f.name) == kind]
        yield from _of_kind(said, [m for m in found if m.kind == kind], of_kind)


def _of_kind(
    said: FormText, matches: Sequence[EntityMatch], fields: Sequence[Field]
) -> Iterator[ValueSpan]:
    """The fields of one kind with what is named for each."""
    chosen: dict[EntityMatch, Field] = {}
    for match in matches:
        before = [f for f in fields if said.is_named(said.own_names(f), match.start, match.end)]
        named = before or [f for f in fields if _is_told_behind(said, f, match, matches)]
        if len(named or fields) == 1:
            (chosen[match],) = named or fields
    chosen |= _last_one(said, matches, fields, chosen)
    for match, field in chosen.items():
        yield ValueSpan(match.start, match.end, {field.name: match.id})


def _is_told_behind(
    said: FormText, field: Field, match: EntityMatch, matches: Sequence[EntityMatch]
) -> bool:
    """Whether a name of the field stands right behind: "Ida covers". One before another is not."""
    found = _behind(said.own_names(field)).match(said.text, match.end)
    if found is None:
        return False
    rest = found.end() + len(said.text[found.end() :]) - len(said.text[found.end() :].lstrip())
    return all(other.start not in (found.end(), rest) for other in matches)


@lru_cache(maxsize=1024)
def _behind(names: tuple[str, ...]) -> re.Pattern[str]:
    telling = [n for n in names if n.lower() not in _LEADING and (n.isascii() or len(n) > 1)]
    small = r"(?:(?:is|was|will|can|could|would|has|who|be|are|[,，])\s){0,3}"
    return re.compile(
        rf"\s{{0,3}}{small}(?:[来去会可以能]{{0,2}}){cue_pattern(telling)}", re.IGNORECASE
    )


def _last_one(
    said: FormText,
    matches: Sequence[EntityMatch],
    fields: Sequence[Field],
    chosen: dict[EntityMatch, Field],
) -> dict[EntityMatch, Field]:
    """The one that is left for the only field that is left, where a name of that is in the text."""
    of = {m.id for m in matches}
    taken = {m.id for m in chosen}
    left = [m for m in matches if m.id not in taken]
    free = [f for f in fields if f not in chosen.values()]
    if not chosen or len(of - taken) != 1 or len(free) != 1 or len(taken) != len(fields) - 1:
        return {}
    names = [n for n in field_names(free[0]) if n in said.own_names(free[0])]
    return dict.fromkeys(left, free[0]) if any(said.mentions(names, after="")) else {}
