"""The runs that a person asked for, a page at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

from cards.model import Principal
from engine.ports.people import People
from engine.ports.storage.own_runs import OwnRuns
from engine.talk.mine.summary import RunSummary, is_own, own_names, read_summaries

PAGE = 10
"""So many runs stand on a page, and so many buttons below it."""


@dataclass(frozen=True, slots=True)
class OwnWork:
    """A page of a person's runs: those under way come before those that ended.

    `more` when others stand on the next page.
    """

    living: tuple[RunSummary, ...] = ()
    ended: tuple[RunSummary, ...] = ()
    more: bool = False


async def read_own_work(
    person: Principal,
    own_runs: OwnRuns,
    people: People,
    *,
    page: int = 1,
    ended: bool = True,
    before: Sequence[str] = (),
) -> OwnWork:
    """Page `page` (from 1) of the runs that this person asked for, without `ended` of those alive.

    Runs `before` come first, whoever asked for them.
    """
    first = PAGE * (page - 1)
    # One of those before may be listed for the person too.
    limit = PAGE * page + 1 + len(before)
    listed = await own_runs.find(own_names(person), limit=limit)
    ids = dict.fromkeys((*before, *listed.living, *(listed.ended if ended else ())))
    over = tuple(ids)[first : first + PAGE + 1]
    found = await read_summaries(own_runs, over[:PAGE])
    own = [each for each in found if each.run.id in before or is_own(each, person, people)]
    return OwnWork(
        tuple(each for each in own if each.end is None),
        tuple(each for each in own if each.end is not None and ended),
        len(over) > PAGE,
    )


def page_of(typed: str) -> int:
    """The page that somebody typed behind a command; 1 for what is no number of one."""
    return max(int(typed), 1) if typed.isdecimal() and len(typed) < 4 else 1
