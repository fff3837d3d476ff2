"""A gate before a server: everything that goes through can be cut off, and let through again."""

import asyncio
from types import TracebackType
from typing import Self


class Gate:
    """Listens on 127.0.0.1 and passes bytes on to a unix socket while it is open."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._open = True
        self._writers: set[asyncio.StreamWriter] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._pass, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.shut()
        self._server.close()
        await self._server.wait_closed()

    def shut(self) -> None:
        """Cut every connection; new ones are cut at once."""
        self._open = False
        for writer in self._writers:
            writer.close()

    def open(self) -> None:
        """Let connections through again."""
        self._open = True
        self._flows.set()

    def hang(self) -> None:
        """Take connections and what comes over them, and pass nothing on."""
        self._flows.clear()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            if self._open:
                inner_reader, inner_writer = await asyncio.open_unix_connection(self._path)
                self._writers.add(inner_writer)
                async with asyncio.TaskGroup() as both:
                    both.create_task(self._copy(reader, inner_writer))
                    both.create_task(self._copy(inner_reader, writer))
                self._writers.discard(inner_writer)
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                await self._flows.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            return
        finally:
            writer.close()
