"""What is no text in Telegram: charts as photos, and what no messages hold as a document."""

import re

import pytest

from cards.showing.document import document
from cards.showing.view import BarView, ButtonView, CardView, ChartView, MessageView, PartView
from engine.errors import PlatformError, RateLimited, Unavailable
from tests.fakes.long_texts import SENTENCES, SHAPES
from tests.fakes.platforms.faults import Fault

CHAT = "telegram:7000000001:1001"
TOPIC = "telegram:7000000001:-100200300:77"
APPROVE = ButtonView(data="s1:1f-AbCdEf123456:approve:1", label="Approve", style="primary")
CHART = ChartView(
    title="质控：各规则发现的问题",
    bars=(BarView(label="体重：缺失 @all", value=12), BarView(label="ECOG：应在 0 到 5", value=3)),
)
WORKING = MessageView(
    lang="en", parts=(PartView(number=0, state="working", text="Working on it…"),)
)
PICTURE = MessageView(
    lang="zh",
    parts=(PartView(number=0, state="answered", text="| 规则 | 次数 |\n|---|---|\n| 体重 | 12 |"),),
    chart=CHART,
)


def view(words, *buttons, lang="en", state="answered"):
    card = CardView(token="1f-AbCdEf123456", kind="confirm", title="Record?", buttons=buttons)
    part = PartView(number=0, state=state, text=words)
    return MessageView(lang=lang, parts=(part,), card=card if buttons else None)


HUGE = SHAPES["paragraphs"](SENTENCES["en"], 900)


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("shape", SHAPES)
async def test_a_long_answer_goes_on_in_more_messages_in_order(server, platform, lang, shape):
    text = SHAPES[shape](SENTENCES[lang], 250)
    message_id = await platform.send(CHAT, view(text, APPROVE, lang=lang), key="k1")
    shown = server.chat(1001)
    assert message_id == ",".join(str(m.message_id) for m in shown)
    assert 1 < len(shown) <= 8
    told = "\n".join(m.text for m in shown)
    numbers = re.findall(rf"(\d+)[.\s|]*{re.escape(SENTENCES[lang])}", told)
    assert [int(number) for number in numbers] == list(range(250))
    assert [m.labels for m in shown] == [*[[]] * (len(shown) - 1), ["Approve"]]
    assert server.faults == []


async def test_an_answer_that_comes_late_is_shown_whole_below_what_said_that_work_goes_on(
    server, platform
):
    message_id = await platform.send(CHAT, WORKING, key="k1")
    text = SHAPES["paragraphs"](SENTENCES["en"], 250)
    after = await platform.edit(CHAT, message_id, view(text, APPROVE))
    shown = server.chat(1001)
    assert after == ",".join(str(m.message_id) for m in shown)
    assert after.startswith(f"{message_id},")
    assert "".join(m.text for m in shown).count(SENTENCES["en"]) == 250
    again = await platform.edit(CHAT, after, view(text, APPROVE))
    assert again == after
    assert server.chat(1001) == shown
    short = await platform.edit(CHAT, after, view("short", APPROVE))
    assert short == message_id
    assert [(m.text, m.labels) for m in server.chat(1001)] == [("short\n\nRecord?", ["Approve"])]
    assert server.faults == []


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("shape", SHAPES)
async def test_what_eight_messages_do_not_hold_comes_whole_as_a_document(
    server, platform, lang, shape
):
    text = SHAPES[shape](SENTENCES[lang], 1_400)
    message_id = await platform.send(TOPIC, view(text, lang=lang), key="k1")
    *shown, last = server.chat(-100200300)
    assert len(shown) <= 8
    assert last.document.decode().startswith(text)
    assert (last.file_name, last.topic) == ("answer.md", 77)
    note = "全文见附件" if lang == "zh" else "the whole text is attached"
    assert note in shown[-1].text
    assert message_id.partition(";")[0] == ",".join(str(m.message_id) for m in shown)
    assert server.faults == []


