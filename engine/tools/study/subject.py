"""Finding the subject that a question is about."""

from difflib import SequenceMatcher
from typing import Any

from engine.ports.systems.records import Records, Subject


async def find_subject(subject_id: str, records: Records) -> Subject | dict[str, Any]:
    """The subject; or, for an id that nobody has, a result that says so and names close ids."""
    subject = await records.subject(subject_id)
    if subject is not None:
        return subject
    ids = [other.subject_id for other in await records.subjects()]
    nearest = sorted(ids, key=lambda other: _distance(subject_id, other))[:3]
    return {"found": False, "subject_id": subject_id, "nearest": nearest}


def _distance(asked: str, other: str) -> tuple[bool, float, str]:
    same_number = _number(asked) == _number(other) != ""
    return not same_number, -SequenceMatcher(None, asked, other).ratio(), other


def _number(subject_id: str) -> str:
    return "".join(c for c in subject_id if c.isdigit()).lstrip("0")
