"""Answers that one message does not hold: in several, in order, and nothing is left out."""

import re

import pytest

from adapters.slack.outbound.messages import MessageRefs
from cards.model import Row
from cards.showing.view import ButtonView, CardView, MessageView, PartView
from engine.errors import Gone, RateLimited, Unavailable
from tests.fakes.long_texts import SENTENCES, SHAPES
from tests.fakes.platforms.faults import Fault

THREAD = "slack:T0TRIAL:C0TRIAL:1763700000.000100"
BUTTON = ButtonView(data="s1:0-card:approve:1", label="Approve")


def view(text, *, lang="en", card=None, state="answered"):
    part = PartView(number=0, state=state, text=text)
    return MessageView(lang=lang, parts=(part,), card=card)


def confirm(**more):
    return CardView(token="t", kind="confirm", title="Sign off?", **more)


def shown(slack):
    return [*slack.messages.values()]


def numbers(messages):
    return [int(n) for m in messages for n in re.findall(r"(?m)^(?:\| )?(\d+)[. |]", m.body)]


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("shape", ["paragraphs", "code"])
async def test_a_long_answer_comes_in_order_in_several_messages(slack, platform, lang, shape):
    text = SHAPES[shape](SENTENCES[lang], 500 if lang == "en" else 900)
    message_id = await platform.send(THREAD, view(text, lang=lang), key="k1")
    messages = shown(slack)
    assert 2 <= len(messages) <= 3
    count = text.count(SENTENCES[lang])
    assert numbers(messages) == [*range(count)]
    assert {m.thread_ts for m in messages} == {"1763700000.000100"}
    assert message_id == ",".join(f"C0TRIAL:{m.ts}" for m in messages)
    assert slack.files == {}
    assert all(m.body.count("```") % 2 == 0 for m in messages)


@pytest.mark.parametrize(
    ("place", "channel"), [("D0REQUESTER", "D0REQUESTER"), ("U0REVIEWER", "D0REVIEWER")]
)
async def test_in_direct_messages_they_follow_each_other(slack, platform, place, channel):
    await platform.send(f"slack:T0TRIAL:{place}", view("word " * 4_000), key="k1")
    assert [(m.channel, m.thread_ts) for m in shown(slack)] == [(channel, "")] * 2


async def test_in_a_channel_the_rest_stands_below_the_first(slack, platform):
    await platform.send("slack:T0TRIAL:C0TRIAL", view("word " * 4_000), key="k1")
    first, second = shown(slack)
    assert (first.thread_ts, second.thread_ts) == ("", first.ts)


async def test_a_long_card_has_its_buttons_under_the_last_message(slack, platform):
    rows = tuple(Row(label=f"field {n}", value="x" * 60) for n in range(200))
    card = confirm(text="word " * 2_000, rows=rows, note="for Bo", buttons=(BUTTON,))
    await platform.send(THREAD, view("Please look.", card=card), key="k1")
    *before, last = shown(slack)
    assert before
    assert [m.buttons for m in before] == [[]] * len(before)
    assert len(last.buttons) == 1
    body = "\n".join(m.body for m in (*before, last))
    assert [int(n) for n in re.findall(r"\*field (\d+)\*", body)] == [*range(200)]
    assert "for Bo" in last.body
    assert "left out" not in body
    assert slack.files == {}


async def test_a_card_that_closes_takes_no_more_room_than_it_needs(slack, platform):
    long = MessageView(lang="en", card=confirm(text="word " * 4_000, buttons=(BUTTON,)))
    message_id = await platform.send(THREAD, long, key="k1")
    first, second = shown(slack)
    short = MessageView(lang="en", card=confirm(text="done", outcome="Approved by Bo"))
    after = await platform.edit(THREAD, message_id, short)
    assert after == f"C0TRIAL:{first.ts}"
    assert shown(slack) == [first]
    assert "Approved by Bo" in first.body
    again = await platform.edit(THREAD, after, long)
    assert len(shown(slack)) == 2
    assert again.startswith(f"{after},C0TRIAL:")
    assert second not in shown(slack)


async def test_what_cannot_be_deleted_is_emptied(slack, platform):
    message_id = await platform.send(THREAD, view("word " * 4_000), key="k1")
    slack.fail_next("chat.delete", Fault.refused("cant_delete_message"))
    await platform.edit(THREAD, message_id, view("short"))
    assert [m.body for m in shown(slack)] == ["short", "…"]


async def test_a_message_that_is_gone_already_is_no_fault(slack, platform):
    message_id = await platform.send(THREAD, view("word " * 4_000), key="k1")
    slack.delete(shown(slack)[1])
    await platform.edit(THREAD, message_id, view("short"))
    assert [m.body for m in shown(slack)] == ["short"]


async def test_while_it_is_worked_on_it_stays_one_message(slack, platform):
    message_id = await platform.send(THREAD, view("word " * 4_000, state="working"), key="k1")
    assert len(shown(slack)) == 1
    await platform.edit(THREAD, message_id, view("word " * 4_000))
    assert len(shown(slack)) == 2


@pytest.mark.parametrize(
    ("fault", "error"), [(Fault.rate_limited(), RateLimited), (Fault.broken(), Unavailable)]
)
async def test_a_send_that_broke_off_goes_on_where_it_was(slack, platform, fault, error):
    text = SHAPES["paragraphs"](SENTENCES["en"], 500)

    async def then_fail():
        del slack.before["chat.postMessage"]
        slack.fail_next("chat.postMessage", fault)

    async def first_passes():
        slack.before["chat.postMessage"] = then_fail

    slack.before["chat.postMessage"] = first_passes
    with pytest.raises(error):
        await platform.send(THREAD, view(text), key="k1")
    assert len(shown(slack)) == 1
    await platform.send(THREAD, view(text), key="k1")
    assert numbers(shown(slack)) == [*range(500)]


async def test_ids_of_an_earlier_build_are_still_read(slack, platform):
    message_id = await platform.send(THREAD, view("one"), key="k1")
    after = await platform.edit(THREAD, f"{message_id}:0123456789ab", view("two"))
    assert [m.body for m in shown(slack)] == ["two"]
    assert MessageRefs.read(after) == MessageRefs((message_id,), "0123456789ab")
    for wrong in ("", "nothing", "C1:,#x", "#x"):
        with pytest.raises(Gone):
            MessageRefs.read(wrong)
