"""A TCP proxy before Redis that can lose the answer to a command which was carried out."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from tests.chaos.ledger import Ledger, Wire

CHUNK = 1 << 16
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class CuttingProxy:
    """A port per process or node; `arm` makes the next commands of a process lose their answers."""

    upstream: int
    ledger: Ledger
    cuts: list[tuple[float, str]] = field(default_factory=list)
    ports: dict[str, int] = field(default_factory=dict)
    _armed: Counter[str] = field(default_factory=Counter)
    _servers: list[asyncio.Server] = field(default_factory=list)

    async def open(self, *slots: str) -> None:
        """Listen on a free port for each slot."""
        for slot in slots:

            async def serve(
                reader: asyncio.StreamReader, writer: asyncio.StreamWriter, slot: str = slot
            ) -> None:
                await self._serve(slot, self.upstream, reader, writer)

            self.ports[slot] = await self._listen(serve)

    async def open_nodes(self, ports: Sequence[int]) -> list[int]:
        """Listen on a free port for each node; a process is known by the name that it tells."""
        shown = []
        for upstream in ports:

            async def serve(
                reader: asyncio.StreamReader,
                writer: asyncio.StreamWriter,
                upstream: int = upstream,
            ) -> None:
                await self._serve("", upstream, reader, writer)

            shown.append(await self._listen(serve))
        return shown

    async def _listen(self, serve: Serve) -> int:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self._servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    def arm(self, slot: str, times: int) -> None:
        """The next `times` commands of the slot are carried out and never answered."""
        self._armed[slot] += times

    def calm(self) -> None:
        """Nothing is cut any more."""
        self._armed.clear()

    def close(self) -> None:
        """Stop listening; connections end with their processes."""
        for server in self._servers:
            server.close()

    async def _serve(
        self,
        slot: str,
        upstream: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", upstream)
        except OSError:
            writer.transport.abort()
            return
        doomed, wire = asyncio.Event(), self.ledger.wire()
        ways = [
            asyncio.create_task(self._commands(slot, reader, up_writer, doomed, wire)),
            asyncio.create_task(self._answers(slot, up_reader, writer, doomed, wire)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            writer.transport.abort()
            up_writer.transport.abort()

    async def _commands(
        self,
        slot: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        doomed: asyncio.Event,
        wire: Wire,
    ) -> None:
        while data := await reader.read(CHUNK):
            wire.asked(data)
            # The doorbell is only a hint, so nothing is learnt from cutting it.
            whose = slot or wire.slot
            if self._armed[whose] > 0 and b"BLPOP" not in data[:40]:
                self._armed[whose] -= 1
                doomed.set()
            writer.write(data)
            await writer.drain()

    async def _answers(
        self,
        slot: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        doomed: asyncio.Event,
        wire: Wire,
    ) -> None:
        while data := await reader.read(CHUNK):
            wire.answered(data)
            if doomed.is_set():
                self.cuts.append((asyncio.get_running_loop().time(), slot or wire.slot))
                return
            writer.write(data)
            await writer.drain()
