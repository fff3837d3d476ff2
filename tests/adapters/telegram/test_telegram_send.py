import pytest

from cards.showing.view import ButtonView, CardView, MessageView, PartView
from engine.errors import Forbidden, Gone, PlatformError, RateLimited, Unavailable
from tests.fakes.platforms.faults import Fault

CHAT = "telegram:7000000001:1001"
TOPIC = "telegram:7000000001:-100200300:77"
APPROVE = ButtonView(data="s1:1f-AbCdEf123456:approve:1", label="Approve", style="primary")


def text(words: str, *buttons: ButtonView) -> MessageView:
    card = CardView(token="1f-AbCdEf123456", kind="confirm", title="Record?", buttons=buttons)
    part = PartView(number=0, state="answered", text=words)
    return MessageView(lang="en", parts=(part,), card=card if buttons else None)


LONG = "word " * 1000


async def test_a_view_is_shown_as_html_with_its_keyboard(server, platform):
    message_id = await platform.send(CHAT, text("**hi** @all", APPROVE), key="k1")
    (sent,) = server.chat(1001)
    assert str(sent.message_id) == message_id
    assert sent.text == "hi @\u2060all\n\nRecord?"
    assert sent.data("Approve") == APPROVE.data
    assert server.calls[-1][1]["link_preview_options"] == '{"is_disabled": true}'
    assert server.faults == []


async def test_a_topic_gets_its_own_answers(server, platform):
    await platform.send(TOPIC, text("hi"), key="k1")
    (sent,) = server.chat(-100200300)
    assert sent.topic == 77


async def test_an_edit_without_buttons_takes_the_keyboard_away(server, platform):
    message_id = await platform.send(CHAT, text("hi", APPROVE), key="k1")
    await platform.edit(CHAT, message_id, text("done"))
    (sent,) = server.chat(1001)
    assert (sent.text, sent.keyboard) == ("done", [])


async def test_the_same_edit_again_is_success(server, platform):
    message_id = await platform.send(CHAT, text("hi", APPROVE), key="k1")
    await platform.edit(CHAT, message_id, text("hi", APPROVE))
    assert server.chat(1001)[0].edits == 0
    assert server.faults == []


async def test_a_long_view_is_several_messages_with_the_keyboard_under_the_last(server, platform):
    message_id = await platform.send(CHAT, text(LONG, APPROVE), key="k1")
    first, last = server.chat(1001)
    assert message_id == f"{first.message_id},{last.message_id}"
    assert (first.labels, last.labels) == ([], ["Approve"])


async def test_an_edit_that_needs_fewer_messages_removes_the_rest(server, platform):
    message_id = await platform.send(CHAT, text(LONG, APPROVE), key="k1")
    await platform.edit(CHAT, message_id, text("short", APPROVE))
    (only,) = server.chat(1001)
    assert (only.text, only.labels) == ("short\n\nRecord?", ["Approve"])
    await platform.edit(CHAT, message_id, text("short", APPROVE))
    assert server.faults == []


async def test_a_send_that_broke_off_goes_on_where_it_stopped(server, platform):
    server.fail_next("sendMessage", Fault.rate_limited(3), after=1)
    with pytest.raises(RateLimited):
        await platform.send(CHAT, text(LONG, APPROVE), key="k2")
    (begun,) = server.chat(1001)
    message_id = await platform.send(CHAT, text(LONG, APPROVE), key="k2")
    first, last = server.chat(1001)
    assert first is begun
    assert message_id == f"{first.message_id},{last.message_id}"
    assert (first.labels, last.labels) == ([], ["Approve"])


async def test_being_too_fast_says_how_long_to_wait(server, platform):
    server.fail_next("sendMessage", Fault.rate_limited(7))
    with pytest.raises(RateLimited) as caught:
        await platform.send(CHAT, text("hi"), key="k1")
    assert caught.value.retry_after_s == 7
    assert caught.value.retryable


@pytest.mark.parametrize("kind", ["broken", "dropped"])
async def test_a_server_that_fails_is_unavailable(server, platform, kind):
    server.fail_next("sendMessage", Fault(kind))
    with pytest.raises(Unavailable):
        await platform.send(CHAT, text("hi"), key="k1")
    assert len(server.chat(1001)) == (1 if kind == "dropped" else 0)


async def test_no_server_at_all_is_unavailable(server, platform):
    await server.__aexit__()
    with pytest.raises(Unavailable):
        await platform.send(CHAT, text("hi"), key="k1")
    await platform.typing(CHAT)


