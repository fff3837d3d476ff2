"""The local Slack and Telegram could be published: they need nothing of ours and fail alike."""

import ast
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest

from tests.fakes import platforms
from tests.fakes.platforms import Fault, SlackServer, TelegramServer
from tests.fakes.tables import table

KIT = Path(platforms.__file__).parent
PACKAGE = "tests.fakes.platforms"
NEEDS = {"aiohttp", "slack_sdk", "yaml"}
FILES = sorted(KIT.rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@table("path", FILES, ids=lambda path: str(path.relative_to(KIT)))
def test_the_kit_needs_nothing_of_ours(path: Path) -> None:
    foreign = {
        name
        for name in imports(path)
        if not name.startswith(PACKAGE)
        and name.partition(".")[0] not in NEEDS | set(sys.stdlib_module_names)
    }
    assert foreign == set()


@table("path", FILES, ids=lambda path: str(path.relative_to(KIT)))
def test_whatever_is_public_says_what_it_is(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    scopes = [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]
    silent = [
        node.name
        for scope in scopes
        for node in scope.body
        if isinstance(node, kinds) and not node.name.startswith("_")
        if not ast.get_docstring(node)
    ]
    assert ast.get_docstring(tree)
    assert silent == []


def test_the_page_of_the_kit_names_all_that_is_public() -> None:
    page = (KIT / "README.md").read_text("utf-8")
    assert [name for name in platforms.__all__ if f"`{name}" not in page] == []


def test_the_example_on_the_page_of_the_kit_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (KIT / "README.md").read_text("utf-8")
    code = page.partition("```python\n")[2].partition("```")[0]
    exec(compile(code, "README.md", "exec"), {"__name__": "example"})
    said = capsys.readouterr().out
    assert "ratelimited" in said
    assert "\nTrial\n" in said
    assert said.count("Attempt(") == 3


class Caller:
    """One method of a running server, called as its platform is called."""

    def __init__(self, server: SlackServer | TelegramServer) -> None:
        self.server = server
        self.slack = isinstance(server, SlackServer)
        self.method = "auth.test" if self.slack else "getMe"

    async def call(self) -> tuple[int, dict[str, object], str]:
        """Status, body ({} for none) and what `Retry-After` says."""
        server = self.server
        headers = {}
        if isinstance(server, SlackServer):
            url, headers = server.api_url + self.method, {"Authorization": "Bearer xoxb-stub"}
        else:
            url = f"{server.url}/bot{server.token}/{self.method}"
        async with (
            aiohttp.ClientSession(headers=headers) as http,
            http.post(url, json={}) as answer,
        ):
            body = await answer.json() if "json" in answer.content_type else {}
            return answer.status, body, answer.headers.get("Retry-After", "")


@pytest.fixture(params=[SlackServer, TelegramServer])
async def caller(request: pytest.FixtureRequest) -> AsyncIterator[Caller]:
    async with request.param() as server:
        yield Caller(server)


async def test_a_call_goes_well_again_after_the_faults_that_were_planned(caller: Caller) -> None:
    caller.server.fail_next(caller.method, Fault.broken(), times=2, after=1)
    assert [(await caller.call())[0] for _ in range(5)] == [200, 500, 500, 200, 200]


async def test_who_has_to_wait_is_told_for_how_long(caller: Caller) -> None:
    caller.server.fail_next(caller.method, Fault.rate_limited(2))
    status, body, header = await caller.call()
    assert status == 429
    assert header == "2" if caller.slack else body["parameters"] == {"retry_after": 2}


async def test_a_refusal_is_told_in_the_platforms_own_way(caller: Caller) -> None:
    caller.server.fail_next(caller.method, Fault.refused("not_allowed"))
    status, body, _ = await caller.call()
    assert not body["ok"]
    told = (200, "error", "not_allowed") if caller.slack else (400, "description", "Bad Request")
    assert (status, str(body[told[1]]).partition(":")[0]) == (told[0], told[2])


async def test_an_answer_is_lost_after_the_call_was_carried_out(caller: Caller) -> None:
    caller.server.fail_next(caller.method.upper(), Fault.dropped())
    with pytest.raises(aiohttp.ClientConnectionError):
        await caller.call()
    calls = caller.server.calls
    assert len(calls) == 1
    assert (await caller.call())[0] == 200


async def test_nothing_of_it_counts_as_the_callers_fault(caller: Caller) -> None:
    for fault in (Fault.broken(), Fault.rate_limited(), Fault.refused("no")):
        caller.server.fail_next(caller.method, fault)
        await caller.call()
    assert caller.server.faults == []
