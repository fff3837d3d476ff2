"""Help that is asked by the slash command is for who asked, where they asked."""

import pytest

from engine.events import Accepted, CommandGiven, DirectAnswer, MessageReceived
from tests.fakes.platforms.slack.checks import message_problems


@pytest.mark.parametrize("text", ["help", "/help", "", "帮助"])
@pytest.mark.parametrize("channel", ["C0TRIAL", "D0REQUESTER"])
async def test_help_is_answered_to_its_asker_where_it_was_typed(slack, post, intake, text, channel):
    intake.outcome = DirectAnswer(text="Try:\n- this\n- that", ok=True, aside=True)
    asked = slack.slash_command(text, channel=channel)
    answer = await (await post(asked)).json()
    assert answer["response_type"] == "ephemeral"
    assert answer["blocks"][0]["text"]["text"] == "Try:\n- this\n- that"
    assert message_problems(answer) == []
    assert (slack.messages, slack.ephemerals, slack.responses) == ({}, [], [])
    assert intake.updates[-1].aside


async def test_what_is_written_in_a_channel_is_answered_there(slack, post, intake):
    intake.outcome = Accepted()
    await post(slack.mention_event("/help"))
    await post(slack.mention_event("help"))
    command, message = intake.updates
    assert isinstance(command, CommandGiven)
    assert isinstance(message, MessageReceived)
    assert not command.aside
    assert not message.aside
