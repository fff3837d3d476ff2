"""Signing in to a web chat that others can reach: one-time links, or a proxy that is trusted."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from multidict import CIMultiDict
from redis.asyncio import Redis

from adapters.redis.repositories.logins import RedisLogins
from adapters.redis.server.embedded import EmbeddedServer
from tests.bot.signoff_process import FILES, answering, ended, serving
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.ports import free_port

PUBLIC = "signoff.example"
SAID = {"room": "main", "person": "lin", "id": "message-0001", "text": "/help"}


class Visitor:
    """A browser as far as the server can tell: cookies, the public Host, the page's Origin."""

    def __init__(self, port: int, **headers: str) -> None:
        self._base = f"http://127.0.0.1:{port}"
        # An address without a name keeps no cookies by default; they are Secure, and we are not.
        self.cookies: dict[str, str] = {}
        self.set_cookie = ""
        self.headers = CIMultiDict({"Host": PUBLIC, **headers})

    async def ask(self, method: str, path: str, **more: Any) -> tuple[int, Any]:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = self.headers.copy()
        headers.update({"Cookie": cookie} if cookie else {})
        headers.update(more.pop("headers", {}))
        async with (
            aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
            session.request(
                method, self._base + path, headers=headers, allow_redirects=False, **more
            ) as answer,
        ):
            for name, morsel in answer.cookies.items():
                self.cookies[name] = morsel.value
                self.set_cookie = morsel.OutputString()
            is_json = answer.content_type == "application/json"
            return answer.status, await (answer.json() if is_json else answer.text())

    async def get(self, path: str) -> tuple[int, Any]:
        return await self.ask("GET", path)

    async def post(self, path: str, body: dict[str, Any], **headers: str) -> tuple[int, Any]:
        origin = {"Origin": f"https://{PUBLIC}"}
        return await self.ask("POST", path, json=body, headers={**origin, **headers})


@asynccontextmanager
async def web(
    folder: Path, store: str, **settings: str
) -> AsyncIterator[tuple[int, dict[str, str]]]:
    """A web process that listens on every address; its port, and all its settings."""
    port = free_port()
    variables = {
        "REDIS_URL": store,
        "PORT": str(port),
        "SIGNOFF_HOST": "0.0.0.0",
        "SIGNOFF_PUBLIC_URL": f"https://{PUBLIC}",
        **FILES,
        **settings,
    }
    async with serving(folder, "web", **variables):
        await answering(f"http://127.0.0.1:{port}")
        yield port, variables


async def a_link(folder: Path, variables: dict[str, str], person: str = "lin") -> str:
    """The secret of a link that the command prints."""
    told = await ended(folder, "people", "link", person, **variables)
    assert told.status == 0, told.err
    address, _, secret = told.out.strip().partition("#")
    assert address == f"https://{PUBLIC}/login"
    return secret


@pytest.fixture
def store(redis: Redis, redis_server: EmbeddedServer) -> str:
    return redis_server.url


async def test_a_link_signs_one_browser_in_once_and_no_get_spends_it(
    store: str, redis: Redis, tmp_path: Path
) -> None:
    async with web(tmp_path, store, SIGNOFF_WEB_LOGIN="link") as (port, variables):
        secret = await a_link(tmp_path, variables)
        kept = [(key, await redis.get(key)) async for key in redis.scan_iter("signoff:login*")]
        assert kept
        assert secret not in str(kept)
        stranger, lin = Visitor(port), Visitor(port)
        for path in (
            "/chat/people",
            "/chat/events?room=main",
            "/chat/inbox?person=lin",
            "/chat/cards",
        ):
            assert (await stranger.get(path))[0] == 401
        status, page = await stranger.get("/")
        assert (status, "/static/login.js" in page) == (401, True)
        assert (await stranger.post("/chat/messages", SAID))[0] == 401
        # Previews and prefetchers only ever ask by GET or HEAD.
        for path in ("/login", f"/login?token={secret}", f"/login#{secret}"):
            for method in ("GET", "HEAD"):
                assert (await stranger.ask(method, path))[0] == 200
        assert (await stranger.ask("GET", "/chat/login"))[0] == 405
        assert (await lin.post("/chat/login", {"token": secret}))[0] == 200
        assert {"HttpOnly", "Secure", "SameSite=Lax", "Path=/"} <= set(lin.set_cookie.split("; "))
        assert "Max-Age=43200" in lin.set_cookie
        assert list(lin.cookies) == ["__Host-signoff"]
        assert (await lin.get("/"))[0] == 200
        status, told = await lin.get("/chat/people")
        assert ([p["id"] for p in told["people"]], told["leaves"]) == (["lin"], True)
        assert (await lin.post("/chat/messages", SAID))[0] == 202
        again = await Visitor(port).post("/chat/login", {"token": secret})
        assert again[0] == 403