async def test_a_document_comes_once_and_only_when_all_is_settled(server, platform):
    huge = SHAPES["paragraphs"](SENTENCES["en"], 900)
    message_id = await platform.send(CHAT, view(huge, state="working"), key="k1")
    assert server.count("sendDocument") == 0
    assert "left out" in server.chat(1001)[-1].text
    for _ in range(3):
        message_id = await platform.edit(CHAT, message_id, view(huge, APPROVE))
    assert server.count("sendDocument") == 1
    await platform.edit(CHAT, message_id, view(huge + "\n\nOne thing more.", APPROVE))
    assert server.count("sendDocument") == 2
    assert server.faults == []


@pytest.mark.parametrize(
    ("method", "kind", "after", "error"),
    [
        ("sendMessage", "rate_limited", 3, RateLimited),
        ("sendDocument", "rate_limited", 0, RateLimited),
        ("sendDocument", "broken", 0, Unavailable),
    ],
)
async def test_a_send_that_broke_off_goes_on_without_a_twin(
    server, platform, method, kind, after, error
):
    server.fail_next(method, Fault(kind), after=after)
    with pytest.raises(error):
        await platform.send(CHAT, view(HUGE), key="k1")
    await platform.send(CHAT, view(HUGE), key="k1")
    *shown, last = server.chat(1001)
    assert last.document.decode() == document(view(HUGE))
    assert len({m.text for m in shown}) == len(shown)
    assert sum(bool(m.document) for m in server.chat(1001)) == 1


async def test_an_edit_that_broke_off_goes_on_without_a_twin(server, platform):
    message_id = await platform.send(CHAT, WORKING, key="k1")
    server.fail_next("sendMessage", Fault.rate_limited(3), after=2)
    with pytest.raises(RateLimited):
        await platform.edit(CHAT, message_id, view(HUGE))
    after = await platform.edit(CHAT, message_id, view(HUGE))
    *shown, _ = server.chat(1001)
    assert after.partition(";")[0] == ",".join(str(m.message_id) for m in shown)
    assert len({m.text for m in shown}) == len(shown)


async def test_a_document_that_a_chat_does_not_take_is_not_promised(server, platform):
    server.refused_files.add(1001)
    await platform.send(CHAT, view(HUGE), key="k1")
    assert "left out" in server.chat(1001)[-1].text
    assert not any(m.document for m in server.chat(1001))


async def test_a_link_is_to_the_first_message_also_of_one_with_a_document(platform):
    chat = "telegram:7000000001:-1001234567890"
    assert await platform.link(chat, "41;abc") == "https://t.me/c/1234567890/41"


@pytest.mark.parametrize("conversation", [CHAT, TOPIC])
async def test_a_chart_is_a_photo_with_what_it_shows_in_words(server, platform, conversation):
    message_id = await platform.send(conversation, PICTURE, key="k1")
    (sent,) = server.messages.values()
    assert sent.photo.startswith(b"\x89PNG")
    assert sent.text.startswith("质控：各规则发现的问题: 体重：缺失 @\u2060all – 12; ECOG")
    assert sent.topic == (77 if conversation == TOPIC else None)
    assert await platform.edit(conversation, message_id, PICTURE) == message_id
    assert server.faults == []


async def test_a_chart_that_a_chat_does_not_take_is_told_in_words(server, platform):
    server.refused_files.add(1001)
    message_id = await platform.send(CHAT, PICTURE, key="k1")
    (sent,) = server.chat(1001)
    assert "规则 | 次数" in sent.text
    assert message_id == str(sent.message_id)


async def test_a_chart_that_broke_off_is_shown_once(server, platform):
    server.fail_next("sendPhoto", Fault.rate_limited(3))
    with pytest.raises(PlatformError):
        await platform.send(CHAT, PICTURE, key="k1")
    await platform.send(CHAT, PICTURE, key="k1")
    assert len(server.chat(1001)) == 1
