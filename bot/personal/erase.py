"""Erasing a person: what may go is taken away, and what has to stay names a pseudonym.

It can be ended at any moment and begun again: what was done is not done twice, and by what the
person is known is kept beside the pseudonym until all of it is done.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from bot.personal.anonymise import Pseudonym
from bot.personal.export import find_files
from bot.personal.marks import Evidence, Survey
from bot.personal.places import PLACE_OF, Whole
from cards.frozen import Frozen
from engine.ports.accounts import AccountRules
from engine.ports.inbox_files import KeptFiles
from engine.ports.records import Erasures, StoredRecords, SwapOutcome

PASSES: Final = 5
"""So many looks at what somebody else changed or held meanwhile."""


class Erasure(Frozen):
    """What is known of one: `digest` of the id, and while it is under way, the `evidence`."""

    digest: str
    begun: datetime
    evidence: Evidence | None = None
    done: datetime | None = None
    changed: dict[str, int] = {}


@dataclass(frozen=True, slots=True)
class ErasureResult:
    """What one erasing did: records by kind that went or changed, files, and what was in use."""

    pseudonym: str
    changed: Mapping[str, int]
    files: int
    left: int
    survey: Survey


@dataclass(slots=True)
class Eraser:
    """Erases one person at a time."""

    records: StoredRecords
    erasures: Erasures
    files: KeptFiles
    rules: Mapping[str, AccountRules]
    _changed: Counter[str] = field(default_factory=Counter)

    async def find(self, person: str, digest: str) -> tuple[str, Erasure | None]:
        """The pseudonym and the record of an erasing that was begun for them, or ("", None)."""
        for name, text in (await self.erasures.all()).items():
            known = Erasure.model_validate_json(text)
            is_under_way = known.evidence and person in known.evidence.marks.ids
            if known.digest == digest or is_under_way:
                return name, known
        return "", None

    async def begin(self, digest: str, found: Survey, now: datetime, known: str) -> str:
        """Note what was found before anything is changed; the pseudonym."""
        pseudonym = known or f"erased-{await self.erasures.number()}"
        body = Erasure(digest=digest, begun=now, evidence=found.evidence)
        await self.erasures.note(pseudonym, body.model_dump_json())
        return pseudonym

    async def erase(
        self, pseudonym: str, found: Survey, now: datetime, digest: str
    ) -> ErasureResult:
        """Erase all there is, and note that it was done, without saying who it was.

        What somebody holds just now is looked at again; if it is held all the same, the evidence
        stays, so that it can be done later.
        """
        files = await self._erase_files(found)
        left = 0
        for _ in range(PASSES):
            left, changes = await self._pass(found, Pseudonym(found, pseudonym))
            if not left and not changes:
                break
        # What a cancelled request still tells its case, under their name.
        left += found.unhandled
        done = Erasure(
            digest=digest,
            begun=now,
            evidence=found.evidence if left else None,
            done=None if left else now,
            changed=dict(self._changed),
        )
        await self.erasures.note(pseudonym, done.model_dump_json())
        return ErasureResult(pseudonym, dict(self._changed), files, left, found)

    async def _pass(self, found: Survey, new: Pseudonym) -> tuple[int, int]:
        """Change everything once; how much could not be, and how much was."""
        outcomes: Counter[SwapOutcome] = Counter()
        async for record in self.records.all():
            after = PLACE_OF[record.kind].after(found, new, record)
            if isinstance(after, Whole):
                outcome = await self.records.forget(record)
            elif after != record.text:
                outcome = await self.records.swap(record, after)
            else:
                continue
            outcomes[outcome] += 1
            if outcome == "done":
                self._changed[record.kind] += 1
        return outcomes["busy"] + outcomes["changed"], outcomes["done"]

    async def _erase_files(self, found: Survey) -> int:
        removed = 0
        for file in await find_files(self.files, found):
            removed += await self.files.remove(file, senders=found.marks.ids)
        return removed
