"""The cues of tools, folded once for all texts in which they are looked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from engine.text.entities import fold_cue
from engine.tools.model import Tool
from engine.understanding.lookups.text import says
from engine.understanding.lookups.words import takes_period

_MAX_KEPT: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class CueIndex:
    """The tools with cues that read, each with its cues as they are compared and as written.

    `every` are the cues of all tools, `reading` those of tools that read; `timed` are tools for
    which a time from and until may be named.
    """

    tools: Sequence[Tool[Any]]
    cued: tuple[tuple[Tool[Any], tuple[tuple[str, str], ...]], ...]
    every: tuple[str, ...]
    reading: tuple[str, ...]
    timed: tuple[Tool[Any], ...]

    def find(self, said: str) -> Sequence[tuple[Tool[Any], Sequence[str]]]:
        """The tools one of whose cues a folded text has, with these; Latin ones begin a word."""
        return _find(self, said)


# Several ask for the text of one message, one behind the other.
@lru_cache(maxsize=8)
def _find(index: CueIndex, said: str) -> Sequence[tuple[Tool[Any], Sequence[str]]]:
    every = (
        (tool, tuple(cue for folded, cue in cues if folded in said and says(said, folded)))
        for tool, cues in index.cued
    )
    return tuple((tool, found) for tool, found in every if found)


_KEPT: dict[tuple[int, ...], CueIndex] = {}


def index_cues(tools: Sequence[Tool[Any]]) -> CueIndex:
    """The index of these tools, which is kept: each message brings a sequence of its own."""
    key = tuple(map(id, tools))
    if (kept := _KEPT.get(key)) is not None:
        return kept
    reading = [tool for tool in tools if tool.readonly]
    made = CueIndex(
        tuple(tools),
        tuple((t, tuple((fold_cue(cue), cue) for cue in t.cues)) for t in reading if t.cues),
        tuple(cue for tool in tools for cue in tool.cues),
        tuple(cue for tool in reading for cue in tool.cues),
        tuple(filter(takes_period, tools)),
    )
    if len(_KEPT) >= _MAX_KEPT:
        _KEPT.clear()
    # It holds its tools, so that nothing else gets one of their ids.
    _KEPT[key] = made
    return made
