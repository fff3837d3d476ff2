"""Questions by slash command and shortcut, and messages that were edited, over HTTP."""

import pytest

from engine.events import Accepted, CommandGiven, DirectAnswer, MessageReceived, NotRecorded
from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.slack.checks import message_problems

DIRECT = "slack:T0TRIAL:D0REQUESTER"
AWAY = NotRecorded(text="Not recorded.")


def _told(answer):
    return answer["blocks"][0]["text"]["text"]


async def test_a_slash_command_in_a_channel_is_answered_in_direct_messages(slack, post, intake):
    for text in ("ECOG of P003?", "/pending", "帮我查一下 P003 的 ECOG"):
        sent = slack.slash_command(text, channel="C0TRIAL")
        response = await post(sent)
        answer = await response.json()
        assert (response.status, answer["response_type"]) == (200, "ephemeral")
        assert message_problems(answer) == []
        assert ("direct messages" in _told(answer)) is (text[0] != "帮")
    assert [update.conversation for update in intake.updates] == [DIRECT] * 3
    kinds = [type(update) for update in intake.updates]
    assert kinds == [MessageReceived, CommandGiven, MessageReceived]
    assert slack.calls["conversations.open"] == 1


async def test_a_slash_command_in_direct_messages_is_answered_right_there(slack, post, intake):
    response = await post(slack.slash_command("ECOG of P003 &amp; P004?"))
    assert (response.status, await response.text()) == (200, "")
    (update,) = intake.updates
    assert (update.text, update.conversation) == ("ECOG of P003 & P004?", DIRECT)


async def test_a_question_is_taken_though_slack_does_not_tell_the_direct_messages(
    slack, post, intake
):
    slack.fail_next("conversations.open", Fault.broken())
    assert (await post(slack.slash_command("ECOG?", channel="C0TRIAL"))).status == 200
    assert intake.updates[0].conversation == "slack:T0TRIAL:U0REQUESTER"


async def test_a_shortcut_asks_the_message_in_direct_messages(slack, post, intake):
    response = await post(slack.message_action("ECOG of P003?"))
    assert (response.status, await response.text()) == (200, "")
    (update,) = intake.updates
    assert isinstance(update, MessageReceived)
    assert (update.text, update.conversation) == ("ECOG of P003?", DIRECT)
    assert update.actor.user == "U0REQUESTER"
    assert slack.responses == ["Got it. The answer comes in your direct messages with me."]
    assert slack.ephemerals == []


@pytest.mark.parametrize("outcome", [AWAY, DirectAnswer(text="Not <now>.", ok=False)])
async def test_what_became_of_a_shortcut_is_told_to_who_chose_it(slack, post, intake, outcome):
    intake.outcome = outcome
    assert (await post(slack.message_action("ECOG of P003?"))).status == 200
    assert slack.responses == [outcome.text]


async def test_a_shortcut_on_a_message_without_text_says_so(slack, post, intake):
    assert (await post(slack.message_action(" "))).status == 200
    assert (await post(slack.message_action("x", callback_id="others"))).status == 200
    assert intake.updates == []
    (told,) = slack.responses
    assert "That message has no text" in told


async def test_nothing_is_posted_to_another_host_than_slacks(slack, post, intake):
    intake.outcome = DirectAnswer(text="Not now.", ok=False)
    sent = slack.message_action("ECOG?")
    for url in ("http://127.0.0.1:9/x", "https://hooks.slack.com.example/x", "", "x"):
        assert (await post(sent | {"response_url": url})).status == 200
    assert slack.responses == []


@pytest.mark.parametrize("channel", ["D0REQUESTER", "C0TRIAL"])
async def test_an_edit_is_handed_on_as_what_its_message_would_be_now(slack, post, intake, channel):
    mention = "" if channel[0] == "D" else f"<@{slack.bot_user}> "
    first = slack.message_event(f"{mention}ECOG of P003?", channel=channel, ts="1763700000.000100")
    await post(first)
    edited = await post(slack.edit_event(first, f"{mention}ECOG of P004?"))
    assert (edited.status, await edited.text()) == (200, "")
    message, edit = intake.updates
    assert edit.to == message.model_copy(update={"text": "ECOG of P004?"})
    assert edit.to.message == message.id
    later = slack.edit_event(first, f"{mention}ECOG of P005?")
    intake.outcome = NotRecorded("away")
    assert (await post(later)).status == 503
    assert intake.updates[-1].at > edit.at


async def test_what_is_no_edit_by_a_person_is_passed_over(slack, post, intake):
    first = slack.message_event("see https://example.com", user="U0BOT")
    await post(slack.edit_event(first, "of the bot itself"))
    preview = slack.message_event("see https://example.com")
    await post(slack.edit_event(preview, "see https://example.com"))
    other = slack.message_event("by the way", channel="C0TRIAL")
    await post(slack.edit_event(other, "of nobody's concern"))
    await post(slack.edit_event(preview, ""))
    assert intake.updates == []
    assert slack.ephemerals == []


async def test_a_question_stays_taken_when_its_message_is_deleted(slack, post, intake):
    intake.outcome = Accepted()
    first = slack.message_event("ECOG of P003?")
    await post(first)
    deleted = await post(slack.edit_event(first, ""))
    assert (deleted.status, await deleted.text()) == (200, "")
    assert len(intake.updates) == 1
    assert slack.ephemerals == []
