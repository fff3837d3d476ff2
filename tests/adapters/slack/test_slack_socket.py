import asyncio
from contextlib import AsyncExitStack

import aiohttp
import pytest

from adapters.slack.platform import CONNECTIONS
from cards.showing.view import ButtonView, CardView, MessageView
from engine.events import Accepted, DirectAnswer, FormRefused, NotRecorded
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.slack_app import connected, connections

CARD = CardView(
    token="t",
    kind="confirm",
    title="Sign off?",
    buttons=(ButtonView(data="s1:x:approve:1", label="Approve"),),
)


async def test_an_envelope_is_acknowledged_only_after_intake_answered(slack, platform, intake):
    intake.release = asyncio.Event()
    async with connections(slack, platform, intake):
        sent = await slack.envelope(slack.message_event("hello"), "events_api")
        async with within(PATIENCE_S, "the message arrives"):
            await intake.arrived.wait()
        assert slack.acks == {}
        intake.release.set()
        await slack.wait_for(lambda: sent in slack.acks)
    assert slack.acks[sent] is None
    assert [u.text for u in intake.updates] == ["hello"]


async def test_an_envelope_that_was_not_recorded_is_not_acknowledged(slack, platform, intake):
    intake.outcome = NotRecorded(text="Not recorded.")
    async with connections(slack, platform, intake):
        lost = await slack.envelope(slack.message_event("one"), "events_api")
        async with within(PATIENCE_S, "the message arrives"):
            await intake.arrived.wait()
        intake.outcome = Accepted()
        kept = await slack.envelope(slack.message_event("two"), "events_api")
        await slack.wait_for(lambda: kept in slack.acks)
    assert [u.text for u in intake.updates] == ["one", "two"]
    assert lost not in slack.acks


async def test_taps_and_commands_are_answered_over_the_socket(slack, platform, intake):
    intake.outcome = DirectAnswer(text="Bo was first.", ok=False)
    await platform.send("slack:T0TRIAL:D0REVIEWER", MessageView(lang="en", card=CARD), key="k")
    async with connections(slack, platform, intake):
        tap = await slack.envelope(slack.action(slack.latest), "interactive")
        await slack.wait_for(lambda: tap in slack.acks)
        command = await slack.envelope(slack.slash_command("pending"), "slash_commands")
        await slack.wait_for(lambda: command in slack.acks)
    assert slack.acks[tap] is None
    assert [told.text for told in slack.ephemerals] == ["Bo was first."]
    assert slack.acks[command]["text"] == "Bo was first."


async def test_a_form_is_refused_over_the_socket(slack, platform, intake, payload):
    intake.outcome = FormRefused(errors={"ecog": "Too high."})
    async with connections(slack, platform, intake):
        sent = await slack.envelope(payload("view_submission"), "interactive")
        await slack.wait_for(lambda: sent in slack.acks)
    assert slack.acks[sent] == {"response_action": "errors", "errors": {"ecog": "Too high."}}


async def test_cancelling_closes_the_socket(slack, platform, intake):
    async with connections(slack, platform, intake):
        assert len(slack.sockets) == 2
    await slack.wait_for(lambda: not slack.sockets)


async def test_without_an_app_token_listening_ends_at_once(slack, intake):
    platform = connected(slack, app_token="")
    async with within(PATIENCE_S, "listening ends"):
        await platform.listen(intake)
    assert not slack.calls


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
async def test_connections_are_renewed_without_a_gap(slack, platform, intake, reason):
    """platform-facts A, "Socket Mode gotcha": one connection stays while the other is renewed."""
    sockets = slack.socket_mode
    sent = []

    async def say():
        sent.append(await slack.envelope(slack.message_event(f"no {len(sent)}"), "events_api"))

    async with connections(slack, platform, intake):
        for leaving in [*slack.sockets]:
            await say()
            await sockets.leave(leaving, reason)
            await say()
            await slack.wait_for(lambda old=leaving: old not in slack.sockets)
            await say()
            await slack.wait_for(lambda: len(sockets.taking) == CONNECTIONS)
        await slack.wait_for(lambda: set(sent) <= set(slack.acks))
    assert slack.calls["apps.connections.open"] == 2 * CONNECTIONS
    said = [update.text for update in intake.updates]
    assert sorted(set(said)) == [f"no {n}" for n in range(6)]


@pytest.mark.fact("slack/socket-renewed")
async def test_one_connection_always_takes_what_comes(slack, platform, intake):
    async with connections(slack, platform, intake):
        slack.socket_mode.fewest = CONNECTIONS
        for leaving in [*slack.sockets]:
            await slack.socket_mode.leave(leaving, "refresh_requested")
            await slack.wait_for(lambda: len(slack.socket_mode.taking) == CONNECTIONS)
        assert slack.socket_mode.fewest == CONNECTIONS - 1


@pytest.mark.fact("slack/socket-retry")
async def test_what_a_lost_connection_did_not_acknowledge_comes_again(slack, platform, intake):
    intake.release = asyncio.Event()
    async with connections(slack, platform, intake):
        sent = await slack.envelope(slack.message_event("hello"), "events_api")
        async with within(PATIENCE_S, "the message arrives"):
            await intake.arrived.wait()
        (took,) = [s for s in slack.sockets if s is slack.socket_mode.carrier(sent)]
        await took.close()
        await slack.wait_for(lambda: len(intake.updates) == 2)
        intake.release.set()
        await slack.wait_for(lambda: sent in slack.acks)
    assert slack.socket_mode.sent[sent] == 2
    assert len({update.id for update in intake.updates}) == 1


@pytest.mark.fact("slack/socket-ten")
async def test_an_eleventh_connection_is_one_too_many(slack):
    """platform-facts A, "Socket Mode": what has its place keeps it."""
    async with AsyncExitStack() as stack, aiohttp.ClientSession() as http:
        url = slack.api_url.replace("http", "ws", 1).replace("api/", "socket")
        for _ in range(10):
            socket = await stack.enter_async_context(http.ws_connect(url))
            assert (await socket.receive_json())["type"] == "hello"
        eleventh = await stack.enter_async_context(http.ws_connect(url))
        refused = await eleventh.receive_json()
    assert refused == {"type": "disconnect", "reason": "too_many_websockets"}
