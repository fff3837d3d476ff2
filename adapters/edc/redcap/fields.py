"""How our study's fields are named and coded in a REDCap project: a mapping file, checked."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from adapters.edc.yaml_file import parsed
from cards.frozen import Frozen

_WHOLE = re.compile(r"-?[0-9]{1,9}")
_NUMBER = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_OURS_ALONE = "redcap_"


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ValueError("not a whole number")
    return int(text)


def _number(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise ValueError("not a number")
    return float(text)


def _day(text: str) -> date:
    if not _DAY.fullmatch(text):
        raise ValueError("not a day as 2026-01-31")
    return date.fromisoformat(text)


def _sex(text: str) -> str:
    if text not in ("F", "M"):
        raise ValueError("neither F nor M")
    return text


# Stricter than pydantic, which takes 20260131 for seconds since 1970 and inf for a weight.
PARSE: Mapping[str, Callable[[str], Any]] = {
    "sex": _sex,
    "birth_year": _whole,
    "enrolled_on": _day,
    "arm": str,
    "visit_date": _day,
    "ecog": _whole,
    "weight_kg": _number,
    "systolic": _whole,
    "diastolic": _whole,
    "adverse_event": str,
}
"""Our fields, and what a text must be to be a value of each; raises ValueError."""


def _texts(codes: Any) -> Any:
    """Codes as REDCap sends them: YAML reads an unquoted 1 as a number."""
    if not isinstance(codes, dict):
        return codes
    return {_text(code): _text(value) for code, value in codes.items()}


def _text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError("codes and values should be texts or whole numbers, in quotes if in doubt")
    return str(value)


def _free(name: str) -> str:
    if name.startswith(_OURS_ALONE):
        raise ValueError(f"names that begin with {_OURS_ALONE} are REDCap's own")
    return name


Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,99}$"), AfterValidator(_free)]
Codes = Annotated[dict[str, str], BeforeValidator(_texts), Field(min_length=1)]


class RedcapField(Frozen):
    """A field of the project; `codes` maps what REDCap stores to our value."""

    field: Name
    codes: Codes | None = None

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, given: Any) -> Any:
        return {"field": given} if isinstance(given, str) else given

    def ours(self, stored: str) -> str:
        """Our value as text, "" for none; ValueError for a code that the mapping does not have."""
        if self.codes is None or stored == "":
            return stored
        if stored not in self.codes:
            raise ValueError("a code without a meaning")
        return self.codes[stored]

    def theirs(self, value: str) -> str:
        """What REDCap stores for our value; ValueError when the mapping has no code for it."""
        if self.codes is None:
            return value
        found = [code for code, meaning in self.codes.items() if meaning == value]
        if not found:
            raise ValueError("a value without a code")
        return found[0]


class SubjectFields(Frozen):
    """Fields of the instrument that does not repeat; `subject_id` is the project's first field."""

    subject_id: Name
    sex: RedcapField
    birth_year: RedcapField
    enrolled_on: RedcapField
    arm: RedcapField


class VisitFields(Frozen):
    """Fields of the repeating instrument, one instance a visit.

    `key` and `approved_by` are text fields of our own; `complete` is written into the instrument's
    status field, 0 incomplete, 1 unverified, 2 complete, or nothing when it is null.
    """

    instrument: Name
    key: Name
    approved_by: Name
    complete: Literal[0, 1, 2] | None = None
    visit_date: RedcapField
    ecog: RedcapField
    weight_kg: RedcapField
    systolic: RedcapField
    diastolic: RedcapField
    adverse_event: RedcapField


class Fields(Frozen):
    """The whole mapping; no field of the project has two meanings, no code a wrong value."""

    subject: SubjectFields
    visit: VisitFields

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        own = (self.subject.subject_id, self.visit.key, self.visit.approved_by)
        fields = [*of(self.subject), *of(self.visit)]
        names = Counter([*own, *(field.field for _, field in fields)])
        faults = [f"{name} is named twice" for name, count in names.items() if count > 1]
        for name, field in fields:
            faults += _wrong_codes(name, field)
        if faults:
            raise ValueError("; ".join(faults))
        return self


def of(part: SubjectFields | VisitFields) -> Iterator[tuple[str, RedcapField]]:
    """Our name and the project's field, for everything that has a value of a subject or visit."""
    return ((name, value) for name, value in part if isinstance(value, RedcapField))


def _wrong_codes(name: str, field: RedcapField) -> Iterator[str]:
    values = list(field.codes.values()) if field.codes else []
    for value in values:
        try:
            PARSE[name](value)
        except ValueError as error:
            yield f"{name}: {value!r} is {error}"
    if name in VisitFields.model_fields and len(set(values)) < len(values):
        yield f"{name}: two codes have the same value, so that it could not be written"


def load_fields(path: Path) -> Fields:
    """The mapping in the file; DefinitionError with every problem as `file:line: path: message`."""
    return parsed(path, Fields)