async def test_a_chat_that_is_not_there_is_gone(server, platform):
    server.gone_chats.add(1001)
    with pytest.raises(Gone):
        await platform.send(CHAT, text("hi"), key="k1")


async def test_a_message_that_was_deleted_is_gone(server, platform):
    message_id = await platform.send(CHAT, text("hi"), key="k1")
    server.chat(1001)[0].deleted = True
    with pytest.raises(Gone):
        await platform.edit(CHAT, message_id, text("there"))


async def test_a_person_who_blocked_the_bot_is_forbidden(server, platform):
    server.blocked_chats.add(1001)
    with pytest.raises(Forbidden):
        await platform.send(CHAT, text("hi"), key="k1")


async def test_a_button_that_telegram_refuses_is_an_error_that_is_not_retried(server, platform):
    wide = ButtonView(data="x" * 65, label="Wide")
    with pytest.raises(PlatformError) as caught:
        await platform.send(CHAT, text("hi", wide), key="k1")
    assert type(caught.value) is PlatformError
    assert not caught.value.retryable
    assert server.faults == ["sendMessage: Bad Request: BUTTON_DATA_INVALID"]


async def test_a_conversation_of_another_bot_is_gone(platform):
    with pytest.raises(Gone):
        await platform.send("telegram:9:1001", text("hi"), key="k1")


async def test_typing_is_shown_and_never_raises(server, platform):
    await platform.typing(TOPIC)
    assert server.actions == [(-100200300, "typing")]
    server.blocked_chats.add(1001)
    await platform.typing(CHAT)
    await platform.typing("webchat:x")
    assert server.count("sendChatAction") == 2


@pytest.mark.parametrize(
    ("chat", "message_id", "link"),
    [
        ("-1001234567890", "41,42", "https://t.me/c/1234567890/41"),
        ("-1001234567890:7", "41", "https://t.me/c/1234567890/7/41"),
        ("-1001234567890:7", "", "https://t.me/c/1234567890/7"),
        ("-1001234567890", "", ""),
        # A private chat, a basic group, the smallest id of a supergroup and one above it.
        ("1001", "41", ""),
        ("-100200300", "41", ""),
        ("-1000000000001", "41", "https://t.me/c/1/41"),
        ("-1000000000000", "41", ""),
    ],
)
async def test_only_messages_and_topics_of_supergroups_have_links(platform, chat, message_id, link):
    bot = TOPIC.split(":")[1]
    assert await platform.link(f"telegram:{bot}:{chat}", message_id) == link


async def test_a_conversation_of_another_bot_has_no_link(platform):
    assert await platform.link("telegram:9:-1001234567890", "41") == ""


UNREADABLE = [
    "no JSON",
    "[]",
    "null",
    "7",
    "{}",
    '{"ok": true}',
    '{"ok": true, "result": []}',
    '{"ok": true, "result": true}',
    '{"ok": true, "result": {}}',
    '{"ok": true, "result": {"message_id": 5}}',
    '{"ok": true, "result": {"message_id": 5, "date": "soon", "chat": {"id": 1}}}',
    '{"ok": true, "result": {"message_id": 5, "date": 1, "chat": "here"}}',
]


@pytest.mark.parametrize("body", UNREADABLE)
async def test_an_answer_that_cannot_be_read_is_one_that_got_lost(server, platform, body):
    server.fail_next("sendMessage", Fault.garbled(body))
    with pytest.raises(Unavailable) as caught:
        await platform.send(CHAT, text("hi"), key="k1")
    assert caught.value.retryable
    assert await platform.send(CHAT, text("hi"), key="k1")


@pytest.mark.parametrize("status", [400, 403, 500])
@pytest.mark.parametrize(
    "body", ["[]", "7", '{"description": 5}', '{"ok": false, "parameters": [1]}', "no JSON"]
)
async def test_so_is_a_refusal_that_cannot_be_read_a_platforms_error(
    server, platform, status, body
):
    server.fail_next("sendMessage", Fault.garbled(body, status))
    with pytest.raises(PlatformError):
        await platform.send(CHAT, text("hi"), key="k1")


@pytest.mark.parametrize("method", ["getMe", "getWebhookInfo"])
async def test_nor_does_it_end_a_probe_in_a_fault_of_ours(server, platform, method):
    server.fail_next(method, Fault.garbled('{"ok": true, "result": 7}'))
    with pytest.raises(Unavailable):
        await platform.probe()