async def test_who_is_signed_in_speaks_only_for_themselves_until_they_leave(
    store: str, tmp_path: Path
) -> None:
    async with web(tmp_path, store, SIGNOFF_WEB_LOGIN="link") as (port, variables):
        lin, other = Visitor(port), Visitor(port)
        for visitor in (lin, other):
            secret = await a_link(tmp_path, variables)
            assert (await visitor.post("/chat/login", {"token": secret}))[0] == 200
        as_chen = {**SAID, "person": "chen"}
        assert (await lin.post("/chat/messages", as_chen))[0] == 403
        assert (await lin.get("/chat/inbox?person=chen"))[0] == 403
        foreign = {"Origin": "https://evil.example"}
        assert (await lin.post("/chat/messages", SAID, **foreign))[0] == 403
        assert (await lin.ask("GET", "/", headers={"Host": "evil.example"}))[0] == 403
        cookies = dict(lin.cookies)
        assert (await lin.post("/chat/logout", {}))[0] == 200
        lin.cookies = cookies
        assert (await lin.get("/chat/people"))[0] == 401
        assert (await other.get("/chat/people"))[0] == 200
        unused = await a_link(tmp_path, variables)
        told = await ended(tmp_path, "people", "unlink", "lin", **variables)
        assert told.status == 0
        assert (await other.get("/chat/people"))[0] == 401
        assert (await other.post("/chat/login", {"token": unused}))[0] == 403


async def test_a_stream_ends_for_whom_an_operator_signs_out(store: str, tmp_path: Path) -> None:
    async with web(tmp_path, store, SIGNOFF_WEB_LOGIN="link") as (port, variables):
        lin = Visitor(port)
        secret = await a_link(tmp_path, variables)
        await lin.post("/chat/login", {"token": secret})
        chen = Visitor(port)
        await chen.post("/chat/login", {"token": await a_link(tmp_path, variables, "chen")})
        reading = asyncio.create_task(lin.get("/chat/events?room=main"))
        told = await ended(tmp_path, "people", "unlink", "lin", **variables)
        assert told.status == 0
        # The next thing that is said is not sent any more.
        said = {**SAID, "person": "chen"}
        assert (await chen.post("/chat/messages", said))[0] == 202
        async with within(PATIENCE_S, "the stream of who was unlinked ends"):
            status, text = await reading
        assert (status, "/help" in text) == (200, False)


async def test_a_link_or_session_that_is_too_old_signs_nobody_in(redis: Redis) -> None:
    logins = RedisLogins(redis)
    link = await logins.link("lin", keep_s=600)
    (key,) = [key async for key in redis.scan_iter("signoff:login:link:*")]
    assert 590 < await redis.ttl(key) <= 600
    session = await logins.enter(link, keep_s=3600)
    assert session is not None
    assert (await logins.person(session), await logins.enter(link, keep_s=3600)) == ("lin", None)
    (key,) = [key async for key in redis.scan_iter("signoff:login:session:*")]
    assert 3590 < await redis.ttl(key) <= 3600
    await redis.delete(key)
    assert await logins.person(session) is None
    spent = await asyncio.gather(
        *(logins.enter(link, keep_s=60) for link in [await logins.link("lin", keep_s=60)] * 20)
    )
    assert len([one for one in spent if one]) == 1


async def test_a_trusted_proxy_names_people_and_nobody_else_does(
    store: str, tmp_path: Path
) -> None:
    header = {"SIGNOFF_WEB_USER_HEADER": "X-User", "SIGNOFF_WEB_TRUSTED_PROXY": "127.0.0.0/8"}
    async with web(tmp_path, store, **header) as (port, _):
        chen = Visitor(port, **{"X-User": "chen"})
        _, told = await chen.get("/chat/people")
        assert ([p["id"] for p in told["people"]], told["leaves"]) == (["chen"], False)
        assert (await chen.post("/chat/messages", {**SAID, "person": "chen"}))[0] == 202
        assert (await chen.post("/chat/messages", SAID))[0] == 403
        assert (await Visitor(port).get("/chat/people"))[0] == 401
        assert (await Visitor(port, **{"X-User": "nobody"}).get("/"))[0] == 403
        twice = Visitor(port)
        twice.headers.extend([("X-User", "chen"), ("X-User", "lin")])
        assert (await twice.get("/chat/people"))[0] == 403
        assert (await chen.get("/login"))[0] == 404
        assert (await chen.get("/documents/clinical_qc/data-management-guide.en.md"))[0] == 404
    elsewhere = {**header, "SIGNOFF_WEB_TRUSTED_PROXY": "10.9.8.7"}
    async with web(tmp_path, store, **elsewhere) as (port, _):
        chen = Visitor(port, **{"X-User": "chen"})
        assert (await chen.get("/"))[0] == 403
        assert (await chen.post("/chat/messages", {**SAID, "person": "chen"}))[0] == 403


async def test_without_a_login_the_start_ends(tmp_path: Path) -> None:
    told = await ended(tmp_path, "web", SIGNOFF_HOST="0.0.0.0", **FILES)
    assert told.status == 2
    assert told.err.startswith("SIGNOFF_HOST: should be 127.0.0.1 while SIGNOFF_WEBCHAT is on")
    assert told.err.count("\n") == 1


async def test_on_loopback_visitors_may_still_choose(store: str, tmp_path: Path) -> None:
    async with web(tmp_path, store, SIGNOFF_HOST="127.0.0.1", SIGNOFF_PUBLIC_URL="") as (port, _):
        visitor = Visitor(port, Host=f"127.0.0.1:{port}")
        _, told = await visitor.get("/chat/people")
        assert [p["id"] for p in told["people"]] == ["lin", "chen", "wu", "zhao"]
        assert (await visitor.get("/login"))[0] == 404
        assert (await Visitor(port).get("/"))[0] == 403
