"""Hostile files and hosts: a clear sentence for the person, and a service that goes on."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.fakes import file_makers as made
from tests.fakes.platforms.file_host import Hosted
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_platform_walk import SlackSide, slack_settings, with_accounts

MB = 1024**2


@pytest.fixture
async def side(
    start: Start,
    slack: SlackServer,
    http: aiohttp.ClientSession,
    people_file: Path,
    request: pytest.FixtureRequest,
) -> SlackSide:
    people, seconds = with_accounts(people_file, slack.team), getattr(request, "param", 60)
    service = await start(people=people, file_seconds=seconds, **slack_settings(slack))
    return SlackSide(service, slack, http)


@pytest.fixture
async def elsewhere() -> AsyncIterator[tuple[str, list[str]]]:
    """A host that is not the platform's: its address, and the authorizations it was shown."""
    shown: list[str] = []

    async def take(request: web.Request) -> web.Response:
        shown.append(request.headers.get("Authorization", ""))
        return web.Response(body=b"a,b\n")

    app = web.Application()
    app.router.add_get("/{path:.*}", take)
    async with TestServer(app, host="127.0.0.1") as server:
        yield str(server.make_url("/stolen.csv")), shown


async def healthy(side: SlackSide) -> None:
    """The service is ready, and answers somebody else at once."""
    url = side._url.removesuffix("/slack/events")
    async with side._http.get(f"{url}/readyz") as answer:
        assert answer.status == 200
    async with WebRoom(url, "meanwhile") as room:
        await room.say("chen", "P003 的 ECOG 是多少")
        await room.wait_for(lambda message: "P003" in text_of(message))


async def test_a_table_of_a_gigabyte_is_refused_while_it_comes(side: SlackSide) -> None:
    row = b"2026-03-05,1200\n" * 65_536
    claimed_small = side.server.file_of("big.csv", Hosted(row, times=1024), size=1000)
    await side.send(side.server.file_event("", claimed_small))
    await healthy(side)
    await side.shown("big.csv: larger than 20 MB, not taken.")
    assert side.server.host.sent_bytes < 60 * MB
    claimed = side.server.file_of("huge.csv", Hosted(row), size=1024 * MB)
    await side.send(side.server.file_event("", claimed))
    await side.shown("huge.csv: larger than 20 MB, not taken.")
    assert len(side.server.host.asked) == 1


@pytest.mark.parametrize("side", [3], indirect=True)
async def test_a_host_that_never_ends_holds_up_nobody_else(side: SlackSide) -> None:
    slow = side.server.file_of("slow.csv", Hosted(b"a,b\n", stalls=True))
    await side.send(side.server.file_event("", slow))
    await healthy(side)
    await side.shown("slow.csv: could not be fetched; please send it again.")


async def test_the_token_goes_to_the_platform_alone(
    side: SlackSide, elsewhere: tuple[str, list[str]]
) -> None:
    address, shown = elsewhere
    led = side.server.file_of("led.csv", Hosted(leads_to=address))
    lying = side.server.file_of("lying.csv", Hosted(b"a\n")) | {"url_private_download": address}
    await side.send(side.server.file_event("", led, lying))
    message = await side.shown("led.csv: the platform does not let me have this file")
    assert "lying.csv: the platform does not let me have this file" in message.body
    assert shown == []


async def test_a_redirect_within_the_platform_is_followed(side: SlackSide) -> None:
    side.server.file_of("target.csv", Hosted(b"a,b\n1,2\n"))
    target = f"/files-pri/{list(side.server.host.hosted)[-1]}"
    await side.send(
        side.server.file_event("", side.server.file_of("r.csv", Hosted(leads_to=target)))
    )
    await side.shown("r.csv: taken (CSV, 8 B).")


async def test_a_platform_that_fails_once_is_asked_again(side: SlackSide) -> None:
    away = side.server.file_of("away.csv", Hosted(status=503))
    await side.send(side.server.file_event("", away))
    await side.shown("away.csv: could not be fetched; please send it again.")
    assert len(side.server.host.asked) == 2


async def test_every_hostile_file_is_told_by_its_fault(side: SlackSide) -> None:
    files = {
        "bomb.docx": (made.zip_bomb(), "would unpack to far too much, not taken."),
        "half.pdf": (made.pdf()[:200], "is damaged, not taken."),
        "outer.docx": (made.docx_with_entity("file:///etc/hostname"), "may be harmful, not taken."),
        "tool.pdf": (b"MZ\x90\x00" + bytes(400), "not of a kind that I can read, not taken."),
        "none.txt": (b"", "is empty, not taken."),
        "letter.txt": (made.pdf(), "kept as letter.txt.pdf."),
    }
    sent = [side.server.file_of(name, Hosted(content)) for name, (content, _) in files.items()]
    await side.send(side.server.file_event("", *sent))
    await healthy(side)
    message = await side.shown("bomb.docx")
    for name, (_, fault) in files.items():
        line = next(line for line in message.body.splitlines() if name in line)
        assert fault in line


async def test_too_many_files_are_told_apart(side: SlackSide) -> None:
    sent = [side.server.file_of(f"{n}.csv", Hosted(f"a\n{n}\n".encode())) for n in range(11)]
    await side.send(side.server.file_event("", *sent))
    message = await side.shown("10.csv: too many files in one message")
    assert "9.csv: taken" in message.body


async def test_a_folder_that_cannot_be_written_is_said(start: Start, tmp_path: Path) -> None:
    service: Service = await start()
    (tmp_path / "data" / "files").mkdir(parents=True, exist_ok=True)
    (tmp_path / "data" / "files" / "SIGNOFF-101").write_text("in the way")
    async with WebRoom(service.url, "full") as room:
        await room.share("lin", "", a__csv=b"a\n1\n")
        await room.wait_for(lambda m: "a.csv: could not be fetched" in text_of(m))
