"""What an endpoint gets, and what each of its answers means (docs/sync.md)."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime

import pytest
from pydantic import SecretStr

from adapters.clock import SystemClock
from adapters.sync.http import LONGEST_WAIT_S, HttpRecord
from engine.errors import RateLimited, SyncRefused, Unavailable
from engine.ports.systems.sync import target_fault
from tests.fakes.changes import change
from tests.fakes.record_server import SECRET, RecordServer


@pytest.fixture
async def server() -> AsyncIterator[RecordServer]:
    async with RecordServer() as server:
        yield server


@pytest.fixture
async def record() -> AsyncIterator[HttpRecord]:
    record = HttpRecord(SecretStr(SECRET), SystemClock("UTC"))
    yield record
    await record.close()


class LateClock(SystemClock):
    """Ten minutes behind."""

    def now(self) -> datetime:
        return super().now() - timedelta(minutes=10)


class StoppedClock:
    def now(self) -> datetime:
        return datetime(2026, 11, 21, 9, 30, tzinfo=UTC)

    def today(self) -> date:
        return date(2026, 11, 21)

    def elapsed_s(self) -> float:
        return 0.0


async def test_a_change_arrives_signed_under_its_key(
    server: RecordServer, record: HttpRecord
) -> None:
    await record.take(change(3, to=server.url, attempt=2))
    assert server.faults == []
    assert server.kept == {
        "0-run:sync:3": {
            "run": "0-run",
            "playbook": "litigation",
            "project": "",
            "case": None,
            "conversation": "web:local:main",
            "requester": "lin",
            "number": 3,
            "by": "litigation-intake",
            "at": "2026-11-21T09:30:00Z",
            "fields": {"profile.amount": 12.5, "name": "原告", "decisions.plan": None},
            "by_kind": "",
            "decided": [],
            "request": "",
            "request_key": "",
            "ended": None,
        }
    }


async def test_a_repeat_is_the_same_request_and_is_kept_once(
    server: RecordServer, record: HttpRecord
) -> None:
    await record.take(change(to=server.url))
    await record.take(change(to=server.url, attempt=2))
    assert (server.keys, len(server.kept)) == (["0-run:sync:1"] * 2, 1)


@pytest.mark.parametrize("status", [200, 201, 202, 204])
async def test_every_2xx_means_taken(status: int, server: RecordServer, record: HttpRecord) -> None:
    server.answer(status)
    await record.take(change(to=server.url))
    assert server.keys == ["0-run:sync:1"]


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503])
async def test_some_answers_mean_later(
    status: int, server: RecordServer, record: HttpRecord
) -> None:
    server.answer(status, "no matter")
    with pytest.raises(Unavailable, match=f"127.0.0.1 answered {status}$"):
        await record.take(change(to=server.url))


@pytest.mark.parametrize(
    ("said", "wait_s"),
    [
        ("7", 7.0),
        ("0", 1.0),
        ("999999999", LONGEST_WAIT_S),
        (format_datetime(datetime(2026, 11, 21, 9, 32, tzinfo=UTC), usegmt=True), 120.0),
        ("Sat, 21 Nov 2026 09:31:00 -0000", 60.0),
        (format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True), 1.0),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
async def test_the_wait_that_an_endpoint_asks_for_is_told(
    status: int, said: str, wait_s: float, server: RecordServer
) -> None:
    clock = StoppedClock()
    server.now = lambda: clock.now().timestamp()
    record = HttpRecord(SecretStr(SECRET), clock)
    server.answer(status, headers={"Retry-After": said})
    with pytest.raises(RateLimited) as caught:
        await record.take(change(to=server.url))
    assert caught.value.retry_after_s == wait_s
    await record.close()


@pytest.mark.parametrize("said", ["soon", "-5", "", "1.5", "Sat, 99 Nov 2026 09:31:00 GMT"])
async def test_a_wait_that_cannot_be_read_is_left_to_us(
    said: str, server: RecordServer, record: HttpRecord
) -> None:
    server.answer(429, headers={"Retry-After": said})
    with pytest.raises(Unavailable):
        await record.take(change(to=server.url))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 422])
async def test_every_other_answer_refuses_and_says_why(
    status: int, server: RecordServer, record: HttpRecord
) -> None:
    server.answer(status, "no field\n\t profile.amount\x1b[31m \u202ehere")
    told = f"127.0.0.1 answered {status}: no field profile.amount [31m here"
    with pytest.raises(SyncRefused) as caught:
        await record.take(change(to=server.url))
    assert str(caught.value) == told


async def test_of_a_long_refusal_the_beginning_is_told(
    server: RecordServer, record: HttpRecord
) -> None:
    server.answer(422, "原" * 1_000_000)
    with pytest.raises(SyncRefused) as caught:
        await record.take(change(to=server.url))
    assert str(caught.value) == "127.0.0.1 answered 422: " + "原" * 200


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_refuses_and_is_not_followed(
    status: int, server: RecordServer, record: HttpRecord
) -> None:
    server.answer(status, headers={"Location": "/elsewhere"})
    with pytest.raises(SyncRefused, match=f"answered {status}"):
        await record.take(change(to=server.url))
    assert server.elsewhere == 0


async def test_a_lost_answer_means_later_and_the_repeat_is_recognised(
    server: RecordServer, record: HttpRecord
) -> None:
    server.lose_answer()
    with pytest.raises(Unavailable, match="no answer from 127"):
        await record.take(change(to=server.url))
    await record.take(change(to=server.url))
    assert (server.keys, len(server.kept)) == (["0-run:sync:1"] * 2, 1)


async def test_no_answer_in_time_means_later(server: RecordServer) -> None:
    record = HttpRecord(SecretStr(SECRET), SystemClock("UTC"), timeout_s=0.2)
    server.stay_silent()
    with pytest.raises(Unavailable, match="did not answer in time"):
        await record.take(change(to=server.url))
    await record.close()


async def test_a_refusal_whose_words_do_not_come_refuses_all_the_same() -> None:
    left = asyncio.Event()

    async def halting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 422 No\r\nContent-Length: 900\r\n\r\nno such field")
        await writer.drain()
        await reader.read()
        writer.close()
        await writer.wait_closed()
        left.set()

    record = HttpRecord(SecretStr(SECRET), SystemClock("UTC"), timeout_s=0.5)
    halted = await asyncio.start_server(halting, "127.0.0.1", 0)
    async with halted:
        port = halted.sockets[0].getsockname()[1]
        with pytest.raises(SyncRefused, match=r"answered 422: no such field$"):
            await record.take(change(to=f"http://127.0.0.1:{port}/"))
        await record.close()
        await left.wait()


async def test_nobody_at_the_address_means_later(record: HttpRecord) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/"
        with pytest.raises(Unavailable, match="no answer from 127"):
            await record.take(change(to=url))


@pytest.mark.parametrize(
    ("to", "why"),
    [
        ("ftp://example.com/", "should begin with https://"),
        ("matters", "should begin with https://"),
        ("", "should begin with https://"),
        ("http://example.com/", "not on this machine"),
        ("http://127.0.0.1.example.com/", "not on this machine"),
        ("https://lin:pass@example.com/", "no password"),
        ("https://lin@example.com/", "no password"),
        ("http://127.0.0.1@example.com/", "no password"),
        ("https:///matters", "is not an address"),
        ("https://example.com:0/", "is not an address"),
        ("https://example.com:port/", "is not an address"),
        ("https://[::1/", "is not an address"),
        ("https://exämple.com/", "is not an address"),
        ("https://example.com/\r\nX: y", "is not an address"),
        ("https://example.com/a b", "no space"),
        ("https://example.com/#a", "no space"),
    ],
)
async def test_nothing_is_sent_to_an_address_that_is_not_safe(
    to: str, why: str, record: HttpRecord
) -> None:
    with pytest.raises(SyncRefused, match=why):
        await record.take(change(to=to))
    told = target_fault(to, signed=True)
    assert told is not None
    assert why in told


@pytest.mark.parametrize(
    "to",
    [
        "sample",
        "https://example.com/matters?tenant=1",
        "http://localhost:9/",
        "http://127.0.0.1/",
        "http://[::1]:9/",
    ],
)
def test_a_good_target_has_no_fault(to: str) -> None:
    assert target_fault(to, signed=True) is None
    unsigned = target_fault(to, signed=False)
    assert (unsigned is None) == (to == "sample")


async def test_nothing_is_sent_without_a_secret(server: RecordServer) -> None:
    record = HttpRecord(None, SystemClock("UTC"))
    with pytest.raises(SyncRefused, match="SIGNOFF_SYNC_SECRET should be set"):
        await record.take(change(to=server.url))
    assert (server.keys, server.faults) == ([], [])


async def test_nothing_is_sent_after_the_end(server: RecordServer, record: HttpRecord) -> None:
    await record.close()
    with pytest.raises(Unavailable):
        await record.take(change(to=server.url))
    assert server.keys == []


async def test_the_endpoint_of_these_tests_is_strict(server: RecordServer) -> None:
    for secret, clock in (("other", SystemClock("UTC")), (SECRET, LateClock("UTC"))):
        record = HttpRecord(SecretStr(secret), clock)
        with pytest.raises(SyncRefused, match="answered 400"):
            await record.take(change(to=server.url))
        await record.close()
    assert (server.faults, server.kept) == (["signature", "timestamp"], {})


def test_what_is_sent_is_json_that_anybody_reads() -> None:
    odd = change(fields={"profile.x": float("nan"), "profile.y": [1, {"z": "ü"}]})
    again = type(odd).model_validate_json(odd.model_dump_json())
    assert json.loads(again.model_dump_json(include={"fields"})) == {
        "fields": {"profile.x": None, "profile.y": [1, {"z": "ü"}]}
    }
