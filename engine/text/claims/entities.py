"""What a text names, for the fields of its kind."""

from collections.abc import Iterator

from cards.model import Field
from engine.text.claims.form_text import FormText, ValueSpan
from engine.text.entity_kinds import Entities, unshared


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
    for match in unshared(said.entities.find(said.written or said.text)) if asked else ():
        of_kind = [f for f in said.fields if asked.get(f.name) == match.kind]
        named = [f for f in of_kind if said.is_named(said.own_names(f), match.start, match.end)]
        if len(named or of_kind) == 1:
            (field,) = named or of_kind
            yield ValueSpan(match.start, match.end, {field.name: match.id})
