import pytest
from aiohttp import ClientSession

from cards.showing.view import ButtonView, CardView, MessageView
from engine.events import Accepted, NotRecorded
from tests.fakes.listening import listening
from tests.fakes.platforms.faults import Fault

CHAT = "telegram:7000000001:1001"


def asked_offsets(server):
    asked = [params for method, params in server.calls if method == "getUpdates"]
    return [int(params["offset"]) if "offset" in params else None for params in asked]


async def test_updates_are_taken_in_order_and_then_confirmed(server, polling, intake):
    updates = [server.message_update(text) for text in ("one", "two", "three")]
    await server.queue(*updates)
    async with listening(polling, intake):
        await server.wait_for(lambda: not server.waiting)
    assert [update.text for update in intake.updates] == ["one", "two", "three"]
    assert asked_offsets(server) == [None, updates[-1]["update_id"] + 1]
    assert server.faults == []


async def test_the_webhook_is_taken_away_first(server, polling, intake):
    server.webhook = {"url": "https://old.example"}
    await server.queue(server.message_update("hello"))
    async with listening(polling, intake):
        await intake.wait_for(1)
    assert server.webhook == {}
    assert server.faults == []


async def test_what_was_not_recorded_comes_again_with_all_after_it(server, polling, intake):
    intake.outcomes.append(NotRecorded("not now"))
    first, second = server.message_update("one"), server.message_update("two")
    await server.queue(first, second)
    async with listening(polling, intake):
        await server.wait_for(lambda: not server.waiting)
    assert [update.text for update in intake.updates] == ["one", "one", "two"]
    assert asked_offsets(server) == [None, None, second["update_id"] + 1]


async def test_the_offset_moves_up_to_what_was_not_recorded(server, polling, intake):
    first, second = server.message_update("one"), server.message_update("two")
    intake.outcomes.extend([Accepted(), NotRecorded("not now")])
    await server.queue(first, second)
    async with listening(polling, intake):
        await intake.wait_for(3)
    assert [update.text for update in intake.updates] == ["one", "two", "two"]
    assert asked_offsets(server)[:2] == [None, second["update_id"]]


async def test_a_tap_that_was_not_recorded_is_said_so_and_does_not_come_again(
    server, polling, intake
):
    view = CardView(
        token="1f-AbCdEf123456",
        kind="confirm",
        title="Record?",
        buttons=(ButtonView(data="s1:1f-AbCdEf123456:approve:1", label="Approve"),),
    )
    await polling.send(CHAT, MessageView(lang="en", card=view), key="k1")
    intake.outcomes.append(NotRecorded("Not recorded, tap again"))
    await server.queue(server.tap_update(server.chat(1001)[0], "Approve"))
    async with listening(polling, intake):
        await server.wait_for(lambda: not server.waiting)
    assert len(intake.updates) == 1
    assert [(a.text, a.show_alert) for a in server.callback_answers] == [
        ("Not recorded, tap again", True)
    ]


async def test_only_who_holds_the_lease_asks(server, polling, intake, lease):
    lease.held = False
    await server.queue(server.message_update("hello"))
    async with listening(polling, intake):
        await lease.wait_until_asked(3)
        assert server.count("getUpdates") == 0
        assert server.count("deleteWebhook") == 0
        lease.held = True
        await intake.wait_for(1)
    assert set(lease.names) == {"telegram:7000000001"}


async def test_who_lost_the_lease_stops_asking(server, polling, intake, lease):
    async with listening(polling, intake):
        # The first is answered at once, the second when there is something.
        await server.wait_for(lambda: server.count("getUpdates") == 2)
        lease.held = False
        await server.queue(server.message_update("one"))
        await intake.wait_for(1)
        await lease.wait_until_asked(4)
        assert server.count("getUpdates") == 2


async def test_who_gets_the_lease_back_asks_from_where_telegram_stands(
    server, polling, intake, lease
):
    await server.queue(server.message_update("one"))
    async with listening(polling, intake):
        await server.wait_for(lambda: not server.waiting)
        lease.held = False
        await server.queue(server.message_update("two"))
        await lease.wait_until_asked(2)
        lease.held = True
        asked = server.count("getUpdates")
        await server.wait_for(lambda: server.count("getUpdates") > asked)
    assert asked_offsets(server)[asked] is None


async def test_a_store_that_is_away_is_no_lease(server, polling, intake, lease):
    lease.failures = 2
    await server.queue(server.message_update("hello"))
    async with listening(polling, intake):
        await intake.wait_for(1)
    assert len(lease.names) >= 3


@pytest.mark.parametrize(
    "fault",
    [
        Fault.broken(),
        Fault.dropped(),
        Fault.rate_limited(),
        *(Fault.garbled(body) for body in ("[]", "{}", "no JSON", '{"ok": false}')),
    ],
    ids=lambda fault: f"{fault.kind} {fault.told}",
)
async def test_failures_are_waited_out(server, polling, intake, fault):
    server.fail_next("deleteWebhook", fault)
    server.fail_next("getUpdates", fault, times=2)
    await server.queue(server.message_update("hello"))
    async with listening(polling, intake):
        await server.wait_for(lambda: not server.waiting)
    assert [update.text for update in intake.updates] == ["hello"]


async def test_a_second_poller_is_waited_out(server, polling, intake):
    async with listening(polling, intake):
        await server.wait_for(lambda: server.count("getUpdates") == 1)
        async with ClientSession() as other:
            await other.get(f"{server.url}/bot{server.token}/getUpdates")
        await server.queue(server.message_update("hello"))
        await intake.wait_for(1)
    assert server.count("getUpdates") >= 2


async def test_an_update_that_cannot_be_read_is_passed_over(server, polling, intake):
    odd = {"update_id": 90_000, "message": "no message"}
    await server.queue(odd, server.message_update("hello"))
    async with listening(polling, intake):
        await server.wait_for(lambda: not server.waiting)
    assert [update.text for update in intake.updates] == ["hello"]


async def test_polling_goes_on_without_the_bots_name(server, polling, intake):
    server.fail_next("getMe", Fault.broken())
    await server.queue(server.message_update("@signoff_bot hi", chat_id=-5))
    async with listening(polling, intake):
        await intake.wait_for(1)
    assert intake.last.text == "hi"
