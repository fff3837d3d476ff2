"""What Telegram does with what it is sent, fact by fact (tests/fakes/platforms/facts.yaml)."""

import re

import pytest

from cards.showing.view import BarView, ButtonView, ChartView, MessageView
from engine.errors import Forbidden, Gone, PlatformError, RateLimited, TooLarge, Unavailable
from engine.events import SharedFile
from tests.fakes.bot_api import call
from tests.fakes.pacing import keeps_to_its_pace
from tests.fakes.platforms import Fault, Hosted
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.views import APPROVE, view

CHAT = "telegram:7000000001:1001"
GROUP = "telegram:7000000001:-100200300"
fact = pytest.mark.fact


@fact("telegram/text", "telegram/html")
@pytest.mark.parametrize(
    "text",
    ["word " * 3_000, "字" * 9_000, "😀" * 5_000, "<b>&amp; *_~`> " * 900, "**bold** " * 900],
)
async def test_however_much_there_is_to_say_telegram_takes_it(server, platform, text):
    await platform.send(CHAT, view(text, APPROVE), key="k")
    assert len(server.chat(1001)) > 1
    assert server.chat(1001)[-1].labels == ["Approve"]
    assert server.faults == []


@fact("telegram/entities")
async def test_of_more_than_a_hundred_entities_the_rest_is_ignored(server):
    text = "<b>x</b> <i>y</i> " * 60
    await call(server, "sendMessage", chat_id="1001", text=text, parse_mode="HTML")
    (sent,) = server.chat(1001)
    assert sent.text == "x y " * 59 + "x y"
    assert len(sent.entities) == 100


@fact("telegram/html")
async def test_markup_of_others_is_shown_as_it_was_written(server, platform):
    await platform.send(CHAT, view("a < b & c > d"), key="k")
    assert server.chat(1001)[0].text == "a < b & c > d"
    assert server.faults == []


@fact("telegram/keyboard", "telegram/callback-data")
@pytest.mark.parametrize("count", [1, 24, 25, 100, 300])
async def test_however_many_buttons_there_are_telegram_takes_them(server, platform, count):
    buttons = [ButtonView(data=f"s1:1f-AbCdEf123456:c{n}:1", label=f"C {n}") for n in range(count)]
    await platform.send(CHAT, view("Which?", *buttons), key="k")
    assert server.chat(1001)[0].keyboard
    assert server.faults == []


@fact("telegram/not-modified")
async def test_an_edit_that_changes_nothing_is_success(server, platform):
    message_id = await platform.send(CHAT, view("hi", APPROVE), key="k")
    assert await platform.edit(CHAT, message_id, view("hi", APPROVE)) == message_id
    assert server.count("editMessageText") == 1
    assert server.chat(1001)[0].edits == 0


@fact("telegram/markup-removed")
async def test_an_edit_without_a_keyboard_takes_it_away_so_each_brings_its_own(server, platform):
    message_id = await platform.send(CHAT, view("hi", APPROVE), key="k")
    await platform.edit(CHAT, message_id, view("still", APPROVE))
    assert server.chat(1001)[0].labels == ["Approve"]
    await call(server, "editMessageText", chat_id="1001", message_id=message_id, text="bare")
    assert server.chat(1001)[0].labels == []


@fact("telegram/delete")
async def test_a_message_of_two_days_is_edited_but_not_deleted_so_it_is_emptied(server, platform):
    message_id = await platform.send(CHAT, view("word " * 1_000), key="k")
    server.time.skip(48 * 3_600 + 1)
    await platform.edit(CHAT, message_id, view("short"))
    assert [message.text for message in server.chat(1001)] == ["short", "…"]


@fact("telegram/rate")
@pytest.mark.parametrize("conversation", [CHAT, GROUP])
async def test_our_pace_is_one_that_telegram_takes(server, platform, conversation):
    server.time.stop()
    server.allowances.paced = True
    await keeps_to_its_pace(platform, conversation, server.time.skip)


