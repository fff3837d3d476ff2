"""Two people work on one case at once, one in Slack and one in Telegram."""

from pathlib import Path

import aiohttp

from tests.fakes.feast import BY_FEAST
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.scenarios.conftest import Start
from tests.scenarios.test_cases import FEAST_CASE, serve, values
from tests.scenarios.test_platform_walk import (
    REQUESTER_ID,
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
)

ACCOUNTS = {"ida": "slack: ['TEAM:U0REQUESTER']", "otto": f"telegram: ['{REQUESTER_ID}']"}


async def test_who_comes_second_decides_what_stands(
    start: Start,
    slack: SlackServer,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    tmp_path: Path,
) -> None:
    service = await serve(
        start,
        tmp_path / "kitchen",
        BY_FEAST,
        accounts={n: a.replace("TEAM", slack.team) for n, a in ACCOUNTS.items()},
        partitions=64,
        **slack_settings(slack),
        **telegram_settings(telegram),
    )
    side, chat = SlackSide(service, slack, http), TelegramSide(service, telegram, http)
    await side.send(slack.message_event("count the guests", ts="1763700000.000100"))
    await chat.send(telegram.message_update("count the guests"))
    form = await side.shown("The guests?", channel="D0REQUESTER")
    await chat.shown(REQUESTER_ID, "The guests?")
    await side.tap(form, "Fill in…", user="U0REQUESTER")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    seats = {"feast": "F-7", "guests": "80", "hall": "Blue"}
    await side.send(slack.view_submission(opened, seats))
    await side.shown("done", channel="D0REQUESTER")
    for answer in ("hall Blue", "guests 90", "F-7"):
        await chat.send(telegram.message_update(answer))
    card = await chat.shown(REQUESTER_ID, "was changed meanwhile")
    assert "80" in card.text
    assert "90" in card.text
    await chat.send(telegram.tap_update(card, "Keep Ida's"))
    await telegram.wait_for(lambda: not card.keyboard)
    await chat.shown(REQUESTER_ID, "done")
    assert (await values(service, FEAST_CASE))["guests"] == 80


async def test_the_home_tab_has_a_case_with_its_requests_for_who_asked_and_nobody_else(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    accounts = {"ida": f"slack: ['{slack.team}:U0REQUESTER']"}
    folder = tmp_path / "kitchen"
    service = await serve(start, folder, BY_FEAST, accounts=accounts, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    await side.send(slack.message_event("count the guests", ts="1763700000.000100"))
    form = await side.shown("The guests?", channel="D0REQUESTER")
    await side.tap(form, "Fill in…", user="U0REQUESTER")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    seats = {"feast": "F-7", "guests": "80", "hall": "Blue"}
    await side.send(slack.view_submission(opened, seats))
    await side.shown("done", channel="D0REQUESTER")
    await side.send(slack.message_event("choose the menu for F-7", ts="1763700000.000200"))
    await side.shown("The menu?", channel="D0REQUESTER")
    await side.send(slack.home_event("U0REQUESTER"))
    shown = slack.home_body("U0REQUESTER")
    assert "Feast F-7" in shown
    assert "Settled: " in shown
    assert "Not settled yet: " in shown
    case, menu, guests = (shown.index(t) for t in ("Feast F-7", "Choose the menu", "Count the g"))
    assert case < menu < guests
    await side.send(slack.home_event("U0BYSTANDER"))
    assert "F-7" not in slack.home_body("U0BYSTANDER")


async def test_mine_in_telegram_has_the_case_above_its_requests(
    start: Start, telegram: TelegramServer, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    accounts = {"otto": f"telegram: ['{REQUESTER_ID}']"}
    folder = tmp_path / "kitchen"
    more = telegram_settings(telegram)
    service = await serve(start, folder, BY_FEAST, accounts=accounts, **more)
    chat = TelegramSide(service, telegram, http)
    await chat.send(telegram.message_update("count the guests"))
    await chat.shown(REQUESTER_ID, "The guests?")
    for answer in ("hall Blue", "guests 90", "F-7"):
        await chat.send(telegram.message_update(answer))
    await chat.shown(REQUESTER_ID, "done")
    await chat.send(telegram.message_update("/mine"))
    shown = await chat.shown(REQUESTER_ID, "Settled: ")
    assert shown.text.index("Feast F-7") < shown.text.index("Count the guests")
    assert "done" in shown.text


async def test_the_button_below_a_short_answer_tells_all_in_slack(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    accounts = {"ida": f"slack: ['{slack.team}:U0REQUESTER']"}
    service = await serve(
        start, tmp_path / "kitchen", BY_FEAST, accounts=accounts, **slack_settings(slack)
    )
    side = SlackSide(service, slack, http)
    await side.send(slack.message_event("count the guests", ts="1763700000.000100"))
    form = await side.shown("The guests?", channel="D0REQUESTER")
    await side.tap(form, "Fill in…", user="U0REQUESTER")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    seats = {"feast": "F-7", "guests": "80", "hall": "Blue"}
    await side.send(slack.view_submission(opened, seats))
    await side.shown("done", channel="D0REQUESTER")
    await side.send(slack.message_event("who plays the music for us?", ts="1763700000.000300"))
    short = await side.shown("I am not sure what you mean", channel="D0REQUESTER")
    await side.tap(short, "All of it", user="U0REQUESTER")
    assert "80" in (await side.shown("Known of", channel="D0REQUESTER")).body


async def test_the_button_below_a_short_answer_tells_all_in_telegram(
    start: Start, telegram: TelegramServer, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    accounts = {"otto": f"telegram: ['{REQUESTER_ID}']"}
    more = telegram_settings(telegram)
    service = await serve(start, tmp_path / "kitchen", BY_FEAST, accounts=accounts, **more)
    chat = TelegramSide(service, telegram, http)
    await chat.send(telegram.message_update("count the guests"))
    await chat.shown(REQUESTER_ID, "The guests?")
    for answer in ("hall Blue", "guests 90", "F-7"):
        await chat.send(telegram.message_update(answer))
    await chat.shown(REQUESTER_ID, "done")
    await chat.send(telegram.message_update("who plays the music for us?"))
    short = await chat.shown(REQUESTER_ID, "I am not sure what you mean")
    await chat.send(telegram.tap_update(short, "All of it"))
    assert "90" in (await chat.shown(REQUESTER_ID, "Known of")).text
