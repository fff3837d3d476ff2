"""A32: unfurls, prefetches and GETs of any URL that we post change nothing."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp

from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.web_room import WebRoom, text_of
from tests.reviews.test_a28_edited_after_an_approval import audit, stored
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import (
    REVIEWER_ID,
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)
from tests.scenarios.test_web_walk import to_review

ASKING = ("GET", "HEAD", "OPTIONS")
URL = re.compile(r"https?://[^\s<>|\"\\)]+")
DOORS = ("/chat/taps", "/chat/forms", "/chat/messages", "/slack/events", "/telegram/webhook")


async def test_a32_no_url_that_we_post_and_no_door_takes_a_decision_by_being_looked_at(
    start: Start,
    slack: SlackServer,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    people_file: Path,
) -> None:
    service = await start(
        people=with_accounts(people_file, slack.team),
        public_url="https://localhost",
        **slack_settings(slack),
        **telegram_settings(telegram),
    )
    side, chat = SlackSide(service, slack, http), TelegramSide(service, telegram, http)
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        shown = await chat.shown(REVIEWER_ID, "请审核")
        await side.shown("请审核", channel="D0REVIEWER")
        for label in ("驳回", "修改内容"):
            await chat.send(telegram.tap_update(shown, label, name="Bo"))
        await telegram.wait_for(lambda: sum(m.force_reply for m in telegram.chat(REVIEWER_ID)) == 2)
        before = await stored(service, card["token"])
        log = await audit(service, before.run)
        posted = {url for m in room.shown.values() for url in URL.findall(text_of(m))}
        posted |= {url for m in slack.messages.values() for url in URL.findall(m.body)}
        posted |= {link for m in telegram.chat(REVIEWER_ID) for link in m.links}
        assert any("localhost" in url for url in posted)
        assert any("/form?" in url for url in posted), "the prompts' own links"
        # As an unfurler would, were the address ours.
        ours = {url: urlsplit(url)._replace(scheme="", netloc="").geturl() for url in posted}
        keys = set(await service.parts.store.client.keys())
        for method in ASKING:
            for path in ours.values():
                async with http.request(method, service.url + path) as response:
                    assert response.status < 500
            for door in DOORS:
                for button in card["buttons"]:
                    asked = {"button": button["data"], "person": "chen", "room": "main"}
                    asked |= {"id": "web-test-get", "data": button["data"]}
                    async with http.request(
                        method,
                        service.url + door,
                        params=asked,
                        headers=telegram.secret_headers(),
                    ) as response:
                        assert response.status in (404, 405), (method, door)
        assert await stored(service, card["token"]) == before
        assert await audit(service, before.run) == log
        # Some end by themselves meanwhile.
        assert set(await service.parts.store.client.keys()) <= keys
        assert (await room.tap("chen", card, "approve"))[1]["ok"]
