"""An HTTP API is read and written as its file says, and never more than that."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from adapters.connections.http.connection import HttpConnection
from adapters.connections.http.model import HttpSettings
from engine.errors import ToolFailed, ToolRetry, ToolUnsure
from engine.ports.systems.connections import BadCall, CallRequest
from tests.adapters.connections.http_server import Api, serve
from tests.fakes.tables import table

ENVIRONMENT = {"TOKEN": "s3cret-token", "PASSWORD": "pässword", "CLIENT": "cl1ent"}


def connect(api: Api, **more: Any) -> HttpConnection:
    settings = HttpSettings.model_validate(
        {"address": f"{api.url}/api", "timeout_s": 5, **more}, context={"environment": ENVIRONMENT}
    )
    return HttpConnection("expenses", settings)


def request(
    body: dict[str, Any], *arguments: str, writes: bool = False, result: str = "one"
) -> CallRequest:
    return CallRequest(body, frozenset(arguments), writes, result)


async def ask(
    connection: HttpConnection,
    body: dict[str, Any],
    values: dict[str, Any] | None = None,
    *,
    key: str = "",
    writes: bool = False,
    result: str = "one",
) -> Any:
    """One call; the connection is closed after it."""
    values = values or {}
    names = (*values, "missing")
    try:
        call = connection.prepare(request(body, *names, writes=writes, result=result))
        return await call(values, key=key)
    finally:
        await connection.close()


async def test_a_read_fills_in_path_and_query() -> None:
    async with serve(lambda _: {"id": "E 7/1", "amount": 120.5}) as api:
        told = await ask(
            connect(api),
            {"path": "/expenses/{id}", "query": {"lang": "{lang}", "who": "{missing}", "n": 3}},
            {"id": "E 7/1", "lang": "a&b=c"},
        )
    assert told == {"id": "E 7/1", "amount": 120.5}
    assert api.asked[0].raw_path == "/api/expenses/E%207%2F1?lang=a%26b%3Dc&n=3"


@pytest.mark.parametrize("value", ["..", ".", "", "%2e%2e"])
async def test_a_value_never_leaves_its_segment(value: str) -> None:
    async with serve(lambda _: {}) as api:
        if value == "%2e%2e":
            await ask(connect(api), {"path": "/expenses/{id}"}, {"id": value})
            assert api.asked[0].raw_path == "/api/expenses/%252e%252e"
        else:
            with pytest.raises(ToolRetry):
                await ask(connect(api), {"path": "/expenses/{id}"}, {"id": value})
            assert not api.asked


async def test_a_write_sends_its_body_and_its_key_once() -> None:
    async with serve(lambda _: web.Response(status=204)) as api:
        told = await ask(
            connect(api, key_header="Idempotency-Key"),
            {"method": "POST", "path": "/pay", "body": {"total": "{total}", "by": "x {who}"}},
            {"total": 12.5, "who": "Lin"},
            key="run-1",
            writes=True,
        )
    assert told is None
    assert json.loads(api.bodies[0]) == {"total": 12.5, "by": "x Lin"}
    assert api.asked[0].headers["Idempotency-Key"] == "run-1"


async def test_a_form_is_sent_as_one() -> None:
    async with serve(lambda _: {}) as api:
        body = {"method": "POST", "path": "/pay", "form": True, "body": {"n": "{n}", "ok": True}}
        await ask(connect(api), body, {"n": 5}, writes=True)
    assert api.bodies[0] == b"n=5&ok=true"


@pytest.mark.parametrize(
    ("auth", "header", "value"),
    [
        ({"bearer": "$TOKEN"}, "Authorization", "Bearer s3cret-token"),
        ({"header": {"name": "X-Api-Key", "value": "$TOKEN"}}, "X-Api-Key", "s3cret-token"),
        (
            {"basic": {"user": "u", "password": "$PASSWORD"}},
            "Authorization",
            "Basic dTpww6Rzc3dvcmQ=",
        ),
    ],
)
async def test_requests_are_authenticated(auth: Any, header: str, value: str) -> None:
    async with serve(lambda _: {}) as api:
        await ask(connect(api, auth=auth), {"path": "/x"})
    assert api.asked[0].headers[header] == value


async def test_a_token_is_fetched_once_and_anew_before_its_end_or_after_a_401() -> None:
    clock = 0.0

    def answer(request: web.Request) -> Any:
        known = request.headers["Authorization"] in ("Bearer t1", "Bearer t2", "Bearer t4")
        return {"ok": True} if known else web.Response(status=401)

    async with serve(answer) as api:
        oauth = {"token_address": f"{api.url}/token", "client_id": "c", "client_secret": "$CLIENT"}
        settings = HttpSettings.model_validate(
            {"address": api.url, "auth": {"oauth": oauth}}, context={"environment": ENVIRONMENT}
        )
        connection = HttpConnection("expenses", settings, lambda: clock)
        call = connection.prepare(request({"path": "/x"}))
        assert await asyncio.gather(*(call({}) for _ in range(5))) == [{"ok": True}] * 5
        assert api.tokens == 1
        clock = 69.0
        await call({})
        assert api.tokens == 1
        clock = 71.0
        await call({})
        assert api.tokens == 2
        clock = 142.0
        # The third is one that the server does not take: one new one, and no more than that.
        assert await call({}) == {"ok": True}
        assert api.tokens == 4
        await connection.close()


@pytest.mark.parametrize(
    ("pages", "answers", "paths"),
    [
        (
            {"by": "cursor", "at": "next", "query": "after"},
            [{"rows": [1, 2], "next": "c2"}, {"rows": [3], "next": None}],
            ["/api/all?size=2", "/api/all?size=2&after=c2"],
        ),
        (
            {"by": "number", "query": "page"},
            [{"rows": [1, 2]}, {"rows": [3]}, {"rows": []}],
            ["/api/all?size=2&page=1", "/api/all?size=2&page=2", "/api/all?size=2&page=3"],
        ),
    ],
)
async def test_pages_are_read_to_the_last(pages: Any, answers: Any, paths: list[str]) -> None:
    async with serve(*(lambda _, told=told: told for told in answers)) as api:
        body = {"path": "/all", "query": {"size": 2}, "items": "rows", "pages": pages}
        assert await ask(connect(api), body, result="many") == [1, 2, 3]
    assert [each.raw_path for each in api.asked] == paths


async def test_pages_by_link_stay_with_the_hosts_that_are_named() -> None:
    async with serve() as api:
        second = web.json_response([3])

        def first(to: str) -> Callable[[web.Request], Any]:
            return lambda _: web.json_response([1], headers={"Link": f'<{to}>; rel="next"'})

        api.answers = [first("/api/all?page=2"), lambda _: second]
        body = {"path": "/all", "pages": {"by": "link"}}
        assert await ask(connect(api), body, result="many") == [1, 3]
        api.answers = [first("http://elsewhere.example/all")]
        with pytest.raises(ToolFailed, match="leads to another place"):
            await ask(connect(api), body, result="many")
    assert api.asked[1].raw_path == "/api/all?page=2"


async def test_pages_that_never_end_are_left() -> None:
    async with serve(lambda _: [1]) as api:
        body = {"path": "/all", "pages": {"by": "number", "query": "p"}, "most": 3}
        with pytest.raises(ToolFailed, match="more than 3 pages"):
            await ask(connect(api), body, result="many")
    assert len(api.asked) == 3


async def test_a_read_is_repeated_and_a_write_without_a_key_is_not() -> None:
    def fault(_: web.Request) -> Any:
        return web.Response(status=503)

    async with serve(fault, fault, lambda _: {"ok": 1}) as api:
        assert await ask(connect(api), {"path": "/x"}) == {"ok": 1}
    write = {"method": "POST", "path": "/x"}
    async with serve(fault, lambda _: {"ok": 1}) as api:
        with pytest.raises(ToolUnsure):
            await ask(connect(api), write, writes=True, key="k")
        assert len(api.asked) == 1
    async with serve(fault, lambda _: {"ok": 1}) as api:
        keyed = connect(api, key_header="Idempotency-Key")
        assert await ask(keyed, write, writes=True, key="k") == {"ok": 1}
    assert [each.headers["Idempotency-Key"] for each in api.asked] == ["k", "k"]


def drop(request: web.Request) -> Any:
    """The connection ends without an answer."""
    assert request.transport is not None
    request.transport.abort()
    return {}


async def hang(_: web.Request) -> Any:
    await asyncio.Event().wait()


def garbage(_: web.Request) -> Any:
    return web.Response(text="<html>it's fine</html>")


def status(number: int, text: str = "") -> Callable[[web.Request], Any]:
    return lambda _: web.Response(status=number, text=text)


@pytest.mark.parametrize(
    ("number", "body", "told"),
    [
        (404, {"detail": "No such van"}, "expenses refuses this (404): No such van"),
        (
            404,
            {"error": {"code": 7, "message": "No such\nvan"}},
            "expenses refuses this (404): No such van",
        ),
        (409, {"errors": [{"title": "Paid already"}]}, "expenses refuses this (409): Paid already"),
        (404, {"code": 7, "path": "/vans/x"}, "expenses has nothing of this kind (404)."),
        (409, [], "expenses refuses this (409)."),
        (404, "<html><h1>Not Found</h1>", "expenses has nothing of this kind (404)."),
        (404, '{"code": 7', "expenses has nothing of this kind (404)."),
        (404, "no van", "expenses refuses this (404): no van"),
    ],
)
async def test_people_read_a_sentence_of_a_refusal_and_operators_all_of_it(
    number: int, body: Any, told: str
) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    async with serve(status(number, text)) as api:
        with pytest.raises(ToolFailed) as refused:
            await ask(connect(api, repeats=0), {"path": "/vans/x"}, result="many")
    assert refused.value.text("en") == told
    assert " ".join(text.split()) in str(refused.value)
    assert "{" not in refused.value.text("zh")


@table(
    ("answer", "read", "write"),
    [
        (drop, "cannot be reached", ToolUnsure),
        (hang, "did not answer within 0.3", ToolUnsure),
        (garbage, "cannot be read", None),
        (status(500), "a fault of its own", ToolUnsure),
        (status(401), "does not let Signoff in", ToolFailed),
        (status(429), "too much to do", ToolFailed),
        (status(409, "already\npaid\u202e"), "refuses this .409.: already paid", ToolFailed),
        (lambda _: web.json_response({"n": float("nan")}), "cannot be read", None),
        (lambda _: web.Response(text="[" * 2000), "cannot be read", None),
        (lambda _: web.Response(body=b"1" * 3000), "more than 2 kB", ToolUnsure),
        (
            lambda _: web.Response(status=302, headers={"Location": "http://other.example/"}),
            "leads to another place",
            ToolFailed,
        ),
    ],
)
async def test_a_server_that_fails_says_so_and_a_write_that_may_be_done_too(
    answer: Callable[[web.Request], Any], read: str, write: type[ToolFailed] | None
) -> None:
    async with serve(answer) as api:
        few = {"timeout_s": 0.3 if answer is hang else 5, "repeats": 0, "max_kb": 2}
        with pytest.raises(ToolFailed, match=read) as failed:
            await ask(connect(api, **few), {"path": "/x"})
        assert not isinstance(failed.value, ToolUnsure)
        body = {"method": "POST", "path": "/x"}
        if write is None:
            assert await ask(connect(api, **few), body, writes=True) is None
            return
        with pytest.raises(write) as refused:
            await ask(connect(api, **few), body, writes=True)
        assert isinstance(refused.value, ToolUnsure) is (write is ToolUnsure)
        assert "127.0.0.1" not in str(refused.value)


async def test_what_nobody_listens_to_was_surely_not_done() -> None:
    async with serve(lambda _: {}) as api:
        pass
    with pytest.raises(ToolFailed) as failed:
        await ask(connect(api, repeats=0), {"method": "POST", "path": "/x"}, writes=True)
    assert not isinstance(failed.value, ToolUnsure)


async def test_what_is_not_there_is_none_and_wrong_arguments_may_be_mended() -> None:
    async with serve(status(404)) as api:
        assert await ask(connect(api), {"path": "/x"}) is None
    async with serve(status(422, "id is too long")) as api:
        with pytest.raises(ToolRetry, match="id is too long"):
            await ask(connect(api), {"path": "/x"})


@table(
    ("call", "fault"),
    [
        ({"path": "x"}, "begin with /"),
        ({"path": "/x?y=1"}, "stand in `query`"),
        ({"path": "/{who}"}, "{who} is no argument; there are id"),
        ({"path": "/{id"}, "path: a { stands alone"),
        ({"path": "/x", "body": {"a": "{id|nope}"}, "method": "POST"}, "body: .*no filter"),
        ({"path": "/x", "items": "a["}, "items: is no JMESPath"),
        ({"path": "/x", "body": {}}, "has no body"),
        ({"path": "/x", "methd": "GET"}, "methd: Extra inputs"),
    ],
)
async def test_a_wrong_call_is_refused_when_it_is_loaded(call: dict[str, Any], fault: str) -> None:
    async with serve(lambda _: {}) as api:
        with pytest.raises(BadCall, match=fault.replace("{", r"\{").replace("(", r"\(")):
            connect(api).prepare(request(call, "id"))


def test_a_write_needs_a_method_that_writes() -> None:
    settings = HttpSettings(address="https://expenses.example")
    with pytest.raises(BadCall, match="changes nothing"):
        HttpConnection("expenses", settings).prepare(request({"path": "/x"}, writes=True))


@table(
    ("settings", "fault"),
    [
        ({"address": "ftp://x"}, "http:// or https://"),
        ({"address": "https://u:p@x.example"}, "`auth` has secrets"),
        ({"address": "https://x.example", "auth": {"bearer": "abc"}}, r"as in \$EXPENSES_TOKEN"),
        ({"address": "https://x.example", "auth": {"bearer": "$NOPE"}}, r"\$NOPE is not set"),
        ({"address": "https://x.example", "auth": {}}, "one of bearer"),
        ({"address": "https://x.example", "headers": {"Authorization": "x"}}, "not set here"),
        ({"address": "https://x.example", "headers": {"A": "x\r\nB: y"}}, "match pattern"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault) as refused:
        HttpSettings.model_validate(settings, context={"environment": ENVIRONMENT})
    assert "s3cret" not in str(refused.value)


async def test_secrets_stand_in_no_text_of_the_settings() -> None:
    async with serve(lambda _: {}) as api:
        connection = connect(api, auth={"bearer": "$TOKEN"})
        assert "s3cret" not in repr(connection.settings)
        assert await connection.probe() == []
        await connection.close()


async def test_a_probe_says_what_is_wrong() -> None:
    async with serve(status(401)) as api:
        connection = connect(api, auth={"bearer": "$TOKEN"})
        assert await connection.probe() == ["the server answers 401 to our key"]
        await connection.close()
    gone = connect(api)
    assert (await gone.probe())[0].startswith("no server answers")
    await gone.close()
