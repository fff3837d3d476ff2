"""The expenses sample over its own API, which may be away, or lose an answer."""

import shutil
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from aiohttp import web
from aiohttp.test_utils import TestServer

from examples.expenses.api import Ledger, build_api

SAMPLE = Path(__file__).parents[2] / "examples" / "expenses"
TOKEN = "token-of-a-test"
Trouble = Literal["busy", "broken", "lost"]


class ExpensesServer:
    """`async with ExpensesServer() as server`: the API at `url`, with what it holds in `ledger`.

    Each write takes the next of the `troubles`: `busy` and `broken` do nothing, `lost` writes and
    answers nobody. With `away` nothing is answered at all.
    """

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.troubles: deque[Trouble] = deque()
        self.keys: list[str] = []
        self.away = False
        self._port: int | None = None
        self._server = self._build()

    def _build(self, port: int | None = None) -> TestServer:
        # An application serves once.
        app = build_api(TOKEN, self.ledger)
        app.middlewares.insert(0, self._go_wrong)
        return TestServer(app, host="127.0.0.1", port=port)

    async def __aenter__(self) -> Self:
        await self._server.start_server()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._server.close()

    async def go_down(self) -> None:
        """Nobody listens at its address."""
        # Closing it takes the port from it.
        self._port = self._server.port
        await self._server.close()

    async def come_up(self) -> None:
        """It answers again at the same address, and knows what it has taken."""
        self._server = self._build(self._port)
        await self._server.start_server()

    @property
    def url(self) -> str:
        """The address below which its paths are."""
        return f"http://127.0.0.1:{self._server.port}/v1"

    @web.middleware
    async def _go_wrong(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if self.away:
            return self._hang_up(request)
        if request.method != "POST":
            answer: web.StreamResponse = await handler(request)
            return answer
        self.keys.append(request.headers.get("Idempotency-Key", ""))
        match self.troubles.popleft() if self.troubles else None:
            case "busy":
                return web.Response(status=429)
            case "broken":
                return web.Response(status=500)
            case "lost":
                await handler(request)
                return self._hang_up(request)
        return await handler(request)  # type: ignore[no-any-return]

    def _hang_up(self, request: web.Request) -> web.Response:
        if request.transport is not None:
            request.transport.abort()
        return web.Response()


def copy_expenses(folder: Path, url: str) -> Path:
    """The sample's folder, whose connection is at that address."""
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("data", "__pycache__"))
    path = folder / "connections.yaml"
    text = path.read_text("utf-8").replace("http://127.0.0.1:8765/v1", url)
    path.write_text(text, encoding="utf-8")
    return folder
