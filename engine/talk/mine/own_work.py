"""The runs that a person asked for, a page at a time."""

from dataclasses import dataclass

from cards.model import Principal
from engine.ports.people import People
from engine.ports.storage.own_runs import OwnRuns
from engine.talk.mine.summary import RunSummary, is_own, own_names, read_summaries

PAGE = 10
"""So many runs stand on a page, and so many buttons below it."""


@dataclass(frozen=True, slots=True)
class OwnWork:
    """A page of a person's runs: those under way (on the first page), and those that ended.

    `more` when there are others that ended.
    """

    living: tuple[RunSummary, ...] = ()
    ended: tuple[RunSummary, ...] = ()
    more: bool = False


async def read_own_work(
    person: Principal, own_runs: OwnRuns, people: People, *, page: int = 1, ended: bool = True
) -> OwnWork:
    """Page `page` (from 1) of the runs that this person asked for."""
    listed = await own_runs.find(own_names(person), limit=PAGE * page + 1)
    first = PAGE * (page - 1)
    over = listed.ended[first : first + PAGE + 1] if ended else ()
    living = listed.living if page == 1 else ()
    found = await read_summaries(own_runs, (*living, *over[:PAGE]))
    own = [each for each in found if is_own(each, person, people)]
    return OwnWork(
        tuple(each for each in own if each.end is None)[:PAGE],
        tuple(each for each in own if each.end is not None),
        len(over) > PAGE,
    )
