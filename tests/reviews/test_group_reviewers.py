"""Reviewers by a Slack group: members decide, strangers do not, nobody counts twice (A22-A24)."""

from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest

from tests.fakes.platforms.patience import until
from tests.fakes.platforms.slack.server import SlackServer
from tests.reviews.walks import Meet, asked_in_slack, rewrite
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_platform_walk import REVIEWER_ID, slack_settings
from tests.scenarios.test_run_ends import change

GROUP = "T0TRIAL:S0REVIEW"
MEMBERS = ("U0REVIEWER", "U0GUEST")


@pytest.fixture(autouse=True)
def by_group(people_file: Path, slack: SlackServer) -> None:
    """Nobody is listed as a reviewer: the Slack group says who is."""
    rewrite(people_file, "roles: [reviewer]", "roles: []")
    rewrite(people_file, "en: data reviewer}", f'en: data reviewer, slack_group: "{GROUP}"}}')
    slack.groups["S0REVIEW"] = list(MEMBERS)


def known(service: Service, *members: str) -> Callable[[], bool]:
    wanted = frozenset(f"T0TRIAL:{member}" for member in members)
    return lambda: service.parts.resources.groups.members(GROUP) == wanted


async def test_a24_members_of_the_group_are_asked_and_decide_with_one_vote_each(
    meet: Meet, playbooks: Path
) -> None:
    change(playbooks, "skills/visit-review.yaml", "quorum: 1", "quorum: 2")
    service, side, chat = await meet(playbooks=playbooks, group_age_s=3)
    slack = side.server
    await until(known(service, *MEMBERS))
    await asked_in_slack(side)
    # One is in people.yaml and is reached everywhere; the other is known by the group alone.
    private = await chat.shown(REVIEWER_ID, "Please review")
    direct = await side.shown("Please review", channel="D0REVIEWER")
    guest = await side.shown("Please review", channel="D0GUEST")
    before = len(slack.ephemerals)
    await side.tap(guest, "Approve", user="U0STRANGER")
    assert "I do not know your account" in slack.ephemerals[before].text
    await chat.confirm(private, "Approve", name="Bo")
    await side.tap(direct, "Approve", user="U0REVIEWER")
    assert "Already recorded" in slack.ephemerals[-1].text
    await slack.wait_for(lambda: "1 of 2" in guest.body)
    await side.tap(guest, "Approve", user="U0GUEST")
    await slack.wait_for(lambda: not guest.buttons and not direct.buttons)
    await side.shown("Visit recorded", channel="C0TRIAL")


async def test_a23_who_leaves_the_group_is_refused_and_sees_nothing_of_it_any_more(
    meet: Meet,
) -> None:
    service, side, chat = await meet(group_age_s=3)
    slack = side.server
    telegram = chat.server
    await until(known(service, *MEMBERS))
    await asked_in_slack(side)
    direct = await side.shown("Please review", channel="D0REVIEWER")
    await chat.send(telegram.command_update("/pending", chat_id=REVIEWER_ID))
    await chat.shown(REVIEWER_ID, "Waiting for you")
    slack.groups["S0REVIEW"] = ["U0GUEST"]
    await until(known(service, "U0GUEST"))
    await side.tap(direct, "Approve", user="U0REVIEWER")
    assert "not an approver" in slack.ephemerals[-1].text
    await chat.send(telegram.command_update("/pending", chat_id=REVIEWER_ID))
    await chat.shown(REVIEWER_ID, "Nothing waits for you.")
    await side.send(slack.message_event("/pending", user="U0GUEST", channel="D0GUEST"))
    await side.shown("Waiting for you", channel="D0GUEST")


async def test_without_a_fresh_answer_of_slack_nobody_decides_by_the_group_and_it_is_said(
    meet: Meet,
) -> None:
    service, side, _ = await meet(group_age_s=2)
    slack = side.server
    await until(known(service, *MEMBERS))
    await asked_in_slack(side)
    direct = await side.shown("Please review", channel="D0REVIEWER")
    slack.scopes.discard("usergroups:read")
    await until(known(service))
    async with aiohttp.ClientSession() as http, http.get(f"{service.url}/readyz") as answer:
        assert (await answer.json())["groups"] == f"unknown: {GROUP}"
    await side.tap(direct, "Approve", user="U0REVIEWER")
    assert "not an approver" in slack.ephemerals[-1].text
    slack.scopes.add("usergroups:read")
    await until(known(service, *MEMBERS))
    await side.tap(direct, "Approve", user="U0REVIEWER")
    await slack.wait_for(lambda: not direct.buttons)


async def test_a_tap_waits_for_no_answer_about_a_group(meet: Meet) -> None:
    service, side, _ = await meet()
    slack = side.server
    await until(known(service, *MEMBERS))
    await asked_in_slack(side)
    direct = await side.shown("Please review", channel="D0REVIEWER")
    asked = slack.calls["usergroups.users.list"]
    await side.tap(direct, "Approve", user="U0REVIEWER")
    await slack.wait_for(lambda: not direct.buttons)
    assert slack.calls["usergroups.users.list"] == asked == 1
    assert slack.calls["users.info"] == 0


async def test_a_process_that_starts_knows_what_others_know(
    meet: Meet, start: Start, people_file: Path
) -> None:
    service, side, _ = await meet()
    slack = side.server
    await until(known(service, *MEMBERS))
    second = await start(people=people_file, **slack_settings(slack))
    assert known(second, *MEMBERS)()
    assert slack.calls["usergroups.users.list"] == 1
