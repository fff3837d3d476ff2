import pytest

from adapters.slack.address import Address
from cards.showing.view import ButtonView, CardView, MessageView, PartView
from engine.errors import Forbidden, Gone, PlatformError, RateLimited, Unavailable
from tests.fakes.platforms.faults import Fault

CHANNEL = "slack:T0TRIAL:C0TRIAL:1763700000.000100"


def _view(text, **card):
    parts = (PartView(number=0, state="answered", text=text),)
    shown = CardView(token="t", kind="confirm", title="Sign off?", **card) if card else None
    return MessageView(lang="en", parts=parts, card=shown)


async def test_a_message_goes_to_its_thread_with_blocks_and_text(slack, platform):
    message_id = await platform.send(CHANNEL, _view("ECOG is **1**."), key="k1")
    assert message_id == f"C0TRIAL:{slack.latest.ts}"
    assert slack.latest.thread_ts == "1763700000.000100"
    assert slack.latest.body == "ECOG is *1*."
    assert slack.latest.text == "ECOG is *1*."


@pytest.mark.parametrize("conversation", ["slack:T0TRIAL:D0REQUESTER", "slack:T0TRIAL:C0REVIEWS"])
async def test_a_message_outside_threads_is_posted_to_its_channel(slack, platform, conversation):
    await platform.send(conversation, _view("hi"), key="k1")
    assert (slack.latest.channel, slack.latest.thread_ts) == (conversation.split(":")[2], "")


async def test_an_edit_replaces_text_and_buttons(slack, platform):
    button = ButtonView(data="s1:x", label="Approve")
    message_id = await platform.send(CHANNEL, _view("one", buttons=(button,)), key="k1")
    assert len(slack.latest.buttons) == 1
    closed = _view("two", outcome="Approved by Bo", tone="good")
    for _ in range(2):
        await platform.edit(CHANNEL, message_id, closed)
    assert len(slack.messages) == 1
    assert slack.latest.buttons == []
    assert "two" in slack.latest.body
    assert "✅ Approved by Bo" in slack.latest.body


async def test_a_message_to_a_user_is_edited_in_the_direct_message(slack, platform):
    message_id = await platform.send("slack:T0TRIAL:U0REVIEWER", _view("one"), key="k1")
    assert message_id.startswith("D0REVIEWER:")
    await platform.edit("slack:T0TRIAL:U0REVIEWER", message_id, _view("two"))
    assert slack.latest.body == "two"


async def test_a_status_shows_in_a_thread_until_the_reply(slack, platform):
    """platform-facts A, "AI features"; an edit would not take it away, so it is set once."""
    place = ("C0TRIAL", "1763700000.000100")
    for _ in range(3):
        await platform.typing(CHANNEL)
    assert slack.shown_statuses == 1
    assert "is working on it" in slack.statuses[place]
    await platform.send(CHANNEL, _view("done"), key="k")
    assert slack.statuses == {}


async def test_without_a_thread_or_an_answer_there_is_no_status(slack, platform):
    await platform.typing("slack:T0TRIAL:D0REQUESTER")
    await platform.typing("web:local:main")
    slack.fail_next("assistant.threads.setStatus", Fault.refused("channel_not_found"))
    await platform.typing(CHANNEL)
    assert slack.shown_statuses == 0
    assert slack.calls["assistant.threads.setStatus"] == 1


@pytest.mark.fact("slack/rate", "slack/sdk-retries")
async def test_a_rate_limit_says_how_long_to_wait(slack, platform):
    slack.fail_next("chat.postMessage", Fault.rate_limited(7))
    with pytest.raises(RateLimited) as caught:
        await platform.send(CHANNEL, _view("hi"), key="k1")
    assert caught.value.retry_after_s == 7
    assert slack.calls["chat.postMessage"] == 1


@pytest.mark.fact("slack/sdk-retries")
@pytest.mark.parametrize("kind", ["broken", "dropped"])
async def test_no_answer_is_unavailable_and_not_tried_again(slack, platform, kind):
    slack.fail_next("chat.postMessage", Fault(kind))
    with pytest.raises(Unavailable):
        await platform.send(CHANNEL, _view("hi"), key="k1")
    assert slack.calls["chat.postMessage"] == 1
    assert len(slack.messages) == (1 if kind == "dropped" else 0)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("channel_not_found", Gone),
        ("is_archived", Gone),
        ("message_not_found", Gone),
        ("not_in_channel", Forbidden),
        ("missing_scope", Forbidden),
        ("invalid_auth", Forbidden),
        ("account_inactive", Forbidden),
        ("token_revoked", Forbidden),
        ("restricted_action", Forbidden),
        ("internal_error", Unavailable),
        ("ratelimited", RateLimited),
        ("msg_blocks_too_long", PlatformError),
    ],
)
async def test_slacks_refusals_become_our_errors(slack, platform, code, error):
    slack.fail_next("chat.postMessage", Fault.refused(code))
    with pytest.raises(PlatformError, match=code) as caught:
        await platform.send(CHANNEL, _view("hi"), key="k1")
    assert type(caught.value) is error


async def test_an_edit_of_an_unknown_message_is_gone(slack, platform):
    with pytest.raises(Gone):
        await platform.edit(CHANNEL, "C0TRIAL:1763700000.000999", _view("hi"))
    assert [f for f in slack.faults if "message_not_found" in f]
    slack.faults.clear()
    with pytest.raises(Gone):
        await platform.edit(CHANNEL, "nothing", _view("hi"))


async def test_a_server_that_is_away_is_unavailable(slack, platform):
    await slack.__aexit__()
    with pytest.raises(Unavailable):
        await platform.send(CHANNEL, _view("hi"), key="k1")


async def test_a_message_can_be_sent_after_close(slack, platform):
    await platform.send(CHANNEL, _view("one"), key="k1")
    await platform.close()
    await platform.send(CHANNEL, _view("two"), key="k2")
    assert len(slack.messages) == 2


@pytest.mark.parametrize(
    "conversation",
    [CHANNEL, "slack:T1:D1", "slack:T1:U1"],
)
def test_addresses_read_back_what_they_write(conversation):
    assert Address.parse(conversation).conversation == conversation


@pytest.mark.parametrize(
    "conversation",
    ["", "telegram:1:2", "slack:T1", "slack:T1:C1:x", "slack:T1:C1:1.2:3", "slack:T1:C1\n"],
)
async def test_no_place_in_slack_is_gone(platform, conversation):
    with pytest.raises(Gone):
        await platform.send(conversation, _view("hi"), key="k1")


async def test_a_thread_of_a_channel_has_slacks_own_link_which_is_asked_for_once(slack, platform):
    for _ in range(3):
        link = await platform.link(CHANNEL, "C0TRIAL:1763700001.000200")
        assert link == "https://trial.slack.com/archives/C0TRIAL/p1763700000000100"
    assert slack.calls["chat.getPermalink"] == 1


@pytest.mark.parametrize(
    "conversation",
    ["slack:T0TRIAL:D0REQUESTER:1763700000.000100", "slack:T0TRIAL:U0REQUESTER", "web:local:x"],
)
async def test_what_others_cannot_open_has_no_link(slack, platform, conversation):
    assert await platform.link(conversation, "D0REQUESTER:1763700001.000200") == ""
    assert slack.calls["chat.getPermalink"] == 0


async def test_a_link_that_slack_does_not_give_now_is_asked_for_again(slack, platform):
    slack.fail_next("chat.getPermalink", Fault.rate_limited())
    assert await platform.link(CHANNEL, "") == ""
    assert (await platform.link(CHANNEL, "")).startswith("https://trial.slack.com/")
