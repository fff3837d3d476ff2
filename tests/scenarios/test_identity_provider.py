"""Signing in at an identity provider, in the web chat and on the admin pages, as a browser does."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import jwt
import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.people.edit import add_person, change_person
from bot.settings import Settings
from bot.wiring.doctor import open_doctors
from cards.texts import say
from tests.bot.signoff_process import PLAYBOOKS, answering
from tests.fakes.issuer import CLIENT, SECRET, Issuer, local_issuer
from tests.fakes.ports import free_port
from tests.fakes.settings import make_settings
from tests.scenarios.conftest import Service, running

PEOPLE = change_person(
    add_person(
        (PLAYBOOKS / "people.yaml")
        .read_text("utf-8")
        .replace("\nroles:\n", "\nroles:\n  - {id: admin, zh: 管理员, en: admin}\n"),
        {"id": "boss", "name": "The Boss", "email": "boss@example.org", "roles": ["admin"]},
    ),
    "lin",
    {"email": "Lin@Example.org"},
)
TOKEN = "a-token-that-is-long"


@pytest.fixture
def settings(redis: Redis, redis_server: EmbeddedServer, tmp_path: Path) -> Callable[..., Settings]:
    people = tmp_path / "people.yaml"
    people.write_text(PEOPLE)

    def make(issuer: str, **more: Any) -> Settings:
        given: dict[str, Any] = {"oidc_client_id": CLIENT, "oidc_client_secret": SECRET, **more}
        return make_settings(
            redis_url=redis_server.url,
            data_dir=tmp_path / "data",
            people=people,
            web_login="oidc",
            admin_token=TOKEN,
            oidc_issuer=issuer,
            **given,
        )

    return make


@asynccontextmanager
async def browser() -> AsyncIterator[aiohttp.ClientSession]:
    """Follows redirects and keeps cookies, also of an address without a name."""
    jar = aiohttp.CookieJar(unsafe=True)
    headers = {"Accept-Language": "en"}
    async with aiohttp.ClientSession(cookie_jar=jar, headers=headers) as session:
        yield session


async def signs_in(service: Service, path: str = "/login/begin") -> tuple[int, str, str]:
    """Where a fresh browser ends, from that address on."""
    async with browser() as session, session.get(service.url + path) as answer:
        return answer.status, str(answer.url).removeprefix(service.url), await answer.text()


async def test_a_person_signs_in_and_out(settings: Callable[..., Settings]) -> None:
    async with local_issuer() as issuer, running(settings(issuer.url)) as service:
        async with browser() as session:
            async with session.get(f"{service.url}/?room=ward-7") as page:
                assert page.status == 401
                assert "/login/begin?next=/%3Froom%3Dward-7" in await page.text()
            async with session.get(f"{service.url}/login/begin?next=/%3Froom%3Dward-7") as page:
                assert (page.status, str(page.url)) == (200, f"{service.url}/?room=ward-7")
                sent = [c for hop in page.history for c in hop.headers.getall("Set-Cookie", ())]
            cookies = [each for each in sent if "Max-Age=0" not in each]
            assert len(cookies) == 2
            assert all("HttpOnly" in each and "SameSite=Lax" in each for each in cookies)
            async with session.get(f"{service.url}/chat/people") as told:
                assert [p["id"] for p in (await told.json())["people"]] == ["lin"]
            async with session.get(f"{service.url}{callback(page)}") as again:
                assert again.status == 403
            async with session.post(f"{service.url}/chat/logout", json={}) as left:
                assert left.status == 200
            async with session.get(f"{service.url}/") as page:
                assert page.status == 401
        for where in (
            "https://evil.example/",
            "//evil.example",
            "/\\evil",
            "/runs",
        ):
            status, path, _ = await signs_in(service, f"/login/begin?next={where}")
            assert (status, path) == (200, "/")
        issuer.rotate()
        issuer.in_token = False
        assert (await signs_in(service))[0] == 200


def callback(page: aiohttp.ClientResponse) -> str:
    """The address with which the browser came back."""
    found = next(hop for hop in page.history if hop.url.path == "/login/callback")
    return found.url.path_qs


Change = Callable[[dict[str, Any]], dict[str, Any]]
WRONG: dict[str, tuple[Change, str]] = {
    "nonce": (lambda c: {**c, "nonce": "another"}, "token"),
    "no nonce": (lambda c: {k: v for k, v in c.items() if k != "nonce"}, "token"),
    "audience": (lambda c: {**c, "aud": "somebody-else"}, "token"),
    "audiences": (lambda c: {**c, "aud": [CLIENT, "other"]}, "token"),
    "party": (lambda c: {**c, "aud": [CLIENT, "other"], "azp": "other"}, "token"),
    "issuer": (lambda c: {**c, "iss": "https://evil.example"}, "token"),
    "expired": (lambda c: {**c, "exp": c["iat"] - 120}, "token"),
    "not yet": (lambda c: {**c, "iat": c["iat"] + 3600}, "token"),
    "endless": (lambda c: {k: v for k, v in c.items() if k != "exp"}, "token"),
    "unverified": (lambda c: {**c, "email_verified": False}, "unverified"),
    "verified by word": (lambda c: {**c, "email_verified": "true"}, "unverified"),
    "unknown": (lambda c: {**c, "email": "nia@example.org"}, "unknown"),
    "without web name": (lambda c: {**c, "email": "boss@example.org"}, "unknown"),
    "no e-mail": (lambda c: {**c, "email": ""}, "token"),
}


async def test_nobody_gets_in_by_a_wrong_token(settings: Callable[..., Settings]) -> None:
    async with local_issuer() as issuer, running(settings(issuer.url)) as service:
        for what, (change, fault) in WRONG.items():
            issuer.change = change
            status, path, text = await signs_in(service)
            assert (what, status, path.partition("?")[0]) == (what, 403, "/login/callback")
            assert escaped(say(f"sign_in.{fault}", "en")) in text, what
        issuer.change = lambda claims: claims
        for what, sign in forgeries(issuer).items():
            issuer.sign = sign
            assert (what, (await signs_in(service))[0]) == (what, 403)
        issuer.sign = issuer.signed
        async with browser() as thief:
            # The state of another browser, and none at all.
            async with thief.get(f"{service.url}/login/callback?code=x&state=y") as page:
                assert page.status == 403
            async with thief.get(f"{service.url}/login/begin", allow_redirects=False) as page:
                assert page.status == 303
            async with thief.get(f"{service.url}/login/callback?code=x&state=y") as page:
                assert escaped(say("sign_in.state", "en")) in await page.text()
            async with thief.get(f"{service.url}/login/callback?error=access_denied") as page:
                assert page.status == 403
        assert (await signs_in(service))[0] == 200


def forgeries(issuer: Issuer) -> dict[str, Callable[[dict[str, Any]], str]]:
    """Tokens that somebody else made."""
    head = {"kid": issuer.kid}
    other = Issuer()
    return {
        "none": lambda claims: jwt.encode(claims, None, algorithm="none", headers=head),
        "secret": lambda claims: jwt.encode(claims, SECRET * 2, algorithm="HS256", headers=head),
        "key": lambda claims: jwt.encode(claims, other.key, algorithm="RS256", headers=head),
        "unknown key": lambda c: jwt.encode(c, other.key, algorithm="RS256", headers={"kid": "x"}),
        "no token": lambda claims: "",
    }


def escaped(text: str) -> str:
    return text.replace("'", "&#x27;")


async def test_admins_sign_in_to_their_pages_and_nobody_else(
    settings: Callable[..., Settings],
) -> None:
    async with local_issuer() as issuer, running(settings(issuer.url)) as service:
        begin = "/admin/login/begin?next=/pending"
        status, _, text = await signs_in(service, begin)
        assert (status, escaped(say("sign_in.no_admin", "en")) in text) == (403, True)
        issuer.person = {"sub": "2", "email": "boss@example.org", "email_verified": True}
        async with browser() as session:
            async with session.get(f"{service.url}/admin/login?next=/pending") as page:
                assert "/admin/login/begin?next=%2Fpending" in await page.text()
            async with session.get(service.url + begin) as page:
                text = await page.text()
                assert (page.status, 'content="0;url=/pending"' in text) == (200, True)
            async with session.get(f"{service.url}/pending") as page:
                assert (page.status, "The Boss" in await page.text()) == (200, True)
        issuer.change = lambda claims: {**claims, "nonce": "another"}
        assert (await signs_in(service, begin))[0] == 403


async def test_a_provider_that_is_away_is_told_to_people_and_by_the_doctor(
    settings: Callable[..., Settings],
) -> None:
    async with local_issuer() as issuer:
        told = settings(issuer.url)
        async with running(told) as service:
            assert await looked_at(told) == [("ok", issuer.url)]
            issuer.url = "http://127.0.0.1:9/other"
            ((state, why),) = await looked_at(told)
            assert (state, "calls itself http://127.0.0.1:9/other" in why) == ("wrong", True)
            status, _, text = await signs_in(service)
            assert (status, escaped(say("sign_in.away", "en")) in text) == (503, True)
    gone = settings(f"http://127.0.0.1:{free_port()}")
    ((state, why),) = await looked_at(gone)
    assert (state, "does not answer" in why) == ("wrong", True)


async def looked_at(settings: Settings) -> list[tuple[str, str]]:
    """What `signoff doctor` finds of the provider."""
    found = [one for doctor in open_doctors(settings) for one in await doctor.findings()]
    return [(one.state, one.told) for one in found if one.check == "identity provider"]


async def test_a_provider_of_other_makers_signs_people_in(
    settings: Callable[..., Settings], tmp_path: Path
) -> None:
    port = free_port()
    words = ("-m", "oidc_provider_mock", "--port", str(port))
    with (tmp_path / "provider.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *words, stdout=log, stderr=log
        )
    try:
        url = f"http://127.0.0.1:{port}"
        await answering(url)
        async with running(settings(url)) as service, browser() as session:
            user = {"email": "lin@example.org", "email_verified": True}
            async with session.put(f"{url}/users/lin", json=user) as made:
                assert made.status < 300, await made.text()
            async with session.get(f"{service.url}/login/begin") as asking:
                assert str(asking.url).startswith(url)
            async with session.post(str(asking.url), data={"sub": "lin"}) as page:
                assert (page.status, str(page.url)) == (200, f"{service.url}/"), await page.text()
            async with session.get(f"{service.url}/chat/people") as told:
                assert [p["id"] for p in (await told.json())["people"]] == ["lin"]
    finally:
        process.kill()
        await process.wait()
