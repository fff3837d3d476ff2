"""What is no text in Slack: charts as pictures, and what no message holds as a document."""

import pytest

from cards.model import Row
from cards.showing.document import document
from cards.showing.view import BarView, ButtonView, CardView, ChartView, MessageView, PartView
from engine.errors import RateLimited, Unavailable
from tests.fakes.long_texts import SENTENCES, SHAPES
from tests.fakes.platforms.faults import Fault

THREAD = "slack:T0TRIAL:C0TRIAL:1763700000.000100"
CHANNEL = "slack:T0TRIAL:C0TRIAL"
DIRECT = "slack:T0TRIAL:D0REQUESTER"
BUTTON = ButtonView(data="s1:0-card:approve:1", label="Approve")
CHART = ChartView(
    title="质控：各规则发现的问题",
    bars=(BarView(label="体重：缺失", value=12), BarView(label="ECOG：应在 0 到 5 之间", value=3)),
)


def view(text, *, lang="en", state="answered", card=None, chart=None):
    part = PartView(number=0, state=state, text=text)
    return MessageView(lang=lang, parts=(part,), card=card, chart=chart)


def confirm(**more):
    return CardView(token="t", kind="confirm", title="Sign off?", buttons=(BUTTON,), **more)


WORDS = f"{SENTENCES['en']} " * 700
LONG = view(SHAPES["paragraphs"](SENTENCES["en"], 900))
PICTURE = view("| Rule | Findings |\n|---|---|\n| 体重：缺失 | 12 |", lang="zh", chart=CHART)


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("shape", SHAPES)
async def test_a_very_long_answer_is_shortened_and_comes_whole_as_a_file(
    slack, platform, lang, shape
):
    text = SHAPES[shape](SENTENCES[lang], 1_500)
    message_id = await platform.send(THREAD, view(text, lang=lang), key="k1")
    (file,) = slack.shared
    assert file.content.decode().startswith(text)
    assert file.content.decode().count("```") % 2 == 0
    assert (file.channel, file.thread_ts) == ("C0TRIAL", "1763700000.000100")
    assert slack.latest.body.endswith(
        "全文见附件。" if lang == "zh" else "The whole text is attached as a file."
    )
    assert slack.latest.body.count("```") % 2 == 0
    assert message_id.startswith(f"C0TRIAL:{slack.latest.ts},#")


async def test_what_a_message_holds_comes_without_a_file(slack, platform):
    await platform.send(THREAD, view("word " * 2_000), key="k1")
    assert slack.files == {}
    assert "attached" not in slack.latest.body


async def test_the_file_of_a_message_stands_with_it(slack, platform):
    await platform.send(DIRECT, LONG, key="k1")
    await platform.send(CHANNEL, LONG, key="k2")
    await platform.send("slack:T0TRIAL:U0REVIEWER", LONG, key="k3")
    assert [(f.channel, f.thread_ts) for f in slack.shared] == [
        ("D0REQUESTER", ""),
        ("C0TRIAL", [*slack.messages.values()][1].ts),
        ("D0REVIEWER", ""),
    ]


async def test_what_is_approved_can_be_read_whole(slack, platform):
    rows = tuple(Row(label=f"field {n}", value=f"value {n} " + "x" * 60) for n in range(300))
    card = confirm(text=WORDS, rows=rows, problems=("**odd**",))
    shown = MessageView(lang="en", card=card)
    await platform.send("slack:T0TRIAL:U0REVIEWER", shown, key="k1")
    text = slack.shared[0].content.decode()
    assert all(f"**field {n}** value {n} x" in text for n in range(300))
    assert WORDS in text
    assert "- **odd**" in text
    assert len(slack.latest.buttons) == 1


async def test_an_answer_that_grows_gets_its_file_once_it_is_settled(slack, platform):
    long = LONG.parts[0].text
    message_id = await platform.send(THREAD, view("Working on it…", state="working"), key="k1")
    message_id = await platform.edit(THREAD, message_id, view(long, state="working"))
    assert slack.files == {}
    assert "left out" in slack.latest.body
    for _ in range(3):
        message_id = await platform.edit(THREAD, message_id, view(long))
    assert len(slack.shared) == 1
    assert "attached" in slack.latest.body
    await platform.edit(THREAD, message_id, view(long + "\n\nOne thing more."))
    assert [b"One thing more." in file.content for file in slack.shared] == [False, True]


