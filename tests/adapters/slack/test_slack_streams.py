"""What Slack and ours do with streams, call by call."""

import pytest

from adapters.slack.outbound.streams import stream_text
from cards.showing.view import MessageView, PartView
from engine.errors import PlatformError
from engine.ports.storage.drafts import Growth

THREAD = "slack:T0TRIAL:C0TRIAL:1763700000.000100"


def growth(text="", before="", *, asker="U0REQUESTER"):
    def view(said):
        return MessageView(lang="en", parts=(PartView(number=0, state="working", text=said),))

    return Growth(
        view=view(text), working=view("Wait"), text=text, before=before, asker=asker, key="k"
    )


@pytest.mark.fact("slack/stream")
async def test_a_stream_is_for_a_thread_a_named_person_and_12_000_characters(platform, slack):
    message = await platform.grow(THREAD, "", growth())
    with pytest.raises(PlatformError, match="msg_too_long"):
        await platform.grow(THREAD, message, growth("x" * 12_001))
    place = {"channel": "C0TRIAL", "thread_ts": "1763700000.000100"}
    for fields, code in [
        ({"channel": "C0TRIAL"}, "invalid_thread_ts"),
        (place, "missing_recipient_user_id"),
        (place | {"recipient_user_id": "U0REQUESTER"}, "missing_recipient_team_id"),
    ]:
        assert slack.streams.start(fields)["error"] == code
    slack.faults.clear()


async def test_only_what_is_new_is_added_and_another_text_replaces_all(platform, slack):
    message = await platform.grow(THREAD, "", growth())
    await platform.grow(THREAD, message, growth("One."))
    await platform.grow(THREAD, message, growth("One. Two.", "One."))
    (shown,) = slack.messages.values()
    assert shown.text.endswith("\n\nOne. Two.")
    assert shown.streams
    await platform.grow(THREAD, message, growth("Anew.", "One. Two."))
    assert "Anew." in shown.body
    assert "One" not in shown.body
    assert not shown.streams


async def test_who_asked_is_not_known_so_a_message_is_edited(platform, slack):
    message = await platform.grow(THREAD, "", growth(asker=""))
    await platform.grow(THREAD, message, growth("One."))
    (shown,) = slack.messages.values()
    assert "One." in shown.body
    assert slack.calls["chat.startStream"] == 0


async def test_a_refused_stream_is_not_asked_for_again_for_a_while(platform, slack):
    slack.scopes.discard("chat:write")
    with pytest.raises(PlatformError, match=r"chat\.postMessage"):
        await platform.grow(THREAD, "", growth())
    slack.scopes.add("chat:write")
    await platform.grow(THREAD, "", growth())
    assert slack.calls["chat.startStream"] == 1


@pytest.mark.parametrize("text", ["<!channel>", "@here", "[a](https://x.example)", "a ![b](c) d"])
def test_a_stream_has_no_mention_and_no_link(text):
    shown = stream_text(f"1 < 2 **bold** {text}")
    assert "**bold**" in shown
    assert not any(mark in shown for mark in ("<", "[", "@here", "://"))
