"""A31: tampered or foreign callback data, forged or old requests: 401 or unknown, and no leak."""

import json
from pathlib import Path
from typing import Any

import aiohttp

from cards.texts import say
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.web_room import WebRoom, new_id
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

UNKNOWN = say("card.unknown", "zh") + " " + say("card.unknown", "en")
OLD_S = 6 * 60


def tampered(data: str) -> list[str]:
    """Buttons that we never made, beside one that we did."""
    _, token, _, revision = data.split(":")
    flipped = token[:-1] + ("A" if token[-1] != "A" else "B")
    other_partition = f"{(int(token.split('-')[0], 16) + 1) % 64:x}-{token.split('-')[1]}"
    return [
        f"s1:{flipped}:approve:{revision}",
        f"s1:{other_partition}:approve:{revision}",
        f"s1:{token}:approve:{revision}:x",
        f"s2:{token}:approve:{revision}",
        f"s1:{token[:4]}:approve:{revision}",
        "s1:*:approve:1",
        "approve",
        "x" * 64,
    ]


async def test_a31_on_the_web_every_button_that_is_not_ours_is_unknown_alike(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        before = await stored(service, card["token"])
        good = card["buttons"][0]["data"]
        for data in tampered(good):
            for what, more in (("taps", {}), ("forms", {"values": {"weight_kg": "72"}})):
                status, answer = await room.post(what, "chen", button=data, id=new_id(), **more)
                unknown = {"ok": False, "text": UNKNOWN, "code": "not_found"}
                assert (status, answer) == (200, unknown), data
        # One of our cards, with a choice or content that it never had.
        for choice, revision, why, code in (
            ("submit", "1", "refused.unknown_choice", "not_found"),
            ("approve", "9", "refused.stale", "changed"),
        ):
            data = ":".join(("s1", card["token"], choice, revision))
            _, answer = await room.post("taps", "chen", button=data, id=new_id())
            assert answer == {"ok": False, "text": say(why, "zh"), "code": code}
        assert await stored(service, card["token"]) == before
        assert (await room.tap("chen", card, "approve"))[1]["ok"]
        await room.card("phase_done")


async def test_a31_on_slack_forged_old_and_foreign_taps_change_and_tell_nothing(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_accounts(people_file, slack.team)
    service = await start(people=people, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    url = f"{service.url}/slack/events"

    async def sent(body: bytes, headers: dict[str, str]) -> tuple[int, str]:
        async with http.post(url, data=body, headers=headers) as response:
            return response.status, await response.text()

    async with WebRoom(service.url) as room:
        card = await to_review(room)
        before = await stored(service, card["token"])
        log = await audit(service, before.run)
        shown = await side.shown("请审核", channel="D0REVIEWER")
        tap = slack.action(shown, "批准", user="U0REVIEWER")
        body, headers = slack.signed_request(tap)
        old = slack.signed_headers(
            body, content_type=headers["Content-Type"], at=slack.now() - OLD_S
        )
        forged = {**headers, "X-Slack-Signature": "v0=" + "0" * 64}
        for refused in (
            await sent(body, old),
            await sent(body, forged),
            await sent(body, {"Content-Type": headers["Content-Type"]}),
            await sent(body.replace(b"approve", b"rejects"), headers),
        ):
            assert refused[0] == 401
            assert leaks(refused[1], before.token) == []
        for data in tampered(tap["actions"][0]["value"]):
            other: dict[str, Any] = json.loads(json.dumps(tap))
            other["actions"][0] |= {"value": data, "action_ts": slack.new_ts()}
            await side.send(other)
            assert slack.ephemerals[-1].text == UNKNOWN
        # Somebody of another workspace knows the card: a stranger's answer, as if it were none.
        foreign = json.loads(json.dumps(tap).replace(slack.team, "T0OTHER"))
        await side.send(foreign)
        told = slack.ephemerals[-1].text
        assert "slack:T0OTHER:U0REVIEWER" in told
        assert leaks(told, before.token) == []
        foreign["actions"][0]["value"] = foreign["actions"][0]["value"].replace("approve", "reject")
        foreign["actions"][0]["action_ts"] = slack.new_ts()
        await side.send(foreign)
        assert slack.ephemerals[-1].text == told
        assert await stored(service, card["token"]) == before
        assert await audit(service, before.run) == log
        await side.send(tap)
        assert await stored(service, card["token"]) != before
        # What was decided, and by whom, is not told to them either, at any place of the card.
        foreign["actions"][0]["action_ts"] = slack.new_ts()
        foreign["message"]["ts"] = slack.new_ts()
        await side.send(foreign)
        assert slack.ephemerals[-1].text == told


def leaks(text: str, token: str) -> list[str]:
    secrets = (token, "P003", "61.5", "陈博", "Chen", "林悦", "reviewer", "Traceback", "adapters/")
    return [secret for secret in secrets if secret in text]


async def test_a31_on_telegram_foreign_data_is_unknown_and_a_wrong_secret_is_401(
    start: Start, telegram: TelegramServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_accounts(people_file, "T0")
    service = await start(people=people, **telegram_settings(telegram))
    chat = TelegramSide(service, telegram, http)
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        before = await stored(service, card["token"])
        shown = await chat.shown(REVIEWER_ID, "请审核")
        good = shown.data("批准")
        tap = telegram.tap_update(shown, "批准", name="Bo")
        sure = f"y1:{good.removeprefix('s1:')}:"
        for headers in ({}, {"X-Telegram-Bot-Api-Secret-Token": "no"}):
            url = f"{service.url}/telegram/webhook"
            async with http.post(url, json=tap, headers=headers) as response:
                assert response.status == 401
                assert leaks(await response.text(), before.token) == []
        for data in (*tampered(good), f"{sure}x", sure[:-1], f"{sure}{'A' * 12}"):
            other = telegram.tap_update(shown, "批准", name="Bo")
            other["callback_query"]["data"] = data
            await chat.send(other)
            answer = telegram.callback_answers[-1]
            assert (answer.text, answer.show_alert) == (UNKNOWN, True)
        # A prompt's link that somebody else made is looked at in the bot's own messages only.
        forged = telegram.message_update("72", chat_id=REVIEWER_ID, name="Bo", reply_to=shown)
        link = f"https://signoff.invalid/form?d={good.replace('approve', 'edit')}&f=weight_kg"
        mark = {"type": "text_link", "offset": 0, "length": 1, "url": link}
        forged["message"]["reply_to_message"] |= {
            "entities": [mark],
            "from": telegram.person(7, "X"),
        }
        await chat.send(forged)
        assert await stored(service, card["token"]) == before
        await chat.send(tap)
        await chat.send(telegram.tap_update(shown, shown.labels[0], name="Bo"))
        await room.card("phase_done")
