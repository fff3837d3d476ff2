"""Files that were shared in Slack: fetched with the bot's token, from Slack's own hosts alone."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any

import aiohttp
from yarl import URL

from adapters.download import download
from adapters.slack.api import WebApi
from adapters.slack.clouds import COMMERCIAL, cloud_of, is_in
from adapters.slack.workspace.workspaces import Workspaces
from engine.errors import Gone
from engine.events import SharedFile


class SlackFiles:
    """Fetches `url_private` (scope `files:read`), with the token of the file's workspace."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces
        self._cloud = cloud_of(workspaces.api_url)
        self._own = None if self._cloud else URL(workspaces.api_url).origin()

    async def fetch(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        """The file's content. Raises PlatformError."""
        api = await self._workspaces.api(file.workspace)
        url = file.url or await _address(api, file.id)
        html = file.media_type == "text/html"

        def is_page(answer: aiohttp.ClientResponse) -> bool:
            # To a token without the scope Slack shows its page for signing in.
            return answer.content_type == "text/html" and not html

        async for piece in download(
            URL(url),
            allowed=self._is_slack,
            headers={"Authorization": f"Bearer {api.token}"},
            refused=is_page,
            proxied=self._own is None,
        ):
            yield piece

    def _is_slack(self, url: URL) -> bool:
        if self._own is not None and url.absolute and url.origin() == self._own:
            return True
        return is_in(str(url), self._cloud or COMMERCIAL)


async def _address(api: WebApi, file_id: str) -> str:
    """Of a file from another workspace the event names only the id."""
    answer: Mapping[str, Any] = await api.call("files.info", {"file": file_id}, reads=True)
    found = answer.get("file") or {}
    url = found.get("url_private_download") or found.get("url_private")
    if not url:
        raise Gone("files.info: no address of the file")
    return str(url)
