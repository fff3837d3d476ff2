"""Help that is asked in a group comes in the private chat of who asked, and the group hears so."""

import pytest

from engine.events import DirectAnswer

GROUP, ASKER = -100200300, 1002
HELP = DirectAnswer(text="Try:\n- this", ok=True, aside=True)


@pytest.mark.parametrize(
    ("lang", "told", "closed"),
    [
        (
            "en",
            "I have answered you in our private chat.",
            "Please open a private chat with me, send /start there, and ask again.",
        ),
        ("zh-hans", "已在私聊中回答您。", "请先打开与我的私聊并发送 /start，再问一次。"),
    ],
)
async def test_help_in_a_group_comes_in_the_private_chat(
    server, intake, deliver, lang, told, closed
):
    def asked():
        update = server.command_update("/help", chat_id=GROUP, user_id=ASKER)
        update["message"]["from"]["language_code"] = lang
        return update

    intake.outcomes.append(HELP)
    assert await deliver(asked()) == 200
    assert intake.last.aside
    assert [message.text for message in server.chat(ASKER)] == [HELP.text]
    assert [message.text for message in server.chat(GROUP)] == [told]
    # Who never opened that chat, or blocked the bot.
    server.blocked_chats.add(ASKER)
    intake.outcomes.append(HELP)
    assert await deliver(asked()) == 200
    assert [message.text for message in server.chat(GROUP)] == [told, closed]
    assert len(server.chat(ASKER)) == 1


async def test_help_in_a_private_chat_is_answered_as_everything_is(server, intake, deliver):
    assert await deliver(server.command_update("/help", chat_id=ASKER)) == 200
    assert not intake.last.aside
    assert server.chat(ASKER) == []
