"""Who asks, as the value of a field that names people: "lend me a drill", 给我订一个座位."""

import re
from collections.abc import Collection, Sequence

from cards.model import Field, Principal
from engine.frames.outcome import StepContext
from engine.reviews.handover import find_people
from engine.text.entity_kinds import Entities, ListKind, NamedEntity
from engine.text.form_reading import FoundValues

_ME = re.compile(r"(?:(?<![a-z])(?P<before>[a-z]{1,20})\s)?(?<![a-z])(?P<me>me|myself)(?![a-z'])")
_ZH_ME = re.compile(r"[给替为]我(?!们|[看说讲])|我自己|我本人|(?<!日)本人")
_NOT_FOR = frozenset(
    (
        *(
            "tell",
            "show",
            "let",
            "help",
            "remind",
            "ask",
            "find",
            "inform",
            "notify",
            "excuse",
            "believe",
        ),
        *(
            "from",
            "by",
            "with",
            "than",
            "like",
            "call",
            "email",
            "about",
            "except",
            "not",
            "without",
        ),
    )
)
"""Words before "me" with which nothing is done for who says it."""


def named_self(
    fields: Sequence[Field], given: Collection[str], context: StepContext
) -> FoundValues:
    """Who asked, for the one required field of a person that has no value."""
    run = context.run
    place = _place(run.text)
    lacking = [f for f in fields if f.type == "person" and f.required and f.name not in given]
    people = context.services.people.scope_to(run.conversation, run.project or None)
    if place is None or len(lacking) != 1 or not find_people(people, run.requester.id):
        return FoundValues({}, {})
    (field,) = lacking
    words = run.text[slice(*place)]
    return FoundValues({field.name: run.requester.id}, {field.name: words})


def with_self(
    named: tuple[NamedEntity, ...], text: str, asked: Principal, entities: Entities
) -> tuple[NamedEntity, ...]:
    """What a text named, and whom "me" in it names of each kind of which it named nothing.

    That is who asked, where the kind's list has them by their id or name.
    """
    place = _place(text)
    if place is None:
        return named
    found, kinds = list(named), {each.kind for each in named}
    listed = (each.name for each in entities.kinds if isinstance(each, ListKind))
    for kind in (each for each in dict.fromkeys(listed) if each not in kinds):
        ids = (entities.normalised(name, kind) for name in (asked.id, asked.name))
        if id_ := next(filter(None, ids), None):
            names = entities.names_of(kind, id_)
            words = text[slice(*place)]
            found.append(NamedEntity(kind=kind, id=id_, text=words, start=place[0], names=names))
    return tuple(found)


def _place(text: str) -> tuple[int, int] | None:
    """Where a text says that something is for who wrote it."""
    for match in _ME.finditer(text.lower()):
        if match["before"] not in _NOT_FOR:
            return match.span("me")
    found = _ZH_ME.search(text)
    return found.span() if found else None
