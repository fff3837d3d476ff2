"""Where one person reads alone it is in their words and zone, elsewhere in those of the request."""

from pathlib import Path
from typing import Any

import aiohttp

from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.third_language import spoken
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import (
    ASK_ZH,
    GOOD,
    SlackSide,
    slack_settings,
    with_accounts,
)


def labels(blocks: list[dict[str, Any]]) -> list[str]:
    """What the buttons in blocks are called."""
    actions = [block for block in blocks if block["type"] == "actions"]
    return [e["text"]["text"] for block in actions for e in block["elements"]]


async def test_a_reviewer_reads_their_own_language_where_nobody_else_does(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_accounts(people_file, slack.team)
    text = people.read_text()
    chen = "    roles: [reviewer]\n    label: {zh: 审核人, en: reviewer}\n"
    more = "    language: en\n    zone: America/New_York\n"
    people.write_text(text.replace(chen, chen + more, 1))
    service = await start(people=people, webchat=False, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    await side.send(slack.mention_event(ASK_ZH, ts="1763700000.000100"))
    reply = await side.shown("录入访视")
    await side.tap(reply, "填写…", user="U0REQUESTER")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    await side.send(slack.view_submission(opened, GOOD))

    # In the channel it reads as it was asked for; at home the words around it are the reviewer's.
    public = await side.shown("请审核", channel="C0TRIAL")
    direct = await side.shown("请审核", channel="D0REVIEWER")
    assert labels(public.blocks)[:2] == ["批准", "驳回"]
    assert labels(direct.blocks)[:2] == ["Approve", "Reject"]
    assert "data reviewer" in direct.body
    assert "From Slack" in direct.body
    assert "数据审核员" in public.body

    # The form that opens for them alone, and what is wrong with it, too.
    await side.tap(public, "驳回", user="U0REVIEWER")
    form = slack.views[-1]
    assert form.view["submit"]["text"] == "Reject"
    assert form.view["blocks"][-1]["label"]["text"] == "Reason for rejecting"
    refused = await side.send(slack.view_submission(form, {}))
    assert refused["errors"] == {"reason": "Please fill this in"}

    # So is what waits for them: on the Home tab, and below /pending in their direct messages.
    await side.send(slack.home_event("U0REVIEWER"))
    assert labels(slack.homes["U0REVIEWER"]["blocks"])[:2] == ["Approve", "Reject"]
    await side.send(slack.message_event("/pending", user="U0REVIEWER", channel="D0REVIEWER"))
    await side.shown("Waiting for you", channel="D0REVIEWER")
    direct_messages = [m for m in slack.messages.values() if m.channel == "D0REVIEWER"]
    again = await slack.wait_for(
        lambda: next(
            (
                m
                for m in slack.messages.values()
                if m.channel == "D0REVIEWER" and m not in direct_messages[:-1] and m.buttons
            ),
            None,
        )
    )
    assert again is not None
    assert labels(again.blocks)[:2] == ["Approve", "Reject"]

    # What is said to them alone about a command or an edit is theirs as well.
    asked = slack.slash_command("P003 的 ECOG", user="U0REVIEWER", channel="C0TRIAL")
    assert "Got it" in str(await side.send(asked))
    wrote = slack.message_event("你好", user="U0REVIEWER", channel="D0REVIEWER")
    await side.send(slack.edit_event(wrote, "你们好"))
    await side.shown("send it as a new message", channel="D0REVIEWER")

    await side.tap(again, "Approve", user="U0REVIEWER")
    await slack.wait_for(lambda: not public.buttons and not direct.buttons)
    (here,) = [line for line in public.body.splitlines() if "陈博" in line and "批准" in line]
    (home,) = [line for line in direct.body.splitlines() if ": Approve (" in line]
    assert here.rpartition("（")[2] != home.rpartition("(")[2]


def speaks_french(people: Path) -> None:
    """Lin wants to read French."""
    lin = "    web: lin\n"
    people.write_text(people.read_text().replace(lin, f"{lin}    language: fr\n", 1))


async def test_who_wants_a_third_language_is_told_in_it_and_else_in_english(
    start: Start, people_file: Path, tmp_path: Path
) -> None:
    with spoken(tmp_path):
        speaks_french(people_file)
        service = await start(people=people_file)
        async with WebRoom(service.url, "salle") as room:
            await room.say("lin", "/pending")
            await room.wait_for(lambda m: "Rien ne vous attend." in text_of(m))
            await room.say("lin", "/runs")
            await room.wait_for(lambda m: "Nothing is under way" in text_of(m))
            # Kept with the run and its card, and read again for the answer.
            await room.say("lin", "录入 P003 今天的访视")
            card = await room.card("clarify")
            assert card["buttons"][0]["label"] == "Envoyer"
            assert (await room.fill("lin", card, "submit", **GOOD))[0] == 200
            review = await room.card("confirm")
            assert "Approve" in [button["label"] for button in review["buttons"]]
