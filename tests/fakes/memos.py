"""A project's memory that is kept nowhere else."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from engine.ports.library import Memo


@dataclass
class Memos:
    """What was remembered, by project and key."""

    kept: dict[tuple[str, str], Memo] = field(default_factory=dict)

    @property
    def texts(self) -> list[str]:
        """What was remembered, in order."""
        return [memo.text for memo in self.kept.values()]

    async def memos(self, project: str) -> Sequence[Memo]:
        """The newest first."""
        return [memo for (kept, _), memo in reversed(self.kept.items()) if kept == project]

    async def remember(
        self, project: str, text: str, *, key: str, by: str
    ) -> Literal["new", "repeat"]:
        """Kept once per key."""
        if (project, key) in self.kept:
            return "repeat"
        at = datetime(2026, 11, 21, tzinfo=UTC)
        self.kept[project, key] = Memo(text=text, by=by, at=at, id=key)
        return "new"

    async def forget(self, project: str, memo: str) -> bool:
        """Its key is its id."""
        return self.kept.pop((project, memo), None) is not None
