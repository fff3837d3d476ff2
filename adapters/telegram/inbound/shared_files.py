"""Files that were shared on Telegram: asked for by id, then fetched from the Bot API's host."""

from collections.abc import AsyncGenerator

from telegram import Bot
from telegram.error import BadRequest
from yarl import URL

from adapters.download import download
from adapters.telegram.errors import translate_errors
from adapters.telegram.forms.progress import LARGEST_MB
from engine.errors import Forbidden, Gone, TooLarge
from engine.events import SharedFile


class TelegramFiles:
    """Fetches files with `getFile`; `base` is the address that files lie under, token and all."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._base = URL(bot.base_file_url)

    async def fetch(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        """The file's content. Raises PlatformError, which never names the address."""
        if file.size_bytes > LARGEST_MB * 1024**2:
            raise TooLarge("getFile: file is too big", limit_mb=LARGEST_MB)
        path = await self._path(file.id)
        async for piece in download(URL(path), allowed=self._is_ours):
            yield piece

    async def _path(self, file_id: str) -> str:
        with translate_errors():
            try:
                found = await self._bot.get_file(file_id)
            except BadRequest as error:
                if "too big" in str(error).lower():
                    raise TooLarge("getFile: file is too big", limit_mb=LARGEST_MB) from error
                raise
        if not found.file_path:
            raise Gone("getFile: no path")
        if "://" not in found.file_path:
            raise Forbidden("getFile: a path on the Bot API's own disk")
        return found.file_path

    def _is_ours(self, url: URL) -> bool:
        under = f"{self._base.path.rstrip('/')}/"
        return url.origin() == self._base.origin() and url.path.startswith(under)
