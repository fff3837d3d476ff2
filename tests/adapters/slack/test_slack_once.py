"""What only one person sees is shown to them once, and in time or not at all without a word."""

import asyncio

import pytest
from aiohttp import web

from adapters.redis.repositories.platform_texts import RedisExpiringTexts
from adapters.redis.scripts import Scripts
from adapters.slack.inbound import endpoint
from bot.serve.intake import filters
from bot.serve.intake.filters import QUICK_S, RepeatedAnswerFilter
from engine.events import Accepted, DirectAnswer, FormWanted
from tests.adapters.slack.test_slack_http import FORM
from tests.fakes.platforms.faults import Fault
from tests.fakes.server_clock import ServerClock
from tests.fakes.slack_app import connected

TOO_LATE = "The form did not open in time. If you do not see it, please tap again."
NOT_OPENED = "The form did not open. Please tap again."
SEEN = DirectAnswer(text="Seen.", ok=True)


@pytest.fixture
async def platform(slack):
    slack.time.stop()
    made = connected(slack, clock=ServerClock(slack.time))
    yield made
    await made.close()


@pytest.fixture
async def http(aiohttp_client, platform, intake, slack, redis):
    """The routes over an intake as the service has it."""
    once = RepeatedAnswerFilter(intake, RedisExpiringTexts(Scripts(redis)), ServerClock(slack.time))
    app = web.Application()
    app.add_routes(platform.routes(once))
    return await aiohttp_client(app)


def told(slack):
    return [each.text for each in slack.ephemerals]


async def test_a_tap_that_slack_brings_twice_is_answered_once(slack, post, intake, card):
    intake.outcome = SEEN
    tap = slack.action(card)
    for _ in range(3):
        assert (await post(tap)).status == 200
        slack.time.skip(60)
        tap["trigger_id"] = slack.new_trigger("U0REVIEWER")
    assert told(slack) == ["Seen."]


async def test_a_double_tap_is_answered_once(slack, post, intake, card, monkeypatch):
    monkeypatch.setattr(filters, "_WITHIN_S", 60)
    intake.outcome = SEEN
    await asyncio.gather(post(slack.action(card)), post(slack.action(card)))
    assert told(slack) == ["Seen."]
    slack.time.skip(QUICK_S)
    await post(slack.action(card))
    assert told(slack) == ["Seen.", "Seen."]


async def test_who_could_not_be_told_is_told_when_they_tap_again(slack, post, intake, card):
    intake.outcome = SEEN
    slack.fail_next("chat.postEphemeral", Fault.refused("fatal_error"))
    await post(slack.action(card))
    await post(slack.action(card))
    assert told(slack) == ["Seen."]


async def test_a_notice_that_slack_limits_is_shown_a_moment_later(slack, post, intake, card):
    intake.outcome = SEEN
    slack.fail_next("chat.postEphemeral", Fault.rate_limited(0))
    await post(slack.action(card))
    assert told(slack) == ["Seen."]


async def test_a_double_tap_opens_one_form(slack, post, intake, card):
    intake.outcome = FormWanted(form=FORM)
    tap = slack.action(card)
    for payload in (tap, slack.action(card), tap):
        assert (await post(payload)).status == 200
    assert len(slack.views) == 1
    assert slack.ephemerals == []


async def test_who_is_told_something_of_a_message_is_told_once(slack, post, intake):
    intake.outcome = DirectAnswer(text="I do not know you.", ok=False, stranger=True)
    ts = slack.new_ts()
    # Slack sends a mention twice, and either again when it had no answer.
    for kind in ("app_mention", "message", "app_mention"):
        await post(slack.mention_event("hi", ts=ts, kind=kind))
    assert told(slack) == ["I do not know you."]


@pytest.mark.parametrize("outcome", [SEEN, Accepted()])
async def test_a_shortcut_is_answered_once_and_in_one_way(slack, post, intake, outcome):
    asked = slack.message_action("ECOG of P003?")
    intake.outcome = outcome
    await post(asked)
    intake.outcome = outcome if outcome is SEEN else Accepted(duplicate=True)
    await post(asked)
    assert len(slack.responses) == 1
    assert slack.ephemerals == []


async def test_a_slash_command_is_answered_in_one_way(slack, post, intake):
    intake.outcome = SEEN
    answer = await (await post(slack.slash_command("pending"))).json()
    assert answer["text"] == "Seen."
    assert (slack.ephemerals, slack.responses) == ([], [])


async def test_a_form_whose_trigger_is_over_is_said_not_to_have_opened(slack, post, intake, card):
    intake.outcome = FormWanted(form=FORM)
    tap = slack.action(card)
    slack.time.skip(4)
    for _ in range(2):
        assert (await post(tap)).status == 200
    assert slack.views == []
    assert told(slack) == [NOT_OPENED]
    assert slack.faults == ["views.open: expired_trigger_id: "]
    slack.faults.clear()


async def test_a_form_whose_trigger_was_used_may_stand_open(slack, post, intake, card):
    intake.outcome = FormWanted(form=FORM)
    slack.fail_next("views.open", Fault.refused("exchanged_trigger_id"))
    await post(slack.action(card))
    assert told(slack) == [TOO_LATE]


async def test_a_form_that_slack_does_not_open_in_time_is_said_to_be_late(
    slack, post, intake, card, monkeypatch
):
    monkeypatch.setattr(endpoint, "_ANSWER_S", 1.2)
    intake.outcome = FormWanted(form=FORM)
    never = asyncio.Event()
    slack.before["views.open"] = never.wait
    assert (await post(slack.action(card))).status == 200
    assert told(slack) == [TOO_LATE]
    # A slash command's own answer says it.
    answer = await (await post(slack.slash_command("reject"))).json()
    assert answer["text"] == TOO_LATE
    assert len(slack.ephemerals) == 1
    never.set()
    del slack.before["views.open"]
    slack.time.skip(QUICK_S)
    await post(slack.action(card))
    assert [view.view["title"]["text"] for view in slack.views][-1:] == ["Reject"]


async def test_what_became_of_a_tap_on_the_home_tab_is_said_also_without_a_dialog(
    slack, post, intake, card
):
    slack.homes["U0REVIEWER"] = {"type": "home", "blocks": card.blocks}
    intake.outcome = SEEN
    slack.fail_next("views.open", Fault.refused("expired_trigger_id"))
    tap = slack.home_action("U0REVIEWER", "Approve")
    for _ in range(2):
        await post(tap)
    (only,) = slack.ephemerals
    assert (only.channel, only.text) == ("D0REVIEWER", "Seen.")


async def test_a_repeat_of_a_tap_that_opened_a_form_says_nothing_beside_it(
    slack, post, intake, card
):
    intake.outcome = FormWanted(form=FORM)
    tap = slack.action(card)
    await post(tap)
    # Somebody else has decided meanwhile; whoever sends the form is told.
    intake.outcome = DirectAnswer(text="Already decided.", ok=False)
    assert (await post(tap)).status == 200
    assert len(slack.views) == 1
    assert told(slack) == []
