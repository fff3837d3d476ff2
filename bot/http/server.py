"""aiohttp's server, which gives up on a client that does not finish the head of a request."""

import asyncio
from typing import Any, Final

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

HEAD_S: Final = 10.0
"""So long a client may take over the head of a request; a proxy in front sends it at once."""


class TimedConnection(RequestHandler):
    """A connection of the server: closed when a head has begun and is not whole in time.

    Whoever connects and says nothing has begun, too.
    """

    __slots__ = ("_head_s", "_late")

    def __init__(self, manager: "TimedServer", *, head_s: float, **kwargs: Any) -> None:
        super().__init__(manager, **kwargs)
        self._head_s = head_s
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The time of the first head begins."""
        super().connection_made(transport)
        self._late = self._loop.call_later(self._head_s, self._end)

    def data_received(self, data: bytes) -> None:
        """A head that is whole has no time limit any more; a further one that begins has."""
        super().data_received(data)
        if self._is_served:
            self._stop()
        elif self._late is None:
            self._late = self._loop.call_later(self._head_s, self._end)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Nothing is waited for."""
        self._stop()
        super().connection_lost(exc)

    @property
    def _is_served(self) -> bool:
        return bool(self._messages) or self._request_in_progress

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _end(self) -> None:
        self._late = None
        if not self._is_served:
            self.force_close()


class TimedServer(web.Server):
    """A server of such connections for what `plain` serves."""

    def __init__(self, plain: web.Server, *, head_s: float) -> None:
        super().__init__(
            plain.request_handler, request_factory=plain.request_factory, **plain._kwargs
        )
        self._head_s = head_s

    def __call__(self) -> TimedConnection:
        """The protocol of a new connection."""
        return TimedConnection(self, head_s=self._head_s, loop=self._loop, **self._kwargs)


class TimedRunner(web.AppRunner):
    """Runs an application on such a server; `head_s` is another limit, for tests."""

    def __init__(self, app: web.Application, *, head_s: float = HEAD_S, **kwargs: Any) -> None:
        super().__init__(app, **kwargs)
        self._head_s = head_s

    async def _make_server(self) -> TimedServer:
        return TimedServer(await super()._make_server(), head_s=self._head_s)
