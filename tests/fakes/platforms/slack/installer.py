"""Somebody with a browser who installs the app in a workspace."""

import html
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from aiohttp import ClientResponse

from tests.fakes.platforms.slack.server import SlackServer

_LINK = re.compile(r'<a href="([^"]*)">')


@dataclass
class Installer:
    """Cookies as a browser keeps them; `base` is where the service is reached in this test."""

    base: str
    lang: str = "en"
    cookies: dict[str, str] = field(default_factory=dict)

    async def begin(self) -> str:
        """Opens the install page; the address in Slack that it leads to."""
        status, text = await self.open("/slack/install")
        assert status == 200, text
        return link_of(text)

    async def install(self, slack: SlackServer, **how: Any) -> tuple[int, str]:
        """All of it: the page, the yes in Slack, and the page that Slack leads back to."""
        return await self.open(slack.authority.allowed(await self.begin(), slack, **how))

    async def open(self, address: str) -> tuple[int, str]:
        """Status and text of a page of the service, whatever host the address names."""
        at = urlsplit(address)
        url = f"{self.base}{at.path}" + (f"?{at.query}" if at.query else "")
        shown = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Accept-Language": self.lang, **({"Cookie": shown} if shown else {})}
        async with (
            aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http,
            http.get(url, headers=headers, allow_redirects=False) as answer,
        ):
            self._keep(answer)
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            return answer.status, await answer.text()

    def _keep(self, answer: ClientResponse) -> None:
        for name, cookie in answer.cookies.items():
            if cookie["max-age"] == "0":
                self.cookies.pop(name, None)
                continue
            assert (cookie["samesite"], cookie["max-age"]) == ("Lax", "600")
            assert cookie["httponly"] is True
            self.cookies[name] = cookie.value


def link_of(text: str) -> str:
    """Where the link on a page leads."""
    found = _LINK.search(text)
    assert found, text
    return html.unescape(found[1])
