"""The server of an HTTP API: its session, its pace, and where it may lead."""

import asyncio
import ssl
from collections.abc import Callable
from functools import cached_property
from typing import Any

import aiohttp
from yarl import URL

from adapters.connections.http.auth import authenticate
from adapters.connections.http.model import HttpSettings
from adapters.connections.pace import RequestPace
from engine.errors import DefinitionError, ToolFailed


class SentMark:
    """Whether some of a request left for the server."""

    def __init__(self) -> None:
        self.left = False


class HttpServer:
    """What all requests to one address share; no secret and no address is shown or logged."""

    def __init__(
        self, name: str, settings: HttpSettings, now: Callable[[], float] | None = None
    ) -> None:
        self.name = name
        self.settings = settings
        self._now = now or (lambda: asyncio.get_running_loop().time())
        self._pace = RequestPace(settings.per_second, self._now)
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    async def close(self) -> None:
        """Makes no call from now on."""
        self._closed = True
        if self._session is not None:
            await self._session.close()

    @property
    def session(self) -> aiohttp.ClientSession:
        """The session of this connection. Raises ToolFailed once it is closed."""
        if self._closed:
            raise ToolFailed("connection.closed", name=self.name)
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=16, ssl=self._tls),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None),
                headers={
                    "Accept": "application/json",
                    **self.settings.headers,
                    # What is packed small may be large.
                    "Accept-Encoding": "identity",
                },
                middlewares=authenticate(self.settings.auth, self._now),
                trace_configs=[_note_what_left()],
                auto_decompress=False,
                trust_env=True,
            )
        return self._session

    @cached_property
    def _tls(self) -> ssl.SSLContext | bool:
        tls = self.settings.tls
        if tls is None:
            return True
        try:
            context = ssl.create_default_context(cafile=tls.authority)
            if tls.certificate is not None:
                context.load_cert_chain(tls.certificate, tls.key)
        except OSError as error:
            problem = f"connections.yaml: {self.name}.tls: cannot be read: {error.strerror}"
            raise DefinitionError(problem) from error
        return context

    def reaches(self, url: URL) -> bool:
        """Whether pages and redirects may lead there."""
        own = URL(self.settings.address)
        if url.origin() == own.origin():
            return True
        return url.scheme == "https" and url.host in self.settings.hosts

    async def wait_turn(self) -> None:
        """Waits until the next request may be made."""
        await self._pace.wait()


def _note_what_left() -> aiohttp.TraceConfig:
    async def note(_: object, context: Any, __: object) -> None:
        if isinstance(context.trace_request_ctx, SentMark):
            context.trace_request_ctx.left = True

    config = aiohttp.TraceConfig()
    config.on_request_headers_sent.append(note)
    return config
