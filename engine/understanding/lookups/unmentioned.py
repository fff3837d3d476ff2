"""Which words of a question are not in what a search by its words found (promise 4)."""

from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from engine.frames.intents import Lookup
from engine.text.entities import fold, fold_cue
from engine.text.entity_kinds import Entities
from engine.text.search_words import RUNS, is_chinese, stem
from engine.tools.model import Tool
from engine.understanding.lookups.find import bare_question, cue_found, is_example, reads_message
from engine.understanding.lookups.text import (
    STAND_INS,
    look_at,
    remove_cues,
    tell_in_order,
)
from engine.understanding.lookups.words import SMALL_WORDS, without_small_chinese

_SAME = 4
"""So many letters that begin two words make them one: "enrolled" and "enrolment"."""


def name_unmentioned(
    text: str,
    lookup: Lookup,
    found: str,
    tools: Sequence[Tool[Any]],
    *,
    today: date,
    entities: Entities,
) -> str:
    """The words of a question that a search by its words did not find, in their order.

    "" for a look-up that is no such search, for a question that is one of its examples, and where
    what was found is in another language, whose words cannot be compared.
    """
    tool = next((each for each in tools if each.name == lookup.tool), None)
    if tool is None or not tool.cues or not reads_message(tool):
        return ""
    asked = look_at(bare_question(text), entities, today)
    if is_example(asked, tool, tools, entities):
        return ""
    cues = [fold_cue(cue) for cue in cue_found(asked.said, tool.cues)]
    clear = remove_cues(asked.clear, cues, whole=True)
    mine = RUNS.findall(fold(STAND_INS.sub(" ", clear)))
    there = RUNS.findall(fold(found))
    left: list[str] = []
    for compare, chinese in ((_not_in_latin, False), (_not_in_chinese, True)):
        runs = [[run for run in each if is_chinese(run) == chinese] for each in (mine, there)]
        left += compare(*runs) if all(runs) else ()
    return tell_in_order(" ".join(left), asked)


def _not_in_latin(runs: list[str], there: list[str]) -> Iterator[str]:
    stems = {stem(run) for run in there}
    for run in runs:
        is_small = run in SMALL_WORDS or len(run) == 1 or run.isdigit()
        if not is_small and not any(_is_same(stem(run), each) for each in stems):
            yield run


@lru_cache(maxsize=4096)
def _is_same(one: str, other: str) -> bool:
    short = min(len(one), len(other))
    return one == other or (short >= _SAME and one[:short] == other[:short])


def _not_in_chinese(runs: list[str], there: list[str]) -> Iterator[str]:
    pairs = {run[i : i + 2] for run in there for i in range(len(run) - 1)}
    for run in runs:
        matter = {*without_small_chinese(run)}
        kept = "".join(
            letter
            if at in matter and not {run[max(0, at - 1) : at + 1], run[at : at + 2]} & pairs
            else " "
            for at, letter in enumerate(run)
        )
        # A single character may be one of any word.
        yield from (part for part in kept.split() if len(part) > 1)
