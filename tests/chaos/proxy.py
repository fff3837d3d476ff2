"""A TCP proxy before Redis that can lose the answer to a command which was carried out."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from tests.chaos.ledger import Ledger, Wire

CHUNK = 1 << 16


@dataclass
class CuttingProxy:
    """One port per process; `arm` makes the next commands of a process lose their answers."""

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
                await self._serve(slot, reader, writer)

            server = await asyncio.start_server(serve, "127.0.0.1", 0)
            self._servers.append(server)
            self.ports[slot] = server.sockets[0].getsockname()[1]

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
        self, slot: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
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
            if self._armed[slot] > 0 and b"BLPOP" not in data[:40]:
                self._armed[slot] -= 1
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
                self.cuts.append((asyncio.get_running_loop().time(), slot))
                return
            writer.write(data)
            await writer.drain()
