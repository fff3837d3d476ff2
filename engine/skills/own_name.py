"""Who asks, as the value of a field that names people: "lend me a drill", 给我订一个座位."""

from collections.abc import Collection, Sequence

from cards.model import Field, Principal
from engine.frames.outcome import StepContext
from engine.reviews.handover import find_people
from engine.text.claims.myself import find_self
from engine.text.entity_kinds import Entities, ListKind, NamedEntity
from engine.text.form_reading import FoundValues


def named_self(
    fields: Sequence[Field], given: Collection[str], context: StepContext
) -> FoundValues:
    """Who asked, for the one required field of a person that has no value."""
    run = context.run
    place = find_self(run.text)
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
    place = find_self(text)
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
