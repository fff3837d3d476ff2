"""What a form is judged by besides its fields: today, the people there are, what texts may name."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from cards.forms import FormFacts, with_detail
from cards.model import Field
from cards.values import BadValue
from engine.ports.people import People
from engine.reviews.form_files import NO_FORM_FILES, FormFiles
from engine.reviews.handover import find_people
from engine.text.entity_kinds import Entities
from engine.text.language import HAN
from engine.text.readers.find import find_readings

_TOLD_NAMES = 5


def form_facts(
    people: People, today: date, entities: Entities, files: FormFiles = NO_FORM_FILES
) -> FormFacts:
    """The facts for a form, by the people who are visible where it is filled in.

    Of a kind of entity that is not known there, no text is taken: nobody could tell what it means.
    """

    def person(text: str) -> str:
        found = find_people(people, text)
        if len(found) == 1:
            return found[0].id
        if not found:
            raise BadValue("handover.unknown", name=text[:60])
        names = ", ".join(each.name for each in found[:_TOLD_NAMES])
        raise BadValue("handover.ambiguous", names=names)

    def entity(kind: str, text: str) -> str:
        return entity_id(entities, kind, text)

    def title(kind: str, id_: str, lang: str) -> str:
        return entity_title(entities.names_of(kind, id_), id_, lang)

    return FormFacts(today, person, entity, title, files.check, files.uploads)


def entity_title(names: Sequence[str], id_: str, lang: str) -> str:
    """What people of the language read for an id: one of its names, and the id behind it.

    "" without a name.
    """
    if not names:
        return ""
    own = (name for name in names if bool(HAN.search(name)) == (lang == "zh"))
    return with_detail(next(own, names[0]), id_, lang)


def entity_id(entities: Entities, kind: str, text: str) -> str:
    """The id of the one of the kind that a text names. Raises BadValue."""
    if not any(each.name == kind for each in entities.kinds):
        raise BadValue("form.entity_unread", name=text[:60])
    if (meant := entities.normalised(text, kind)) is None:
        raise BadValue("form.entity", name=text[:60])
    return meant


def with_days(fields: Iterable[Field], values: Mapping[str, str], today: date) -> dict[str, str]:
    """The values of a form, with a day that is typed in words ("9 December") as its date.

    What may be several days, or says more than a day, stays for the form's checks to refuse.
    """
    read = {
        f.name: _day_of(values[f.name], today)
        for f in fields
        if f.type == "date" and f.name in values
    }
    return {**values, **{name: day for name, day in read.items() if day}}


def _day_of(text: str, today: date) -> str:
    said = text.strip()
    found = find_readings(said, today) if said else ()
    whole = len(found) == 1 and (found[0].start, found[0].end) == (0, len(said))
    if not whole or found[0].kind != "date" or len(found[0].values) != 1:
        return ""
    return str(found[0].values[0])