@fact("telegram/rate")
async def test_thirty_messages_a_second_are_taken_in_all_and_no_more(server, platform):
    server.time.stop()
    server.allowances.paced = True
    assert platform.overall.burst <= 30
    for number in range(30):
        await call(server, "sendMessage", chat_id=str(1001 + number), text="hi")
    told = await call(server, "sendMessage", chat_id="2001", text="hi")
    assert told["error_code"] == 429
    assert told["parameters"]["retry_after"] >= 1


@fact("telegram/general")
async def test_the_topic_general_goes_by_no_number(server, platform, door, intake):
    in_general = server.message_update("@signoff_bot hi", chat_id=-100200300, topic=None)
    await server.deliver(in_general, url=door)
    await platform.send(intake.last.conversation, view("hi"), key="k")
    assert server.chat(-100200300)[0].topic is None
    refused = await call(
        server, "sendMessage", chat_id="-100200300", text="x", message_thread_id="1"
    )
    assert refused["description"] == "Bad Request: message thread not found"


@fact("telegram/start")
async def test_a_link_that_opens_a_card_carries_what_telegram_takes(platform):
    link = await platform.opening("1f-AbCdEf123456")
    payload = link.partition("?start=")[2]
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", payload)
    assert await platform.opening("x" * 63) == ""


@fact("telegram/files")
async def test_a_file_of_more_than_twenty_megabytes_is_not_handed_out(server, platform):
    big = server.document_update("look", "big.csv", Hosted(b"x" * (1 << 20), times=21), size=1)
    file = big["message"]["document"]
    shared = SharedFile(platform="telegram", id=file["file_id"], name=file["file_name"])
    with pytest.raises(TooLarge):
        _ = [piece async for piece in platform.fetch(shared)]
    assert server.faults == []


@fact("telegram/photo")
async def test_a_chart_is_a_photo_as_telegram_takes_it(server, platform):
    bars = tuple(BarView(label=f"Rule {n}", value=n) for n in range(1, 60))
    chart = ChartView(title="Findings", bars=bars)
    await platform.send(CHAT, MessageView(lang="en", chart=chart), key="k")
    assert server.chat(1001)[0].photo
    assert server.faults == []


@fact("telegram/draft")
async def test_a_draft_is_for_private_chats_and_has_a_number(server):
    usual = {"chat_id": "1001", "draft_id": "7", "text": "It is"}
    assert (await call(server, "sendMessageDraft", **usual))["ok"]
    for wrong in ({"chat_id": "-100200300"}, {"draft_id": "0"}, {"text": "x" * 4_097}):
        assert not (await call(server, "sendMessageDraft", **(usual | wrong)))["ok"]


@fact("telegram/blocked")
async def test_who_blocked_the_bot_is_not_written_to(server, platform):
    server.blocked_chats.add(1001)
    with pytest.raises(Forbidden):
        await platform.send(CHAT, view("hi"), key="k")


@fact("telegram/sdk-unknown")
async def test_an_unknown_token_is_an_error_of_ours_and_not_the_librarys(server, platform):
    server.token = "7000000001:another"
    with pytest.raises(PlatformError, match="does not know this bot token") as caught:
        await platform.send(CHAT, view("hi"), key="k")
    assert not isinstance(caught.value, Gone | Unavailable)


@fact("telegram/sdk-timeouts")
@pytest.mark.parametrize("kind", ["broken", "dropped"])
async def test_no_answer_may_mean_that_it_was_shown_and_is_not_tried_again(server, platform, kind):
    server.fail_next("sendMessage", Fault(kind))
    with pytest.raises(Unavailable):
        await platform.send(CHAT, view("hi"), key="k")
    assert server.count("sendMessage") == 1
    assert len(server.chat(1001)) == (1 if kind == "dropped" else 0)


@fact("telegram/sdk-limiter")
async def test_one_chat_that_has_to_wait_holds_up_no_other(server, platform):
    server.fail_next("sendMessage", Fault.rate_limited(60))
    with pytest.raises(RateLimited):
        await platform.send(CHAT, view("hi"), key="k")
    async with within(PATIENCE_S, "the other chat has its message"):
        await platform.send("telegram:7000000001:1002", view("hi"), key="k")
    assert len(server.chat(1002)) == 1
