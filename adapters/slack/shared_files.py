"""Files that were shared in Slack: fetched with the bot's token, from Slack's own hosts alone."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any

import aiohttp
from yarl import URL

from adapters.downloading import pieces
from adapters.slack.api import WebApi
from engine.errors import Gone
from engine.events import SharedFile


class SlackFiles:
    """Fetches `url_private` (scope `files:read`); `api_url` is an address given by hand, or ""."""

    def __init__(self, api: WebApi, *, token: str) -> None:
        self._api = api
        self._own = URL(api.api_url).origin() if api.api_url else None
        self._headers = {"Authorization": f"Bearer {token}"}

    async def fetch(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        """The file's content. Raises PlatformError."""
        url = file.url or await self._address(file.id)
        html = file.media_type == "text/html"

        def is_page(answer: aiohttp.ClientResponse) -> bool:
            # To a token without the scope Slack shows its page for signing in.
            return answer.content_type == "text/html" and not html

        async for piece in pieces(
            URL(url),
            allowed=self._is_slack,
            headers=self._headers,
            refused=is_page,
            proxied=self._own is None,
        ):
            yield piece

    async def _address(self, file_id: str) -> str:
        """Of a file from another workspace the event names only the id."""
        answer: Mapping[str, Any] = await self._api.call(
            "files.info", {"file": file_id}, reads=True
        )
        found = answer.get("file") or {}
        url = found.get("url_private_download") or found.get("url_private")
        if not url:
            raise Gone("files.info: no address of the file")
        return str(url)

    def _is_slack(self, url: URL) -> bool:
        if self._own is not None and url.absolute and url.origin() == self._own:
            return True
        host = (url.host or "").lower()
        slack = host == "slack.com" or host.endswith(".slack.com")
        return slack and url.scheme == "https" and url.port == 443
