"""One person on two platforms has one list of their own runs, and cancels each from either."""

from tests.reviews.walks import Meet, asked_in_slack
from tests.scenarios.test_platform_walk import ASK_EN, REQUESTER_ID, REVIEWER_ID, SlackSide


async def test_what_was_asked_in_slack_is_listed_and_cancelled_on_telegram(meet: Meet) -> None:
    service, side, chat = await meet()
    slack, telegram = side.server, chat.server
    thread = await asked_in_slack(side)
    await chat.send(telegram.command_update("/mine", chat_id=REQUESTER_ID, name="Lin"))
    listed = await chat.shown(REQUESTER_ID, "Under way")
    assert "P003" in listed.text
    assert "waiting for" in listed.text
    (label,) = listed.labels
    assert label.startswith("Cancel ")
    # Whoever is concerned sees none of it as their own.
    await chat.send(telegram.command_update("/mine", chat_id=REVIEWER_ID, name="Bo"))
    await chat.shown(REVIEWER_ID, "asked for nothing")
    await chat.send(telegram.tap_update(listed, label, name="Lin"))
    asked = await chat.shown(REQUESTER_ID, "cannot be taken back")
    # The list keeps its buttons for the others: it is asked in a message of its own.
    assert (listed.labels, len(asked.labels)) == ([label], 2)
    await chat.send(telegram.tap_update(asked, asked.labels[1], name="Lin"))
    assert asked.labels == []
    assert len(await service.parts.services.decisions.active_runs(await place(side))) == 1
    await chat.send(telegram.tap_update(listed, label, name="Lin"))
    again = await chat.shown(REQUESTER_ID, "cannot be taken back")
    await chat.send(telegram.tap_update(again, again.labels[0], name="Lin"))
    assert "Cancelled" in telegram.callback_answers[-1].text
    assert again.labels == []
    await slack.wait_for(lambda: not thread.buttons)
    await side.shown("nothing was written", channel="C0TRIAL")
    await side.send(slack.message_event("/mine", user="U0REQUESTER", channel="D0REQUESTER"))
    told = await side.shown("Ended in the last 90 days", channel="D0REQUESTER")
    assert "cancelled by" in told.body
    assert "https://" in told.body


async def test_how_a_message_was_read_is_told_to_who_wrote_it_on_each_platform(meet: Meet) -> None:
    _, side, chat = await meet()
    slack, telegram = side.server, chat.server
    thread = await asked_in_slack(side)
    for user, told in (("U0REQUESTER", "Record a visit"), ("U0REVIEWER", "no message of yours")):
        await side.send(slack.mention_event("/why", user=user, thread_ts=thread.thread_ts))
        shown = await side.shown(told, channel="C0TRIAL")
        assert shown.thread_ts == thread.thread_ts
    group = -1001234567890
    for user, text in ((REQUESTER_ID, ASK_EN), (REVIEWER_ID, "@signoff_bot order me a pizza")):
        answered = len(telegram.chat(group))
        said = telegram.message_update(f"@signoff_bot {text}", chat_id=group, user_id=user)
        await chat.send(said)
        # A command waits for no message.
        await telegram.wait_for(lambda n=answered: len(telegram.chat(group)) > n)
    for user, told in ((REQUESTER_ID, "the request"), (REVIEWER_ID, "not near enough")):
        update = telegram.command_update("/why@signoff_bot", chat_id=group, user_id=user)
        await chat.send(update)
        await chat.shown(group, told)


async def place(side: SlackSide) -> str:
    """The conversation of the thread in which it was asked."""
    shown = await side.shown("Please review", channel="C0TRIAL")
    return f"slack:{side.server.team}:C0TRIAL:{shown.thread_ts}"


async def test_in_a_channel_only_what_was_asked_there_is_said_and_the_rest_in_private(
    meet: Meet,
) -> None:
    _, side, chat = await meet()
    slack, telegram = side.server, chat.server
    thread = await asked_in_slack(side)
    group = -1001234567890
    update = telegram.command_update(
        "/mine@signoff_bot", chat_id=group, user_id=REQUESTER_ID, name="Lin"
    )
    await chat.send(update)
    await chat.shown(group, "1 from elsewhere")
    listed = await chat.shown(REQUESTER_ID, "Under way")
    assert listed.labels
    assert not any("P003" in m.text or m.keyboard for m in telegram.chat(group))
    # In the thread of the request everybody reads it anyway; a tap there is the requester's alone.
    mention = slack.mention_event("/runs", user="U0REQUESTER", thread_ts=thread.thread_ts)
    await side.send(mention)
    own = await side.shown("Under way", channel="C0TRIAL")
    (label,) = [b["text"]["text"] for b in own.buttons]
    await side.tap(own, label, user="U0REVIEWER")
    await slack.wait_for(lambda: any("no such run" in str(e) for e in slack.ephemerals))
    await side.tap(own, label, user="U0REQUESTER")
    await side.shown("nothing was written", channel="C0TRIAL")
