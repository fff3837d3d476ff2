"""Whoever asked is told of a review that nobody can decide any more; once a day, and no guesses."""

from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from bot.people.leavers import LeaverReports
from bot.wiring.service import Parts
from cards.model import Review
from tests.bot.definitions.test_people_reread import people, process, take_out
from tests.bot.definitions.test_reloader import change, looked
from tests.contracts.given import open_card

__all__ = ["people", "process"]


def reports(parts: Parts) -> LeaverReports:
    store = parts.store
    return LeaverReports(store.inbox, store.numbers, store.mailbox, parts.resources.people)


async def gone(parts: Parts) -> list[str]:
    """The persons that a look tells of."""
    with capture_logs() as lines:
        await reports(parts).report()
    return [line["person"] for line in lines if line["event"] == "approver_gone"]


@pytest.mark.parametrize("by_group", [False, True])
async def test_it_is_told_once_that_all_who_could_decide_have_left(
    process: Any, people: Path, by_group: bool, redis: Redis
) -> None:
    if by_group:
        # Who is in the group is known from Slack alone, which may be away.
        change(people.parent, people.name, "en: data reviewer}", 'en: r, slack_group: "T1A:S1A"}')
    parts = await process(people)
    review = Review(roles=("reviewer",), approvers=("chen", "wu"))
    await open_card(parts.store.mailbox, parts.store.partitions, "web:local:main", review=review)
    assert await gone(parts) == []
    take_out(people, "chen")
    await looked(parts)
    assert await gone(parts) == [], "somebody is left"
    take_out(people, "wu")
    await looked(parts)
    assert await gone(parts) == ([] if by_group else ["everybody"])
    assert await gone(parts) == []
