"""What docs/sync.md tells a receiver to do fits what is sent."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from adapters.clock import SystemClock
from adapters.sync.http import HttpRecord
from tests.fakes.changes import change

PAGE = (Path(__file__).parents[3] / "docs" / "sync.md").read_text("utf-8")
Check = Callable[[str, dict[str, str], bytes], bool]


def fenced(language: str) -> str:
    """The first block in that language."""
    return str(re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[0])


@pytest.fixture
def is_genuine() -> Check:
    names: dict[str, Check] = {}
    exec(fenced("python"), names)
    return names["is_genuine"]


async def sent() -> tuple[dict[str, str], bytes]:
    """The headers and body of a change, as a receiver sees them."""
    came: list[tuple[dict[str, str], bytes]] = []

    async def handle(request: web.Request) -> web.Response:
        came.append((dict(request.headers), await request.read()))
        return web.Response()

    app = web.Application()
    app.router.add_post("/", handle)
    record = HttpRecord(SecretStr("secret"), SystemClock("UTC"))
    async with TestServer(app, host="127.0.0.1") as server:
        await record.take(change(to=str(server.make_url("/"))))
    await record.close()
    return came[0]


async def test_the_check_of_the_page_knows_what_is_sent_from_anything_else(
    is_genuine: Check,
) -> None:
    headers, body = await sent()
    old = str(int(headers["Signoff-Timestamp"]) - 400)
    assert is_genuine("secret", headers, body)
    assert not is_genuine("other", headers, body)
    assert not is_genuine("secret", headers, body.replace(b"12.5", b"99.5"))
    assert not is_genuine("secret", headers | {"Signoff-Timestamp": old}, body)
    assert not is_genuine("secret", headers | {"Signoff-Signature": "v1=ü"}, body)
    assert not is_genuine("secret", {}, body)


async def test_the_example_of_the_page_has_what_is_sent() -> None:
    headers, body = await sent()
    assert list(json.loads(fenced("json"))) == list(json.loads(body))
    for name in re.findall(r"^\| `([A-Za-z-]+)` \|", PAGE, re.MULTILINE):
        assert name in headers
