"""Who may see the admin pages, and what every answer of them carries."""

import ipaddress
import itertools
import re
from collections.abc import AsyncIterator

import aiohttp
import pytest

from adapters.redis import keys
from tests.fakes.admin_client import NAME, TOKEN, AdminClient
from tests.fakes.skill_client import BEARER
from tests.scenarios.conftest import Service, Start

PAGES = ("/runs", "/pending", "/blocked", "/traces", "/runs/0-nothing", "/traces/0-nothing")


@pytest.fixture
async def admin(service: Service) -> AsyncIterator[AdminClient]:
    """Somebody who is not signed in yet."""
    async with AdminClient(service.url) as client:
        yield client


async def test_without_a_token_in_the_settings_there_are_no_pages(start: Start) -> None:
    service = await start()
    paths = (*PAGES, "/admin/login", "/admin/static/admin.css")
    async with AdminClient(service.url) as client:
        assert {path: (await client.get(path)).status for path in paths} == dict.fromkeys(
            paths, 404
        )


async def test_who_is_not_signed_in_is_sent_to_sign_in_and_then_back(service: Service) -> None:
    for path in PAGES:
        async with AdminClient(service.url) as admin:
            refused = await admin.get(path, follow=False)
            assert (refused.status, refused.html) == (303, ""), path
            login = await admin.get(path)
            assert login.url.path == "/admin/login", path
            assert "token" in login.html
            entered = await admin.sign_in(path=f"?{login.url.query_string}")
            assert (entered.status, entered.headers["Location"]) == (303, path)
            assert (await admin.get("/runs")).status == 200


async def test_the_token_as_a_bearer_opens_no_page(service: Service) -> None:
    async with aiohttp.ClientSession(base_url=service.url, headers=BEARER) as http:
        async with http.get("/runs", allow_redirects=False) as answer:
            assert answer.status == 303
        async with http.get("/metrics") as answer:
            assert answer.status == 200


async def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(
    admin: AdminClient, service: Service
) -> None:
    entered = await admin.sign_in()
    cookie = entered.cookies["signoff_admin"]
    assert cookie["httponly"] is True
    assert cookie["samesite"] == "Strict"
    assert (cookie["path"], cookie["max-age"], cookie["secure"]) == ("/", "28800", "")
    # The store does not know the secret itself, and forgets the session by itself.
    (key,) = await service.parts.store.client.keys(keys.session("*"))
    assert cookie.value not in str(key)
    assert TOKEN not in str(await service.parts.store.client.get(key))
    assert 28_700 < await service.parts.store.client.ttl(key) <= 28_800


async def test_under_an_https_address_the_cookie_keeps_to_https(start: Start) -> None:
    token = "f" * 32
    service = await start(
        admin_token=token, public_url="https://signoff.example.com", web_login="link"
    )
    async with aiohttp.ClientSession(base_url=service.url) as http:
        headers = {"Host": "signoff.example.com", "Origin": "https://signoff.example.com"}
        async with http.get("/admin/login", headers=headers) as form:
            mark = form.cookies["signoff_form"].value
        fields = {"mark": mark, "name": NAME, "token": token}
        headers["Cookie"] = f"signoff_form={mark}"
        async with http.post(
            "/admin/login", data=fields, headers=headers, allow_redirects=False
        ) as entered:
            assert entered.status == 303
            assert entered.cookies["signoff_admin"]["secure"] is True


async def test_a_wrong_token_or_name_is_told_and_lets_nobody_in(service: Service) -> None:
    for token, name in (("gu3ss", NAME), (TOKEN + "x", NAME), ("", NAME), (TOKEN, "<b>")):
        async with AdminClient(service.url) as admin:
            refused = await admin.sign_in(token, name=name)
            assert refused.status == 401, (token, name)
            assert 'role="alert"' in refused.html
            assert "<b>" not in refused.html
            assert token not in refused.html or not token
            assert "signoff_admin" not in refused.cookies
            assert (await admin.get("/runs", follow=False)).status == 303


async def test_too_many_tries_have_to_wait_and_are_told_how_long(service: Service) -> None:
    for _ in range(5):
        async with AdminClient(service.url) as guesser:
            assert (await guesser.sign_in("wrong")).status == 401
    async with AdminClient(service.url) as client:
        limited = await client.sign_in("wrong")
        assert limited.status == 429
        wait_s = int(limited.headers["Retry-After"])
        assert 0 < wait_s <= 60
        assert f"Try again in {wait_s} seconds" in limited.text
        assert (await client.get("/runs", follow=False)).status == 303


async def test_the_right_token_is_let_in_however_many_wrong_ones_came_before(
    service: Service,
) -> None:
    async with AdminClient(service.url) as client:
        while (await client.sign_in("wrong")).status != 429:
            pass
        assert (await client.sign_in()).status == 303
        assert (await client.get("/runs", follow=False)).status == 200


