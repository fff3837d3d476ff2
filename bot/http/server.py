"""aiohttp's server with a time limit for the head of a request."""

import asyncio
from typing import Any, Final

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

HEAD_S: Final = 10.0
"""Time limit for the head of a request; a proxy in front sends it at once."""


class TimedConnection(RequestHandler):
    """A connection that is closed when a head, or a first byte, does not arrive in time."""

    __slots__ = ("_head_s", "_head_timer")

    def __init__(self, manager: "TimedServer", *, head_s: float, **kwargs: Any) -> None:
        super().__init__(manager, **kwargs)
        self._head_s = head_s
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the time limit of the first head."""
        super().connection_made(transport)
        self._head_timer = self._loop.call_later(self._head_s, self._close_late)

    def data_received(self, data: bytes) -> None:
        """Stop the limit once a head is whole, start it when the next one begins."""
        super().data_received(data)
        if self._is_served:
            self._stop_timer()
        elif self._head_timer is None:
            self._head_timer = self._loop.call_later(self._head_s, self._close_late)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Stop the limit."""
        self._stop_timer()
        super().connection_lost(exc)

    @property
    def _is_served(self) -> bool:
        return bool(self._messages) or self._request_in_progress

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _close_late(self) -> None:
        self._head_timer = None
        if not self._is_served:
            self.force_close()


class TimedServer(web.Server):
    """A server of such connections that serves what `plain` serves."""

    def __init__(self, plain: web.Server, *, head_s: float) -> None:
        super().__init__(
            plain.request_handler, request_factory=plain.request_factory, **plain._kwargs
        )
        self._head_s = head_s

    def __call__(self) -> TimedConnection:
        """The protocol of a new connection."""
        return TimedConnection(self, head_s=self._head_s, loop=self._loop, **self._kwargs)


class TimedRunner(web.AppRunner):
    """Runs an application on such a server, with `head_s` as the limit."""

    def __init__(self, app: web.Application, *, head_s: float = HEAD_S, **kwargs: Any) -> None:
        super().__init__(app, **kwargs)
        self._head_s = head_s

    async def _make_server(self) -> TimedServer:
        return TimedServer(await super()._make_server(), head_s=self._head_s)
