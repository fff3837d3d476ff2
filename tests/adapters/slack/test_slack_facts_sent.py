"""What Slack does with what it is sent, fact by fact (tests/fakes/platforms/facts.yaml)."""

import pytest

from cards.showing.view import ButtonView
from engine.errors import Forbidden
from engine.events import DirectAnswer, FormWanted
from tests.adapters.slack.test_slack_http import FORM
from tests.fakes.pacing import keeps_to_its_pace
from tests.fakes.platforms import Fault
from tests.fakes.platforms.slack.checks import blocks_problems, view_problems
from tests.fakes.views import APPROVE, view

THREAD = "slack:T0TRIAL:C0TRIAL:1763700000.000100"
fact = pytest.mark.fact


def plain(text):
    return {"type": "plain_text", "text": text}


def mrkdwn(text):
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def button(**more):
    return {"type": "button", "text": plain("a"), "value": "v", "action_id": "a"} | more


def actions(*elements):
    return {"type": "actions", "elements": list(elements)}


def menu(count, **more):
    listed = [{"text": plain("a"), "value": f"v{n}"} for n in range(count)]
    base = {"type": "static_select", "action_id": "m", "placeholder": plain("…")}
    return base | {"options": listed} | more


SECTION = {"type": "section", "text": mrkdwn("x")}
TOO_MUCH = {
    "blocks": [SECTION] * 51,
    "a block_id": [SECTION | {"block_id": "x" * 256}],
    "a section": [{"type": "section", "text": mrkdwn("x" * 3001)}],
    "fields": [{"type": "section", "fields": [mrkdwn("x")] * 11}],
    "a field": [{"type": "section", "fields": [mrkdwn("x" * 2001)]}],
    "a header": [{"type": "header", "text": plain("x" * 151)}],
    "a context": [{"type": "context", "elements": [mrkdwn("x")] * 11}],
    "actions": [actions(*(button(action_id=f"a{n}") for n in range(26)))],
    "markdown": [{"type": "markdown", "text": "x" * 12_001}],
    "a picture's words": [{"type": "image", "image_url": "https://x", "alt_text": "x" * 2001}],
    "tables": [{"type": "table", "rows": [[{"type": "raw_text", "text": "a"}]]}] * 2,
    "a table": [{"type": "table", "rows": [[{"type": "raw_text", "text": "a"}]] * 101}],
}
TOO_MUCH_TO_TAP = {
    "a label": [actions(button(text=plain("x" * 76)))],
    "a value": [actions(button(value="x" * 2001))],
    "an action_id": [actions(button(action_id="x" * 256))],
    "an address": [actions(button(url="https://x/" + "x" * 3000))],
    "a question": [actions(button(confirm={"title": plain("x" * 101)}))],
    "options": [actions(menu(101))],
    "an option": [actions(menu(1, options=[{"text": plain("x" * 76), "value": "v"}]))],
    "an option's value": [actions(menu(1, options=[{"text": plain("x"), "value": "v" * 76}]))],
    "a placeholder": [actions(menu(1, placeholder=plain("x" * 151)))],
    "an overflow": [actions(menu(6) | {"type": "overflow"})],
}


@fact("slack/blocks", "slack/block-count", "slack/tables", "slack/buttons", "slack/options")
@pytest.mark.parametrize("what", [*TOO_MUCH, *TOO_MUCH_TO_TAP])
def test_more_than_slack_takes_is_refused(what):
    assert blocks_problems((TOO_MUCH | TOO_MUCH_TO_TAP)[what], most=50)


@fact("slack/views", "slack/view-size", "slack/block-count")
@pytest.mark.parametrize(
    "more",
    [
        {"title": plain("x" * 25)},
        {"submit": plain("x" * 25)},
        {"close": plain("x" * 25)},
        {"private_metadata": "x" * 3001},
        {"callback_id": "x" * 256},
        {"blocks": [SECTION] * 101},
        {"blocks": [{"type": "section", "text": mrkdwn("字" * 2900)}] * 30},
    ],
)
def test_a_view_that_is_too_much_is_refused(more):
    usual = {"type": "modal", "title": plain("Form"), "blocks": [SECTION]}
    assert view_problems(usual) == []
    assert view_problems(usual | more)


@fact("slack/blocks", "slack/sum", "slack/text")
@pytest.mark.parametrize("text", ["word " * 9_000, "字" * 60_000, "- a point\n" * 4_000])
async def test_however_much_there_is_to_say_slack_takes_it(slack, platform, text):
    await platform.send(THREAD, view(text, APPROVE), key="k")
    assert slack.latest.buttons
    assert len(slack.shared) == 1
    assert len(slack.latest.text) <= 4_000


@fact("slack/options", "slack/buttons")
@pytest.mark.parametrize("count", [5, 6, 100, 101, 230])
async def test_however_many_choices_there_are_slack_takes_them(slack, platform, count):
    buttons = [ButtonView(data=f"s1:t:c{n}:1", label=f"Choice {n}") for n in range(count)]
    await platform.send(THREAD, view("Which?", *buttons), key="k")
    assert len(slack.latest.buttons) == count