@pytest.mark.parametrize(
    ("proxies", "other"), [("127.0.0.0/8", 401), ("127.0.0.1,10.0.0.0/8", 401), ("", 429)]
)
async def test_where_a_try_came_from_is_told_by_a_named_proxy_alone(
    start: Start, proxies: str, other: int
) -> None:
    networks = tuple(ipaddress.ip_network(text) for text in proxies.split(",") if text)
    service = await start(admin_token=TOKEN, trusted_proxy=networks)

    async def tried(address: str) -> int:
        # What stands before the last stranger's address is the client's own invention.
        said = f"203.0.113.{next(forged)}, {address}, 10.0.0.7" if "10." in proxies else address
        async with AdminClient(service.url, headers={"X-Forwarded-For": said}) as guesser:
            return (await guesser.sign_in("wrong")).status

    forged = itertools.count(100)
    assert [await tried("198.51.100.1") for _ in range(6)] == [401] * 5 + [429]
    assert await tried("198.51.100.2") == other


async def test_the_limit_holds_for_all_processes_together(start: Start) -> None:
    services = [await start(admin_token=TOKEN) for _ in range(2)]
    statuses = []
    for n in range(6):
        async with AdminClient(services[n % 2].url) as guesser:
            statuses.append((await guesser.sign_in("wrong")).status)
    assert statuses == [401] * 5 + [429]


async def test_signing_out_ends_the_session_for_every_copy_of_its_cookie(
    admin: AdminClient, service: Service
) -> None:
    secret = (await admin.sign_in()).cookies["signoff_admin"].value
    page = await admin.get("/runs")
    out = await admin.press(page, "/admin/logout")
    assert out.url.path == "/admin/login"
    async with (
        aiohttp.ClientSession(
            base_url=service.url, headers={"Cookie": f"signoff_admin={secret}"}
        ) as thief,
        thief.get("/runs", allow_redirects=False) as answer,
    ):
        assert answer.status == 303


async def test_another_token_ends_every_session(start: Start, admin: AdminClient) -> None:
    secret = (await admin.sign_in()).cookies["signoff_admin"].value
    other = await start(admin_token="another-token")
    async with (
        aiohttp.ClientSession(
            base_url=other.url, headers={"Cookie": f"signoff_admin={secret}"}
        ) as http,
        http.get("/runs", allow_redirects=False) as answer,
    ):
        assert answer.status == 303


async def test_a_form_of_another_page_is_refused(service: Service) -> None:
    evil = ("https://evil.example", "null")
    for path in ("/admin/logout", "/blocked/retry", "/runs/0-x/cancel"):
        async with AdminClient(service.url) as admin:
            assert (await admin.post(path, mark="")).status == 403, path
            await admin.sign_in()
            (mark,) = set((await admin.get("/runs")).hidden("mark"))
            assert (await admin.post(path)).status == 403, path
            assert (await admin.post(path, mark=mark + "x")).status == 403, path
            for sent in (*({"Origin": e} for e in evil), {"Sec-Fetch-Site": "cross-site"}):
                assert (await admin.post(path, sent=sent, mark=mark)).status == 403, (path, sent)
            assert (await admin.get("/runs", follow=False)).status == 200, path


async def test_the_sign_in_form_needs_its_mark_too(admin: AdminClient) -> None:
    async with AdminClient(admin.url) as other:
        mark = (await other.get("/admin/login")).hidden("mark")[0]
    refused = await admin.post("/admin/login", mark=mark, name=NAME, token=TOKEN)
    assert refused.status == 403
    assert (await admin.get("/runs", follow=False)).status == 303


async def test_signing_in_leads_to_our_own_pages_only(service: Service) -> None:
    led = {
        "//evil.example/": "/runs",
        "https://evil.example/runs": "/runs",
        "/\\evil.example": "/runs",
        "/runs\\..//evil": "/runs",
        "/runsevil": "/runs",
        "/pending?who=x": "/pending?who=x",
    }
    found = dict[str, str]()
    for wanted in led:
        async with AdminClient(service.url) as admin:
            entered = await admin.sign_in(path=f"?next={wanted}")
            found[wanted] = entered.headers["Location"]
    assert found == led


async def test_every_answer_forbids_what_a_page_does_not_need(admin: AdminClient) -> None:
    paths = (*PAGES, "/admin/login", "/admin/static/admin.js")
    before = [await admin.get(path, follow=False) for path in paths]
    await admin.sign_in()
    for answer in (*before, *[await admin.get(path) for path in paths]):
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["Cache-Control"] == "no-store"
        assert "<style" not in answer.html
        assert " style=" not in answer.html
        assert not re.search(r"\son[a-z]+\s*=", answer.html)


async def test_pages_speak_the_language_of_the_browser_or_the_one_chosen(
    admin: AdminClient,
) -> None:
    await admin.sign_in()
    chinese = await admin.get("/runs", **{"Accept-Language": "zh-CN,zh;q=0.9"})
    assert '<html lang="zh">' in chinese.html
    assert "运行" in chinese.text
    english = await admin.get("/runs?lang=en", **{"Accept-Language": "zh-CN"})
    assert '<html lang="en">' in english.html
    assert '<html lang="en">' in (await admin.get("/runs", **{"Accept-Language": "zh-CN"})).html
