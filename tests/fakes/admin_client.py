"""An operator's browser without a window: signs in, follows pages, presses buttons."""

import re
from collections.abc import Mapping
from html import unescape
from types import TracebackType
from typing import Self

import aiohttp

TOKEN = "hush-hush"
NAME = "Wang Li"


class Page:
    """An answer, read."""

    def __init__(self, response: aiohttp.ClientResponse, text: str) -> None:
        self.status = response.status
        self.headers = response.headers
        self.cookies = response.cookies
        self.url = response.url
        self.html = text

    @property
    def text(self) -> str:
        """What is to be read: without tags, with entities as what they stand for."""
        return " ".join(unescape(re.sub(r"<[^>]*>", " ", self.html)).split())

    def links(self, start: str) -> list[str]:
        """Addresses of links that begin so, in order."""
        found = re.findall(r'<a [^>]*href="([^"]*)"', self.html)
        return [unescape(link) for link in found if unescape(link).startswith(start)]

    def hidden(self, name: str) -> list[str]:
        """Values of hidden fields of that name."""
        return re.findall(rf'<input type="hidden" name="{name}" value="([^"]*)">', self.html)


class AdminClient:
    """Cookies are kept as a browser keeps them; redirects are followed unless `follow` is off."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self.url = url
        jar = aiohttp.CookieJar(unsafe=True)
        self._session = aiohttp.ClientSession(base_url=url, cookie_jar=jar, headers=headers)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._session.close()

    async def get(self, path: str, *, follow: bool = True, **headers: str) -> Page:
        async with self._session.get(path, allow_redirects=follow, headers=headers) as response:
            return Page(response, await response.text())

    def stream(self, path: str) -> aiohttp.client._RequestContextManager:
        """A page's events; the block's end closes them."""
        return self._session.get(path, headers={"Accept": "text/event-stream"})

    async def post(
        self, path: str, *, follow: bool = True, sent: dict[str, str] | None = None, **fields: str
    ) -> Page:
        """A form as a browser sends it; `sent` are headers that differ."""
        headers = {"Origin": self.url, **(sent or {})}
        async with self._session.post(
            path, data=fields, allow_redirects=follow, headers=headers
        ) as response:
            return Page(response, await response.text())

    async def sign_in(self, token: str = TOKEN, *, name: str = NAME, path: str = "") -> Page:
        form = await self.get(f"/admin/login{path}")
        (mark,) = form.hidden("mark")
        return await self.post(
            f"/admin/login{path}", follow=False, mark=mark, name=name, token=token
        )

    async def press(self, page: Page, path: str, **fields: str) -> Page:
        """A button of that page."""
        return await self.post(path, mark=page.hidden("mark")[0], **fields)