@fact("slack/sum")
def test_what_is_legal_block_by_block_may_be_too_much_together(slack):
    text = {"type": "section", "text": mrkdwn("x" * 2_700)}
    told = {"channel": "C1", "text": "x", "blocks": [text] * 5, "link_names": False}
    more = {"parse": "none", "unfurl_links": False, "unfurl_media": False}
    assert slack.post(told | more)["error"] == "invalid_blocks"
    assert "msg_blocks_too_long" in slack.faults.pop()


@fact("slack/rate")
async def test_our_pace_is_one_that_slack_takes(slack, platform):
    slack.time.stop()
    slack.allowances.paced = True
    await keeps_to_its_pace(platform, THREAD, slack.time.skip)


@fact("slack/update-blocks")
async def test_text_alone_would_take_the_blocks_away_so_edits_bring_both(slack, platform, card):
    slack.update({"channel": card.channel, "ts": card.ts, "text": "bare"})
    assert card.blocks == []
    assert slack.faults.pop().endswith("text without blocks removes the blocks")
    await platform.edit(THREAD, f"{card.channel}:{card.ts}", view("hi", APPROVE))
    assert card.buttons


@fact("slack/update-direct")
async def test_what_was_sent_to_a_person_is_edited_under_the_channel_that_slack_answered(
    slack, platform
):
    person = "slack:T0TRIAL:U0REVIEWER"
    message_id = await platform.send(person, view("one"), key="k")
    assert slack.update({"channel": "U0REVIEWER", "ts": slack.latest.ts})["error"]
    slack.faults.clear()
    await platform.edit(person, message_id, view("two"))
    assert slack.latest.body == "two"


@fact("slack/update-window")
@pytest.mark.parametrize("code", ["edit_window_closed", "cant_update_message"])
async def test_a_message_that_cannot_be_edited_any_more_gives_way_to_a_new_one(
    slack, platform, card, code
):
    slack.fail_next("chat.update", Fault.refused(code))
    old = f"{card.channel}:{card.ts}"
    new = await platform.edit(THREAD, old, view("two"))
    assert new == f"{slack.latest.channel}:{slack.latest.ts}" != old
    assert (slack.latest.body, len(slack.messages)) == ("two", 1)


@fact("slack/response-url")
async def test_a_response_url_is_good_for_five_posts_in_half_an_hour(slack, door, intake):
    slack.time.stop()
    event = slack.message_action("what is the ECOG of P003?")
    intake.outcome = DirectAnswer(text="Seen.", ok=True)
    for _ in range(6):
        assert [a.status for a in await slack.deliver(door, event)] == [200]
    assert slack.responses == ["Seen."] * 5
    late = slack.message_action("and P004?")
    slack.time.skip(1_801)
    await slack.deliver(door, late)
    assert len(slack.responses) == 5


@fact("slack/trigger")
async def test_a_trigger_opens_one_form(slack, door, intake, card):
    intake.outcome = FormWanted(form=FORM)
    tap = slack.action(card)
    await slack.deliver(door, tap)
    await slack.deliver(door, tap)
    assert len(slack.views) == 1
    assert slack.faults.pop().startswith("views.open: exchanged_trigger_id")


@fact("slack/status")
async def test_a_status_goes_with_the_next_message_or_after_two_minutes(slack, platform):
    slack.time.stop()
    await platform.typing(THREAD)
    assert len(slack.statuses) == 1
    await platform.send(THREAD, view("hi"), key="k")
    assert slack.statuses == {}
    slack.time.skip(120)
    await platform.typing(THREAD)
    assert len(slack.statuses) == 1
    slack.time.skip(119)
    assert len(slack.statuses) == 1
    slack.time.skip(1)
    assert slack.statuses == {}


@fact("slack/stream")
@pytest.mark.parametrize(
    "wrong",
    [
        {"markdown_text": "x" * 12_001},
        {"recipient_user_id": ""},
        {"recipient_team_id": ""},
        {"thread_ts": ""},
    ],
)
def test_a_stream_names_its_thread_and_reader_and_brings_so_much_at_once(slack, wrong):
    usual = {
        "channel": "C0TRIAL",
        "thread_ts": "1763700000.000100",
        "recipient_user_id": "U0REQUESTER",
        "recipient_team_id": slack.team,
        "markdown_text": "It is",
    }
    assert slack.streams.start(usual)["ok"]
    assert not slack.streams.start(usual | wrong)["ok"]
    slack.faults.clear()


@fact("slack/files")
async def test_a_file_is_reserved_handed_over_without_the_token_and_shown(slack, platform):
    await platform.send(THREAD, view("word " * 9_000), key="k")
    (file,) = slack.shared
    assert (file.channel, file.thread_ts) == ("C0TRIAL", "1763700000.000100")
    assert slack.calls["files.upload"] == 0
    assert slack.faults == []


async def test_what_the_app_may_not_do_is_forbidden_and_named(slack, platform):
    slack.scopes.discard("chat:write")
    with pytest.raises(Forbidden, match="chat:write"):
        await platform.send(THREAD, view("hi"), key="k")
