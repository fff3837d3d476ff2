"""Files that a platform hands out to who shows its token, well-behaved or not."""

import asyncio
from dataclasses import dataclass

from aiohttp import web


@dataclass(frozen=True, slots=True)
class Hosted:
    """A file: `content` comes `times` over; `stalls` after the first piece, for ever.

    Or something else comes: a redirect to `leads_to`, or an answer of that `status`, or a `page`.
    """

    content: bytes = b""
    times: int = 1
    stalls: bool = False
    leads_to: str = ""
    status: int = 200
    page: bool = False


class FileHost:
    """`asked` lists each request: its path and what it showed as authorization."""

    def __init__(self, authorization: str = "") -> None:
        self.hosted: dict[str, Hosted] = {}
        self.asked: list[tuple[str, str]] = []
        self.sent_bytes = 0
        self._authorization = authorization
        self._closing = asyncio.Event()

    def close(self) -> None:
        """Ends what stalls."""
        self._closing.set()

    async def serve(self, request: web.Request, name: str) -> web.StreamResponse:
        """What is hosted under that name."""
        shown = request.headers.get("Authorization", "")
        self.asked.append((request.path, shown))
        file = self.hosted.get(name)
        if file is None:
            return web.Response(status=404)
        if shown != self._authorization or file.page:
            return web.Response(text="<html>Sign in</html>", content_type="text/html")
        if file.leads_to:
            return web.Response(status=302, headers={"Location": file.leads_to})
        if file.status != 200:
            return web.Response(status=file.status)
        return await self._stream(request, file)

    async def _stream(self, request: web.Request, file: Hosted) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/octet-stream"})
        await response.prepare(request)
        try:
            for _ in range(file.times):
                await response.write(file.content)
                self.sent_bytes += len(file.content)
                if file.stalls:
                    await self._closing.wait()
        except ConnectionError:
            # Who asked wants no more.
            pass
        return response