async def test_a_decision_gives_no_second_file(slack, platform):
    card = confirm(text=WORDS)
    message_id = await platform.send(THREAD, MessageView(lang="en", card=card), key="k1")
    closed = card.model_copy(update={"buttons": (), "outcome": "Approved by Bo", "tone": "good"})
    again = await platform.edit(THREAD, message_id, MessageView(lang="en", card=closed))
    assert again == message_id
    assert len(slack.shared) == 1
    assert "Approved by Bo" in slack.latest.body
    assert "attached" in slack.latest.body


async def test_a_reason_too_long_to_be_shown_is_in_the_file(slack, platform):
    card = confirm(outcome="Rejected by Bo. Reason: " + "why " * 1_000)
    await platform.send(THREAD, MessageView(lang="en", card=card), key="k1")
    assert card.outcome.strip() in slack.shared[0].content.decode()


@pytest.mark.parametrize("code", ["missing_scope", "file_uploads_disabled"])
async def test_where_files_are_not_taken_the_message_says_what_is_left_out(slack, platform, code):
    slack.fail_next("files.getUploadURLExternal", Fault.refused(code), times=2)
    message_id = await platform.send(THREAD, LONG, key="k1")
    await platform.edit(THREAD, message_id, LONG)
    assert "characters left out" in slack.latest.body
    assert "attached" not in slack.latest.body
    assert slack.files == {}


async def test_a_file_that_may_not_be_shown_is_not_promised(slack, platform):
    slack.fail_next("files.completeUploadExternal", Fault.refused("not_in_channel"))
    await platform.send(THREAD, LONG, key="k1")
    assert slack.shared == []
    assert "attached" not in slack.latest.body
    assert "characters left out" in slack.latest.body


@pytest.mark.parametrize(
    ("call", "kind", "error"),
    [
        ("files.getUploadURLExternal", "rate_limited", RateLimited),
        ("upload", "broken", Unavailable),
        ("chat.postMessage", "rate_limited", RateLimited),
        ("files.completeUploadExternal", "rate_limited", RateLimited),
        ("files.completeUploadExternal", "broken", Unavailable),
    ],
)
async def test_a_send_that_broke_off_is_repeated_without_a_twin(slack, platform, call, kind, error):
    slack.fail_next(call, Fault(kind))
    with pytest.raises(error):
        await platform.send(THREAD, LONG, key="k1")
    await platform.send(THREAD, LONG, key="k1")
    assert len(slack.messages) == 1
    assert [file.content.decode() for file in slack.shared] == [document(LONG)]
    assert "attached" in slack.latest.body


@pytest.mark.parametrize(
    ("conversation", "channel", "thread"),
    [
        (THREAD, "C0TRIAL", "1763700000.000100"),
        (CHANNEL, "C0TRIAL", ""),
        (DIRECT, "D0REQUESTER", ""),
    ],
)
async def test_a_chart_is_a_picture_with_words_for_those_who_do_not_see_it(
    slack, platform, conversation, channel, thread
):
    message_id = await platform.send(conversation, PICTURE, key="k1")
    (file,) = slack.shared
    assert file.content.startswith(b"\x89PNG")
    assert (file.name, file.title) == ("chart.png", "质控：各规则发现的问题")
    assert file.alt == "质控：各规则发现的问题: 体重：缺失 – 12; ECOG：应在 0 到 5 之间 – 3"
    assert (file.channel, file.thread_ts) == (channel, thread)
    assert slack.messages == {}
    assert await platform.edit(conversation, message_id, PICTURE) == message_id
    assert len(slack.files) == 1


@pytest.mark.parametrize("call", ["files.getUploadURLExternal", "files.completeUploadExternal"])
async def test_a_chart_that_slack_does_not_take_is_told_in_words(slack, platform, call):
    slack.fail_next(call, Fault.refused("missing_scope"))
    message_id = await platform.send(THREAD, PICTURE, key="k1")
    assert "体重：缺失" in slack.latest.body
    assert slack.shared == []
    assert await platform.edit(THREAD, message_id, PICTURE) == message_id


async def test_a_chart_for_a_person_whose_channel_is_not_known_is_told_in_words(slack, platform):
    await platform.send("slack:T0TRIAL:U0REVIEWER", PICTURE, key="k1")
    assert "体重：缺失" in slack.latest.body


@pytest.mark.parametrize("call", ["files.getUploadURLExternal", "files.completeUploadExternal"])
async def test_a_chart_that_broke_off_is_shown_once(slack, platform, call):
    slack.fail_next(call, Fault.rate_limited())
    with pytest.raises(RateLimited):
        await platform.send(THREAD, PICTURE, key="k1")
    assert slack.shared == []
    await platform.send(THREAD, PICTURE, key="k1")
    assert len(slack.shared) == 1
