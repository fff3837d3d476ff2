"""A system of record takes what runs of a case change, and says what is changed there."""

import asyncio
import hashlib
import hmac
import json
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.bot.signoff_process import ROOT, answering
from tests.fakes.feast import BY_FEAST
from tests.fakes.platforms.patience import until
from tests.fakes.ports import free_port
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Service, Start, nothing_goes_on
from tests.scenarios.test_cases import FEAST_CASE, card_with, serve, settle_guests, values

SECRET = "a-secret-of-the-tests-0123456789"
RECORD = "KITCHEN/feast/F-7"


@pytest.fixture
async def port() -> int:
    return free_port()


@pytest.fixture
async def service(start: Start, tmp_path: Path, port: int) -> Service:
    address = f"http://127.0.0.1:{port}/"
    folder = tmp_path / "kitchen"
    return await serve(start, folder, BY_FEAST, sync=address, sync_secret=SECRET)


@pytest.fixture
async def record(service: Service, port: int) -> AsyncIterator[aiohttp.ClientSession]:
    """The sample system of record, in a process of its own."""
    program = ROOT / "examples" / "system_of_record" / "receiver.py"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(program),
        str(port),
        service.url,
        env={"SIGNOFF_SYNC_SECRET": SECRET},
    )
    url = f"http://127.0.0.1:{port}"
    try:
        await answering(f"{url}/records")
        async with aiohttp.ClientSession(base_url=url) as session:
            yield session
    finally:
        process.kill()
        await process.wait()


async def records(record: aiohttp.ClientSession) -> dict[str, Any]:
    async with record.get("/records") as answer:
        found: dict[str, Any] = await answer.json()
        return found


async def test_what_is_changed_on_either_side_is_on_both_and_comes_back_to_nobody(
    service: Service, record: aiohttp.ClientSession
) -> None:
    async with WebRoom(service.url) as room:
        await settle_guests(room)
        assert await records(record) == {RECORD: {"guests": 80}}
        async with record.put(f"/records/{RECORD}", json={"guests": 95}) as answer:
            assert (await answer.json()) == {"signoff": 202}

        async def is_told() -> bool:
            return (await values(service, FEAST_CASE))["guests"] == 95

        await until(is_told)
        await room.say("ida", "choose the menu for F-7")
        await room.fill("ida", await card_with(room, "Menu"), "submit", menu="fish")
        await nothing_goes_on(service)
        assert await records(record) == {RECORD: {"guests": 95, "menu": "fish"}}
        assert (await values(service, FEAST_CASE))["guests"] == 95


async def test_who_changed_it_meanwhile_is_asked(
    service: Service, record: aiohttp.ClientSession
) -> None:
    async with WebRoom(service.url) as room, WebRoom(service.url, "second") as other:
        await other.say("otto", "count the guests")
        late = await other.card("clarify")
        await settle_guests(room)
        async with record.put(f"/records/{RECORD}", json={"guests": 95}) as answer:
            assert answer.status == 200
        await other.fill("otto", late, "submit", feast="F-7", guests="90", hall="Blue")
        card = await other.card("select")
        assert "ledger" in text_of(card)
        assert {row["value"] for row in card["rows"]} == {"90", "95"}


def signed(change: object, *, key: str = "k1", late_s: int = 0, secret: str = SECRET) -> Any:
    """What `aiohttp` posts for a change."""
    body, at = json.dumps(change).encode(), str(int(time.time()) - late_s)
    mac = hmac.new(secret.encode(), b":".join((b"v1", at.encode(), body)), hashlib.sha256)
    headers = {"Signoff-Timestamp": at, "Signoff-Signature": f"v1={mac.hexdigest()}"}
    return {"data": body, "headers": {**headers, "Idempotency-Key": key}}


CHANGE = {"project": "KITCHEN", "playbook": "feast", "case": "F-7", "fields": {"guests": 95}}


@pytest.mark.parametrize(
    ("change", "how", "status", "told"),
    [
        (CHANGE, {"secret": "another"}, 401, "Signature"),
        (CHANGE, {"late_s": 400}, 401, "Timestamp"),
        (CHANGE, {"late_s": -400}, 401, "Timestamp"),
        (CHANGE, {"key": ""}, 400, "Idempotency-Key"),
        ([], {}, 400, "body"),
        ({**CHANGE, "more": 1}, {}, 400, "more"),
        ({**CHANGE, "playbook": "ball"}, {}, 404, "ball"),
        ({**CHANGE, "fields": {"guests": 0}}, {}, 422, "guests: "),
        ({**CHANGE, "fields": {"guests": "many"}}, {}, 422, "guests: "),
        ({**CHANGE, "fields": {"words": "x"}}, {}, 422, "each request has its own"),
        ({**CHANGE, "fields": {"colour": "x"}}, {}, 422, "no such field"),
    ],
)
async def test_what_cannot_be_a_change_is_refused_with_the_reason(
    start: Start, tmp_path: Path, change: object, how: Any, status: int, told: str
) -> None:
    service = await serve(start, tmp_path / "kitchen", BY_FEAST, sync_secret=SECRET)
    url = f"{service.url}/internal/cases/changes"
    async with aiohttp.ClientSession() as http:
        async with http.post(url, **signed(change, **how)) as answer:
            assert answer.status == status
            assert told in (await answer.json())["error"]
        assert not await service.parts.services.cases.ids()


async def test_a_repeat_changes_nothing(start: Start, tmp_path: Path) -> None:
    service = await serve(start, tmp_path / "kitchen", BY_FEAST, sync_secret=SECRET)
    url = f"{service.url}/internal/cases/changes"

    async def guests() -> object:
        found = await service.parts.services.cases.read(FEAST_CASE)
        return json.loads(found)["leaves"]["guests"]["value"] if found else None

    async with aiohttp.ClientSession() as http:
        for number, (key, seats) in enumerate((("k1", 95), ("k2", 97), ("k1", 95), ("k3", 98))):
            change = {**CHANGE, "case": "F-7", "fields": {"guests": seats}}
            async with http.post(url, **signed(change, key=key)) as answer:
                assert answer.status == 202
                assert (await answer.json())["repeated"] is (number == 2)

        async def is_last() -> bool:
            return await guests() == 98

        await until(is_last)
    case = json.loads(await service.parts.services.cases.read(FEAST_CASE))
    assert case["version"] == 3
