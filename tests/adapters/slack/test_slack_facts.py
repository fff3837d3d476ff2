"""What Slack brings us and how, fact by fact (tests/fakes/platforms/facts.yaml)."""

import asyncio

import pytest
from aiohttp import web

from engine.events import Accepted, DirectAnswer, NotRecorded
from tests.fakes.slack_app import connections
from tests.fakes.views import view

THREAD = "slack:T0TRIAL:C0TRIAL:1763700000.000100"
fact = pytest.mark.fact


# What comes in


@fact("slack/ack", "slack/retries")
async def test_an_answer_that_takes_too_long_is_none_and_the_event_comes_again(slack, door, intake):
    intake.release = asyncio.Event()
    attempts = await slack.deliver(door, slack.message_event("hello"), ack_s=0.1)
    intake.release.set()
    assert [attempt.reason for attempt in attempts] == ["http_timeout"] * 4


@fact("slack/retries", "slack/event-id")
async def test_what_was_not_recorded_comes_three_times_more_as_the_same_update(slack, door, intake):
    intake.outcome = NotRecorded(text="Not recorded.")
    attempts = await slack.deliver(door, slack.message_event("hello"))
    assert [attempt.status for attempt in attempts] == [503] * 4
    assert [round(attempt.at - attempts[0].at) for attempt in attempts] == [0, 0, 60, 360]
    assert len(intake.updates) == 4
    assert len({update.id for update in intake.updates}) == 1


@fact("slack/retry-headers")
async def test_a_retry_says_which_it_is_and_why_and_an_answer_may_end_it(slack, aiohttp_client):
    seen = []

    async def answer(request):
        seen.append([request.headers.get(f"x-slack-retry-{n}") for n in ("num", "reason")])
        given = {"X-Slack-No-Retry": "1"} if len(seen) == 3 else {}
        return web.Response(status=500, headers=given)

    app = web.Application()
    app.add_routes([web.post("/", answer)])
    url = (await aiohttp_client(app)).make_url("/")
    await slack.deliver(url, slack.message_event("hello"))
    assert seen == [[None, None], ["1", "http_error"], ["2", "http_error"]]


@fact("slack/retry-reasons")
@pytest.mark.parametrize(
    ("hops", "reasons"),
    [(2, [""]), (3, ["too_many_redirects"] * 4), (0, ["connection_failed"] * 4)],
)
async def test_two_redirects_are_followed_and_no_more(slack, aiohttp_client, hops, reasons):
    async def hop(request):
        left = int(request.match_info["left"])
        raise web.HTTPTemporaryRedirect(f"/{left - 1}") if left else web.HTTPOk()

    app = web.Application()
    app.add_routes([web.post("/{left}", hop)])
    client = await aiohttp_client(app)
    url = client.make_url(f"/{hops}")
    if not hops:
        await client.close()
    attempts = await slack.deliver(url, slack.message_event("hello"))
    assert [attempt.reason for attempt in attempts] == reasons


@fact("slack/retries")
async def test_nobody_repeats_a_tap_so_one_that_is_not_recorded_is_told(slack, door, intake, card):
    intake.outcome = NotRecorded(text="Not recorded, tap again.")
    attempts = await slack.deliver(door, slack.action(card))
    assert [attempt.status for attempt in attempts] == [200]
    assert [told.text for told in slack.ephemerals] == ["Not recorded, tap again."]


@fact("slack/ack")
async def test_a_tap_is_acknowledged_in_time_though_its_notice_is_slow(slack, door, intake, card):
    never = asyncio.Event()
    slack.before["chat.postEphemeral"] = never.wait
    intake.outcome = DirectAnswer(text="Bo was first.", ok=False)
    attempts = await slack.deliver(door, slack.action(card))
    never.set()
    assert [attempt.status for attempt in attempts] == [200]


@fact("slack/signing")
async def test_a_request_is_good_for_five_minutes(slack, http, intake):
    slack.time.stop()
    body, headers = slack.signed_request(slack.message_event("hello"))
    assert (await http.post("/slack/events", data=body, headers=headers)).status == 200
    slack.time.skip(299)
    assert (await http.post("/slack/events", data=body, headers=headers)).status == 200
    slack.time.skip(2)
    assert (await http.post("/slack/events", data=body, headers=headers)).status == 401
    slack.signing_secret = "another"
    body, headers = slack.signed_request(slack.message_event("hello"))
    assert (await http.post("/slack/events", data=body, headers=headers)).status == 401


@fact("slack/double-delivery")
@pytest.mark.parametrize("first", ["message", "app_mention"])
async def test_a_mention_comes_twice_and_is_one_update(slack, door, intake, first):
    ts = slack.new_ts()
    kinds = sorted(("message", "app_mention"), key=lambda kind: kind != first)
    events = [slack.mention_event("hi", ts=ts, kind=kind) for kind in kinds]
    for event in events:
        await slack.deliver(door, event)
    assert events[0]["event_id"] != events[1]["event_id"]
    one, other = intake.updates
    assert one == other


@fact("slack/own-messages", "slack/others-bots", "slack/edits")
@pytest.mark.parametrize(
    "name", ["message_own", "message_own_user", "message_other_bot", "message_bot_subtype"]
)
async def test_what_bots_write_is_taken_and_nothing_more(slack, door, intake, payload, name):
    assert [a.status for a in await slack.deliver(door, payload(name))] == [200]
    edited = slack.edit_event(payload("message_own"), "other words")
    assert [a.status for a in await slack.deliver(door, edited)] == [200]
    assert intake.updates == []


@fact("slack/edits")
async def test_an_edit_asks_for_nothing_new(slack, door, intake):
    event = slack.message_event("hello")
    for text in ("hello there", ""):
        await slack.deliver(door, slack.edit_event(event, text))
    assert [update.kind for update in intake.updates] == ["edit"]


@fact("slack/unhandled", "slack/app-rate-limited")
@pytest.mark.parametrize("name", ["reaction_added", "app_rate_limited", "message_channel_join"])
async def test_what_nobody_handles_is_taken_so_that_slack_counts_no_failure(
    slack, door, payload, name
):
    assert [a.status for a in await slack.deliver(door, payload(name))] == [200]


@fact("slack/threads")
async def test_a_mention_opens_a_thread_and_its_answer_goes_there(slack, door, platform, intake):
    event = slack.mention_event("hi")
    await slack.deliver(door, event)
    await platform.send(intake.updates[0].conversation, view("hello"), key="k")
    assert slack.latest.thread_ts == event["event"]["ts"]


# Sockets


@fact("slack/socket-one", "slack/socket-ack", "slack/socket-token")
async def test_a_payload_goes_to_one_connection_and_is_acknowledged_by_its_envelope(
    slack, platform, intake
):
    async with connections(slack, platform, intake):
        sent = [
            await slack.envelope(slack.message_event(f"no {n}"), "events_api") for n in range(4)
        ]
        await slack.wait_for(lambda: set(sent) == set(slack.acks))
    assert sorted(update.text for update in intake.updates) == [f"no {n}" for n in range(4)]
    assert slack.calls["apps.connections.open"] == 2


@fact("slack/ack")
async def test_a_message_that_is_taken_is_answered_with_nothing(slack, door, intake):
    intake.outcome = Accepted()
    (attempt,) = await slack.deliver(door, slack.message_event("hello"))
    assert (attempt.status, attempt.body) == (200, b"")
