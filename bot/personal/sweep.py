"""A look through everything that the store keeps, for one person."""

from collections.abc import AsyncIterator, Mapping

from bot.personal.marks import Evidence, PersonMarks, Survey
from bot.personal.places import PLACE_OF
from engine.ports.accounts import AccountRules
from engine.ports.records import StoredRecord, StoredRecords


async def survey(
    records: StoredRecords,
    marks: PersonMarks,
    rules: Mapping[str, AccountRules],
    known: Evidence | None = None,
) -> Survey:
    """What there is of the person, and what was `known` before. Raises StoreUnavailable."""
    found = Survey(marks, rules)
    if known:
        found.recall(known)
    async for record in records.all():
        PLACE_OF[record.kind].note(found, record)
    return found


async def read_theirs(
    records: StoredRecords, found: Survey
) -> AsyncIterator[tuple[StoredRecord, bool]]:
    """Every record with whether it is the person's own. Raises StoreUnavailable."""
    async for record in records.all():
        yield record, PLACE_OF[record.kind].theirs(found, record)
