"""What a run learned reaches the system of record, and the run hears of it (spec 003, Sync)."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing

import pytest
from pydantic import SecretStr

from adapters.sync.http import HttpRecord
from bot.serve.delivery.carriers import AT_ONCE, ChangeCarrier
from bot.serve.delivery.delivery import FAULTS, Delivery
from bot.serve.delivery.localizer import Localizer
from bot.serve.delivery.pacing import LONGEST_S, backoff_s
from bot.settings import Settings
from bot.wiring.service import Parts, open_parts
from engine.mail import ChangeSynced, SyncFailed, parse_mail
from engine.ports.storage.store import Claim, Effects, Post
from engine.ports.systems.sync import Change, SystemOfRecord
from tests.fakes.changes import change
from tests.fakes.platforms.patience import START_S, within
from tests.fakes.record_server import SECRET, RecordServer
from tests.scenarios.conftest import running
from tests.scenarios.test_faults import Wall, note, post

HERE = "web:local:main"
DAY_S = 24 * 3600.0
NewSettings = Callable[..., Settings]


@pytest.fixture
async def server() -> AsyncIterator[RecordServer]:
    """An endpoint to which nothing wrong was sent."""
    async with RecordServer() as server:
        yield server
    assert server.faults == []


@pytest.fixture
async def parts(new_settings: NewSettings) -> AsyncIterator[Parts]:
    async with open_parts(new_settings(sync_secret=SecretStr(SECRET))) as parts:
        yield parts


def row_of(change: Change) -> Post:
    """The row, as a run posts it."""
    body = change.model_dump_json()
    return Post(change.row, f"sync:{change.run}", "sync", change.row, body=body)


async def post_more(parts: Parts, *posts: Post) -> None:
    """Post rows in a commit of their own, after those of `post`."""
    await parts.store.mailbox.put(f"control:{HERE}", "x", update_id="more")
    (claim,) = (await parts.store.mailbox.take(1)).claims
    await parts.store.mailbox.commit(claim, Effects(posts=posts), pop=True)


def new_run(parts: Parts) -> str:
    return parts.services.new_id(HERE)


@asynccontextmanager
async def delivering(
    parts: Parts,
    *,
    wall: Wall | None = None,
    lease_s: float = 30.0,
    record: SystemOfRecord | None = None,
) -> AsyncIterator[None]:
    delivery = Delivery(
        parts.store.outbox,
        {"web": wall or Wall({})},
        parts.services.clock,
        carriers=(
            ChangeCarrier(
                parts.store.outbox,
                parts.store.mailbox,
                record or parts.resources.record,
                lease_s=lease_s,
            ),
        ),
        rate=parts.store.rate,
        localizer=Localizer(parts.resources.people, "Asia/Shanghai"),
        reply_after_s=0,
        lease_s=lease_s,
        meter=parts.telemetry.meter,
    )
    stop = asyncio.Event()
    async with (
        asyncio.TaskGroup() as group,
        within(START_S, "the block ends, and delivery with it"),
    ):
        group.create_task(delivery.run(stop))
        yield
        stop.set()
        delivery.wake()


async def next_mail(parts: Parts) -> Claim:
    """The next mail of any lane, taken away."""
    while True:
        for claim in (await parts.store.mailbox.take(1)).claims:
            await parts.store.mailbox.commit(claim, Effects(), pop=True, after="release")
            return claim
        await parts.store.mailbox.wait(1.0)


async def nothing_left(parts: Parts) -> bool:
    """Whether no lane has mail and no row waits."""
    backlog = await parts.store.operations.backlog()
    return (backlog.lanes, backlog.destinations) == (0, 0)


async def kept_of(parts: Parts, row: str, field: str) -> str | None:
    (key,) = await parts.store.client.keys(f"*:row:{row}")
    found: str | None = await parts.store.client.hget(key, field)
    return found


async def test_a_change_is_taken_and_its_run_hears_of_it(
    parts: Parts, server: RecordServer
) -> None:
    run = new_run(parts)
    sent = change(7, run=run, to=server.url)
    await post(parts, row_of(sent))
    async with delivering(parts):
        claim = await next_mail(parts)
    assert (claim.lane, parse_mail(claim.mail)) == (f"run:{run}", ChangeSynced(number=7))
    assert (server.keys, await nothing_left(parts)) == ([sent.key], True)


async def test_a_lost_answer_is_asked_for_again_and_the_change_kept_once(
    parts: Parts, server: RecordServer
) -> None:
    sent = change(run=new_run(parts), to=server.url)
    server.lose_answer()
    await post(parts, row_of(sent))
    async with delivering(parts):
        assert parse_mail((await next_mail(parts)).mail) == ChangeSynced(number=1)
    assert (server.keys, list(server.kept)) == ([sent.key] * 2, [sent.key])
    assert await nothing_left(parts)


async def test_silence_ends_before_another_may_repeat_the_change(
    parts: Parts, server: RecordServer
) -> None:
    sent = change(run=new_run(parts), to=server.url)
    server.stay_silent()
    await post(parts, row_of(sent))
    async with delivering(parts, lease_s=1):
        await server.wait_for(lambda: len(server.keys) == 2)
        server.hang_up()
        assert parse_mail((await next_mail(parts)).mail) == ChangeSynced(number=1)
    assert list(server.kept) == [sent.key]


async def test_a_worker_that_ended_before_it_said_so_repeats_harmlessly(
    parts: Parts, server: RecordServer
) -> None:
    """The change was taken and the run told; then the worker was gone, and the row is there."""
    sent = change(run=new_run(parts), to=server.url)
    await parts.resources.record.take(sent)
    mail = ChangeSynced(number=1).model_dump_json()
    await parts.store.mailbox.put(f"run:{sent.run}", mail, update_id=f"{sent.key}:taken")
    assert parse_mail((await next_mail(parts)).mail) == ChangeSynced(number=1)
    await post(parts, row_of(sent))
    async with delivering(parts):
        await server.wait_for(lambda: len(server.keys) == 2)
    assert list(server.kept) == [sent.key]
    assert await nothing_left(parts)


async def test_a_worker_that_ended_after_a_refusal_tells_it_once(
    parts: Parts, server: RecordServer
) -> None:
    sent = change(run=new_run(parts), to=server.url)
    mail = SyncFailed(number=1, attempt=1, reason="before").model_dump_json()
    await parts.store.mailbox.put(f"run:{sent.run}", mail, update_id=f"{sent.key}:refused:1")
    assert parse_mail((await next_mail(parts)).mail).kind == "sync_failed"
    server.answer(422)
    await post(parts, row_of(sent))
    async with delivering(parts):
        await server.wait_for(lambda: len(server.keys) == 1)
    assert await nothing_left(parts)


async def test_changes_of_a_run_arrive_in_order(parts: Parts, server: RecordServer) -> None:
    run = new_run(parts)
    first, second = (change(number, run=run, to=server.url) for number in (9, 10))
    server.answer(503)
    await post(parts, row_of(first))
    await post_more(parts, row_of(second))
    async with delivering(parts):
        assert parse_mail((await next_mail(parts)).mail) == ChangeSynced(number=9)
        assert parse_mail((await next_mail(parts)).mail) == ChangeSynced(number=10)
    assert server.keys == [first.key, first.key, second.key]


async def test_a_refused_change_is_dropped_and_its_run_told_why(
    parts: Parts, server: RecordServer
) -> None:
    run = new_run(parts)
    refused, again = (change(2, run=run, to=server.url, attempt=n) for n in (3, 4))
    server.answer(422, "no such field")
    await post(parts, row_of(refused))
    reason = "127.0.0.1 answered 422: no such field"
    async with delivering(parts):
        claim = await next_mail(parts)
        assert claim.lane == f"run:{run}"
        assert parse_mail(claim.mail) == SyncFailed(number=2, attempt=3, reason=reason)
    assert await kept_of(parts, refused.row, "dropped") == reason
    assert await nothing_left(parts)
    await post_more(parts, row_of(again))
    async with delivering(parts):
        assert parse_mail((await next_mail(parts)).mail) == ChangeSynced(number=2)
    assert server.keys == [refused.key] * 2


async def test_only_the_run_that_is_told_to_wait_waits(parts: Parts, server: RecordServer) -> None:
    slow = change(run=new_run(parts), to=server.url)
    other = change(run=new_run(parts), to=server.url)
    server.answer(429, headers={"Retry-After": "600"})
    await post(parts, row_of(slow))
    wall = Wall({})
    async with delivering(parts, wall=wall):
        await server.wait_for(lambda: server.keys == [slow.key])
        await post_more(parts, row_of(other), note("meanwhile", HERE))
        claim = await next_mail(parts)
        await wall.wait_until_shown("meanwhile")
    assert (claim.lane, parse_mail(claim.mail)) == (f"run:{other.run}", ChangeSynced(number=1))
    assert server.keys == [slow.key, other.key]
    _, next_s = await parts.store.outbox.take_rows(5)
    assert 500 < next_s <= 600


async def test_a_wait_that_is_over_is_followed_by_the_change(
    parts: Parts, server: RecordServer
) -> None:
    sent = change(run=new_run(parts), to=server.url)
    server.answer(429, headers={"Retry-After": "1"})
    await post(parts, row_of(sent))
    async with delivering(parts):
        assert parse_mail((await next_mail(parts)).mail) == ChangeSynced(number=1)
    assert server.keys == [sent.key] * 2


async def test_silent_endpoints_hold_up_no_message_to_people(
    parts: Parts, server: RecordServer
) -> None:
    server.stay_silent()
    changes = [row_of(change(run=new_run(parts), to=server.url)) for _ in range(40)]
    await post(parts, *changes)
    wall = Wall({})
    # Nobody gives an endpoint up before the test does.
    record = HttpRecord(SecretStr(SECRET), parts.services.clock, timeout_s=DAY_S)
    async with delivering(parts, wall=wall, lease_s=2 * DAY_S, record=record):
        await server.wait_for(lambda: len(server.keys) == AT_ONCE)
        await post_more(parts, note("hello", HERE))
        await wall.wait_until_shown("hello")
        assert len(server.keys) == AT_ONCE
        server.hang_up()
    await record.close()


async def test_a_run_that_takes_no_mail_is_told_when_it_does_again(
    new_settings: NewSettings, server: RecordServer
) -> None:
    settings = new_settings(sync_secret=SecretStr(SECRET), mailbox_length=1)
    async with open_parts(settings) as parts:
        sent = change(run=new_run(parts), to=server.url)
        await post(parts, row_of(sent))
        await parts.store.mailbox.put(f"run:{sent.run}", "in the way", update_id="in the way")
        async with delivering(parts):
            await server.wait_for(lambda: len(server.keys) == 1)
            assert (await next_mail(parts)).mail == "in the way"
            assert parse_mail((await next_mail(parts)).mail) == ChangeSynced(number=1)
        assert list(server.kept) == [sent.key]


@pytest.mark.parametrize("body", ["{}", "no JSON"])
async def test_a_change_that_cannot_be_read_is_not_lost_in_silence(
    body: str, parts: Parts, server: RecordServer
) -> None:
    sent = change(3, run=new_run(parts), to=server.url, attempt=2)
    await post(parts, Post(sent.row, f"sync:{sent.run}", "sync", sent.row, body=body))
    (key,) = await parts.store.client.keys(f"*:row:{sent.row}")
    await parts.store.client.hset(key, "attempts", FAULTS)
    async with delivering(parts):
        claim = await next_mail(parts)
    told = SyncFailed(number=3, attempt=2, reason="fault: ValidationError")
    assert (claim.lane, parse_mail(claim.mail)) == (f"run:{sent.run}", told)
    assert await nothing_left(parts)


async def test_a_change_that_waited_too_long_is_not_lost_in_silence(
    parts: Parts, server: RecordServer
) -> None:
    sent = change(3, run=new_run(parts), to=server.url)
    await post(parts, row_of(sent))
    (key,) = await parts.store.client.keys(f"*:row:{sent.row}")
    await parts.store.client.delete(key)
    async with delivering(parts):
        mail = parse_mail((await next_mail(parts)).mail)
    assert isinstance(mail, SyncFailed)
    assert (mail.number, mail.attempt) == (3, 1)
    assert (server.keys, await nothing_left(parts)) == ([], True)


@pytest.mark.parametrize("row", ["odd", "odd/sync/1.1"])
async def test_a_row_that_names_no_run_of_ours_holds_up_nothing(row: str, parts: Parts) -> None:
    await post(parts, Post(row, "sync:odd", "sync", row, body="{}"))
    (key,) = await parts.store.client.keys(f"*:row:{row}")
    await parts.store.client.hset(key, "attempts", FAULTS)
    wall = Wall({})
    async with delivering(parts, wall=wall):
        await post_more(parts, note("next", HERE))
        await wall.wait_until_shown("next")
    assert await nothing_left(parts)


async def test_a_running_service_sends_what_waits(
    new_settings: NewSettings, server: RecordServer
) -> None:
    settings = new_settings(sync_secret=SecretStr(SECRET))
    async with open_parts(settings) as parts:
        sent = change(run=new_run(parts), to=server.url)
        await post(parts, row_of(sent), row_of(change(run=new_run(parts), to="sample")))
    async with running(settings) as service:
        await server.wait_for(lambda: list(server.kept) == [sent.key])
        file = service.parts.settings.data_dir / "record.sqlite3"
        async with within(START_S, "nothing waits any more"):
            while not await nothing_left(service.parts):
                await service.parts.store.mailbox.wait(0.1)
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT number FROM changes").fetchall() == [(1,)]


async def test_without_a_secret_an_operator_is_needed(
    new_settings: NewSettings, server: RecordServer
) -> None:
    async with open_parts(new_settings()) as parts:
        await post(parts, row_of(change(run=new_run(parts), to=server.url)))
        async with delivering(parts):
            mail = parse_mail((await next_mail(parts)).mail)
    assert isinstance(mail, SyncFailed)
    assert "SIGNOFF_SYNC_SECRET should be set" in mail.reason
    assert server.keys == []


def test_pauses_grow_and_stay_numbers_however_long_something_is_away() -> None:
    assert 0.5 <= backoff_s(0) <= 1
    assert 8 <= backoff_s(4) <= 16
    assert LONGEST_S / 2 <= backoff_s(5000) <= LONGEST_S
