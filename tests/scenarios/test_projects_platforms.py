"""A channel of Slack and a group of Telegram, each bound to a project with all in it."""

from pathlib import Path

import aiohttp
import pytest

from engine.frames.state import Run
from tests.fakes.bridges import PEOPLE, write_bridges
from tests.fakes.platforms.patience import until
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.platforms.telegram.updates import Sent
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_platform_walk import (
    REQUESTER_ID,
    REVIEWER_ID,
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
)

SLACK = {"ana": "U0REQUESTER", "ada": "U0REVIEWER", "bo": "U0BYSTANDER"}
TELEGRAM = {"ana": REQUESTER_ID, "ada": REVIEWER_ID}
GROUP = -1001
CRACK = "please report a crack"


@pytest.fixture
async def service(
    start: Start, slack: SlackServer, telegram: TelegramServer, tmp_path: Path
) -> Service:
    people = PEOPLE
    for name, user in SLACK.items():
        own = f"web: {name}, slack: ['{slack.team}:{user}']"
        own += f", telegram: ['{TELEGRAM[name]}']" if name in TELEGRAM else ""
        people = people.replace(f"web: {name}", own)
    folder = write_bridges(tmp_path / "bridges", **{"people.yaml": people})
    return await start(
        playbooks=folder,
        people=folder / "people.yaml",
        project="office",
        **slack_settings(slack),
        **telegram_settings(telegram),
    )


async def test_a_channel_is_bound_by_an_admin_with_all_its_threads_and_no_other_is(
    service: Service, slack: SlackServer, http: aiohttp.ClientSession
) -> None:
    side = SlackSide(service, slack, http)

    async def said(text: str, ts: str, user: str, channel: str = "C0TRIAL") -> None:
        await side.send(slack.mention_event(text, user=user, ts=ts, channel=channel))

    await said("/project", "1763700000.000100", "U0REQUESTER")
    await side.shown("belongs to project The office, as all do that nobody has moved")
    await said("/project Mill bridge", "1763700000.000200", "U0REVIEWER")
    await side.shown("belongs to project Mill bridge now")
    # Another thread of the channel is the project's; another channel is not.
    await said("/project", "1763700000.000300", "U0REQUESTER")
    await side.shown("This conversation belongs to project Mill bridge.")
    await said(CRACK, "1763700000.000400", "U0BYSTANDER")
    await slack.wait_for(lambda: "a project that you may not see" in str(slack.ephemerals))
    await said(CRACK, "1763700000.000500", "U0BYSTANDER", "C0OTHER")
    await said(CRACK, "1763700000.000600", "U0REQUESTER")
    await until_begun(service, "north-1", "office")


async def test_a_group_is_offered_no_name_that_some_may_not_see_and_takes_what_an_admin_names(
    service: Service, telegram: TelegramServer, http: aiohttp.ClientSession
) -> None:
    chat = TelegramSide(service, telegram, http)

    async def said(text: str, user: int) -> None:
        await chat.send(
            telegram.message_update(f"@signoff_bot {text}", chat_id=GROUP, user_id=user)
        )

    await said("/project", REVIEWER_ID)
    offered = await chat.shown(GROUP, "no other project that everybody here may see")
    assert "bridge" not in offered.text
    await said("/project Mill bridge", REQUESTER_ID)
    await said("/project 磨坊桥", REVIEWER_ID)
    await chat.shown(GROUP, "磨坊桥")
    await said("报告一条裂缝", REQUESTER_ID)
    await until_begun(service, "north-1")


async def test_an_admin_moves_their_own_chat_by_a_button_and_an_older_button_moves_nothing(
    service: Service, telegram: TelegramServer, http: aiohttp.ClientSession
) -> None:
    chat = TelegramSide(service, telegram, http)

    async def project(said: str) -> Sent:
        await chat.send(telegram.message_update("/project", chat_id=REVIEWER_ID))
        return await chat.shown(REVIEWER_ID, said)

    first = await project("Which project")
    older = telegram.tap_update(first, "Ferry bridge")
    await chat.confirm(first, "Mill bridge")
    await chat.shown(REVIEWER_ID, "belongs to project Mill bridge now")
    await chat.send(dict(older))
    await project("This conversation belongs to project Mill bridge.")


async def until_begun(service: Service, *projects: str) -> None:
    """As soon as there are requests of exactly these projects."""

    async def begun() -> bool:
        found = await service.parts.store.archive.runs(100)
        runs = [Run.model_validate_json(history.body) for _, history in found]
        return {run.project for run in runs} == set(projects)

    await until(begun)
