import asyncio
from contextlib import asynccontextmanager

from adapters.clock import SystemClock
from adapters.slack.platform import SlackPlatform
from cards.view import ButtonView, CardView, MessageView
from engine.events import Accepted, Answered, FormRefused, NotRecorded

CARD = CardView(
    token="t",
    kind="confirm",
    title="Sign off?",
    buttons=(ButtonView(data="s1:x:approve:1", label="Approve"),),
)


@asynccontextmanager
async def _listening(slack, platform, intake):
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(platform.listen(intake))
        await slack.wait_for(lambda: slack.sockets)
        yield
        task.cancel()


async def test_an_envelope_is_acknowledged_only_after_intake_answered(slack, platform, intake):
    intake.release = asyncio.Event()
    async with _listening(slack, platform, intake):
        sent = await slack.envelope(slack.message_event("hello"), "events_api")
        async with asyncio.timeout(5):
            await intake.arrived.wait()
        assert slack.acks == {}
        intake.release.set()
        await slack.wait_for(lambda: sent in slack.acks)
    assert slack.acks[sent] is None
    assert [u.text for u in intake.updates] == ["hello"]


async def test_an_envelope_that_was_not_recorded_is_not_acknowledged(slack, platform, intake):
    intake.outcome = NotRecorded(text="Not recorded.")
    async with _listening(slack, platform, intake):
        lost = await slack.envelope(slack.message_event("one"), "events_api")
        async with asyncio.timeout(5):
            await intake.arrived.wait()
        intake.outcome = Accepted()
        kept = await slack.envelope(slack.message_event("two"), "events_api")
        await slack.wait_for(lambda: kept in slack.acks)
    assert [u.text for u in intake.updates] == ["one", "two"]
    assert lost not in slack.acks


async def test_taps_and_commands_are_answered_over_the_socket(slack, platform, intake):
    intake.outcome = Answered(text="Bo was first.", ok=False)
    await platform.send("slack:T0TRIAL:D0REVIEWER", MessageView(lang="en", card=CARD), key="k")
    async with _listening(slack, platform, intake):
        tap = await slack.envelope(slack.action(slack.latest), "interactive")
        await slack.wait_for(lambda: tap in slack.acks)
        command = await slack.envelope(slack.slash_command("pending"), "slash_commands")
        await slack.wait_for(lambda: command in slack.acks)
    assert slack.acks[tap] is None
    assert [told.text for told in slack.ephemerals] == ["Bo was first."]
    assert slack.acks[command]["text"] == "Bo was first."


async def test_a_form_is_refused_over_the_socket(slack, platform, intake, payload):
    intake.outcome = FormRefused(errors={"ecog": "Too high."})
    async with _listening(slack, platform, intake):
        sent = await slack.envelope(payload("view_submission"), "interactive")
        await slack.wait_for(lambda: sent in slack.acks)
    assert slack.acks[sent] == {"response_action": "errors", "errors": {"ecog": "Too high."}}


async def test_cancelling_closes_the_socket(slack, platform, intake):
    async with _listening(slack, platform, intake):
        assert len(slack.sockets) == 1
    await slack.wait_for(lambda: not slack.sockets)


async def test_without_an_app_token_listening_ends_at_once(slack, intake):
    platform = SlackPlatform(
        bot_token=slack.bot_token,
        signing_secret=slack.signing_secret,
        app_token="",
        api_url=slack.api_url,
        clock=SystemClock("UTC"),
    )
    async with asyncio.timeout(5):
        await platform.listen(intake)
    assert not slack.calls


async def test_a_socket_that_slack_closes_is_replaced(slack, platform, intake):
    async with _listening(slack, platform, intake):
        await slack.sockets[0].send_json({"type": "disconnect", "reason": "refresh_requested"})
        await slack.wait_for(lambda: slack.calls["apps.connections.open"] == 2 and slack.sockets)
        await slack.wait_for(lambda: len(slack.sockets) == 1)
        sent = await slack.envelope(slack.message_event("hello"), "events_api")
        await slack.wait_for(lambda: sent in slack.acks)
    assert len(intake.updates) == 1
