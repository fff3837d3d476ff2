"""What somebody who lives in Slack does: slash command, shortcut, Home tab, edits, over sockets."""

from pathlib import Path

import aiohttp

from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.study import visits_in
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import (
    ASK_EN,
    GOOD,
    SlackSide,
    slack_settings,
    with_accounts,
)


async def test_a_reviewer_approves_from_the_home_tab(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_accounts(people_file, slack.team)
    service = await start(people=people, webchat=False, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    await side.send(slack.home_event("U0REVIEWER"))
    assert "没有等您处理的事项" in slack.home_body("U0REVIEWER")
    await side.send(slack.slash_command(ASK_EN, channel="C0TRIAL"))
    reply = await side.shown("Record a visit", channel="D0REQUESTER")
    await side.tap(reply, "Fill in…", user="U0REQUESTER")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    await side.send(slack.view_submission(opened, GOOD))

    # The tab that stands open shows the card by itself.
    await slack.wait_for(lambda: "61.5 kg" in slack.home_body("U0REVIEWER"))
    await side.send(slack.home_event("U0REQUESTER"))
    assert "61.5 kg" not in slack.home_body("U0REQUESTER")
    await slack.wait_for(lambda: "Record a visit" in slack.home_body("U0REQUESTER"))
    await side.send(slack.home_event("U0BYSTANDER"))
    assert "61.5 kg" not in slack.home_body("U0BYSTANDER")

    tap, again = (slack.home_action("U0REVIEWER", "Approve") for _ in range(2))
    await side.send(tap)
    assert "陈博" in str(slack.views[-1].view)
    await side.shown("Visit recorded", channel="D0REQUESTER")
    await slack.wait_for(lambda: "61.5 kg" not in slack.home_body("U0REVIEWER"))
    await side.send(again)
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert [visit.weight_kg for visit in visits].count(61.5) == 1


async def test_questions_come_by_socket_and_are_answered_where_only_the_asker_reads(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_accounts(people_file, slack.team)
    token = {"slack_app_token": slack.app_token}
    service = await start(people=people, webchat=False, **slack_settings(slack), **token)
    side = SlackSide(service, slack, http)
    await slack.wait_for(lambda: len(slack.sockets) == 2)

    asked = slack.message_action("Show me the ECOG of P003", channel="C0SECRET")
    envelope = await slack.envelope(asked, "interactive")
    await slack.wait_for(lambda: envelope in slack.acks)
    answer = await side.shown("ECOG", channel="D0REQUESTER")
    assert slack.responses == ["Got it. The answer comes in your direct messages with me."]

    first = slack.message_event("Show me the ECOG of P001", ts="1763700000.000100")
    await slack.envelope(first, "events_api")
    await side.shown("P001", channel="D0REQUESTER")
    edited = await slack.envelope(slack.edit_event(first, "Show me P002"), "events_api")
    deleted = await slack.envelope(slack.edit_event(first, ""), "events_api")
    await slack.wait_for(lambda: {edited, deleted} <= set(slack.acks))
    await side.shown("send it as a new message", channel="D0REQUESTER")
    assert slack.ephemerals == []

    # Help is for who asked, where they asked: the others in the channel see nothing of it.
    typed = slack.slash_command("help", channel="C0SECRET")
    helped = await slack.envelope(typed, "slash_commands")
    await slack.wait_for(lambda: helped in slack.acks)
    shown = slack.acks[helped]
    assert shown is not None
    assert shown["response_type"] == "ephemeral"
    assert "/pending" in str(shown["blocks"])
    assert "ECOG" in str(shown["blocks"])
    assert {message.channel for message in slack.messages.values()} == {answer.channel}
