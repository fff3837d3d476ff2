"""What a REDCap server may answer instead: each has its sentence, and none shows the token."""

import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import structlog
from aiohttp import web

from cards.texts import say, texts_of
from cards.texts.en.redcap import TEXTS
from engine.errors import ToolFailed
from tests.adapters.connections.redcap_part import Edc, opened
from tests.fakes.redcap_server import TOKEN, RedcapServer, Trouble
from tests.fakes.tables import table

OTHER = "F" * 32
ALIKE = ("fault", "redirect", "slow", "away", "denied")


async def failure(records: Edc) -> ToolFailed:
    with pytest.raises(ToolFailed) as caught:
        await records.visits("P003")
    return caught.value


def sentence(key: str, **values: object) -> tuple[str, str]:
    key = key if key in ALIKE else f"redcap.{key}"
    return tuple(say(f"connection.{key}", lang, name="edc", **values) for lang in ("zh", "en"))  # type: ignore[return-value]


def told(error: ToolFailed) -> tuple[str, str]:
    return error.text("zh"), error.text("en")


def test_every_cause_has_a_sentence_of_its_own() -> None:
    chinese = {texts_of("zh")[key] for key in TEXTS}
    assert len(set(TEXTS.values())) == len(chinese) == len(TEXTS)


async def test_wrong_token_is_told(server: RedcapServer) -> None:
    async with opened(server.url, token=OTHER) as records:
        assert told(await failure(records)) == sentence("denied", status=403)


async def test_missing_right_is_told_and_is_not_a_wrong_token(
    redcap: Edc, server: RedcapServer
) -> None:
    server.may_export = False
    assert told(await failure(redcap)) == sentence("rights")


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("broken", "fault"),
        ("bad_gateway", "fault"),
        ("page", "address"),
        ("other_json", "address"),
        ("redirect", "redirect"),
        ("cut", "cut"),
    ],
)
async def test_trouble_is_told_apart(
    kind: Trouble, key: str, redcap: Edc, server: RedcapServer
) -> None:
    server.trouble("export", kind)
    status = {"broken": 500, "bad_gateway": 502}.get(kind)
    assert told(await failure(redcap)) == sentence(key, status=status)
    assert await redcap.visits("P003")


async def test_redirect_does_not_carry_the_token_elsewhere(
    redcap: Edc, server: RedcapServer
) -> None:
    server.trouble("export", "redirect")
    await failure(redcap)
    assert server.elsewhere == []


async def test_server_that_does_not_answer_in_time_is_told(server: RedcapServer) -> None:
    server.trouble("export", "silent")
    async with opened(server.url, timeout_s=0.2) as records:
        assert told(await failure(records)) == sentence("slow", seconds="0.2")


async def test_server_that_is_not_there_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/api/"
        async with opened(url) as records:
            assert told(await failure(records)) == sentence("away")


async def test_address_with_nothing_at_it_is_told(server: RedcapServer) -> None:
    async with opened(server.url.replace("/api/", "/v2/api/")) as records:
        assert told(await failure(records)) == sentence("address")


async def test_field_that_the_project_does_not_have_is_told(
    redcap: Edc, server: RedcapServer
) -> None:
    server.project.fields = [f for f in server.project.fields if f.name != "ecog"]
    assert told(await failure(redcap)) == sentence("field", field="ecog")


@table(
    ("status", "body", "key"),
    [
        (401, '{"error": "Invalid token"}', "denied"),
        (403, "<html>blocked</html>", "rights"),
        (400, '{"error": "You must have \'API Export\' privileges in the project."}', "rights"),
        (400, '{"error": "no"}', "refused"),
        (200, '{"error": "no"}', "refused"),
        (406, "", "refused"),
        (503, "", "fault"),
        (200, "", "address"),
        (200, "[" * 100_000, "address"),
        (200, "\xff", "address"),
        (200, '["P003"]', "address"),
        (405, "", "address"),
        (302, "", "redirect"),
    ],
)
async def test_every_status_has_its_sentence(status: int, body: str, key: str) -> None:
    async with answering(status, body.encode("latin-1")) as url, opened(url) as records:
        assert told(await failure(records)) == sentence(key, status=status)


@asynccontextmanager
async def answering(status: int, body: bytes) -> AsyncIterator[str]:
    """The address of a server that gives one answer to everything."""

    async def handle(request: web.Request) -> web.Response:
        return web.Response(status=status, body=body, headers={"Location": "/api/"})

    app = web.Application()
    app.router.add_post("/api/", handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    await web.SockSite(runner, listener).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/api/"
    finally:
        await runner.cleanup()


async def test_closed_records_ask_nothing(redcap: Edc, server: RedcapServer) -> None:
    await redcap.connection.close()
    assert str(await failure(redcap)) == "edc is not asked any more: the service is about to end."
    assert server.calls == []


async def test_token_stands_in_no_error_and_no_line_of_the_log() -> None:
    words = json.dumps({"error": f"Bad token {TOKEN} " + "x" * 5000}).encode()
    async with answering(400, words) as url, opened(url) as records:
        with structlog.testing.capture_logs() as lines:
            error = await failure(records)
        shown = "".join(map(repr, (error, error.__cause__, records, records.connection.api, lines)))
    (line,) = lines
    assert TOKEN not in shown
    assert "Bad token ***" in line["words"]
    assert len(line["words"]) == 200
    assert "Bad token" not in "".join(told(error))
