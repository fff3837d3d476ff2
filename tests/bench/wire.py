"""HTTP/1.1 with as little work as possible, so that the load and the stubs cost next to nothing."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

HEADERS_END = b"\r\n\r\n"
Answer = Callable[[bytes], None]
# Path, body, and whom to give the whole answer, now or later.
Handle = Callable[[str, bytes, Answer], None]


def ok(body: bytes) -> bytes:
    """A whole answer 200 with a JSON body."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % len(body) + body


def post(port: int, path: str, body: bytes, headers: dict[str, str]) -> bytes:
    """A whole POST request to a server of this machine."""
    lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + HEADERS_END + body


@dataclass(frozen=True, slots=True)
class Message:
    """A request or an answer: its first line, its body."""

    first: str
    body: bytes

    @property
    def status(self) -> int:
        """The status of an answer."""
        return int(self.first.split(" ", 2)[1])


class _Messages(asyncio.Protocol):
    """Cuts what arrives into messages; subclasses get each one."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self._arrived = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's are no asyncio.Transport by class.
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._arrived += data
        while (message := self._next()) is not None:
            self.got(message)

    def got(self, message: Message) -> None:
        """A whole message is here."""
        raise NotImplementedError

    def _next(self) -> Message | None:
        end = self._arrived.find(HEADERS_END)
        if end < 0:
            return None
        first, *lines = self._arrived[:end].decode("latin-1").split("\r\n")
        length, chunked = _length(lines)
        start = end + len(HEADERS_END)
        found = _dechunked(self._arrived, start) if chunked else start + length
        if isinstance(found, tuple):
            body, stop = found
        elif len(self._arrived) < found:
            return None
        else:
            body, stop = bytes(self._arrived[start:found]), found
        if stop < 0:
            return None
        del self._arrived[:stop]
        return Message(first, body)


def _length(lines: list[str]) -> tuple[int, bool]:
    length, chunked = 0, False
    for line in lines:
        name, _, value = line.partition(":")
        match name.lower():
            case "content-length":
                length = int(value)
            case "transfer-encoding":
                chunked = value.strip().lower() == "chunked"
    return length, chunked


def _dechunked(data: bytearray, at: int) -> tuple[bytes, int]:
    """The body and where it ends, or -1 while it is not whole."""
    body = bytearray()
    while True:
        line_end = data.find(b"\r\n", at)
        if line_end < 0:
            return b"", -1
        size = int(bytes(data[at:line_end]).split(b";")[0], 16)
        stop = line_end + 2 + size + 2
        if len(data) < stop:
            return b"", -1
        body += data[line_end + 2 : stop - 2]
        at = stop
        if size == 0:
            return bytes(body), at


class _Served(_Messages):
    def __init__(self, handle: Handle) -> None:
        super().__init__()
        self._handle = handle

    def got(self, message: Message) -> None:
        path = message.first.split(" ", 2)[1]
        self._handle(path, message.body, self._answer)

    def _answer(self, answer: bytes) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(answer)


async def serve(handle: Handle) -> tuple[asyncio.Server, int]:
    """A server on a free port of 127.0.0.1, and that port."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Served(handle), "127.0.0.1", 0, backlog=1024)
    return server, int(server.sockets[0].getsockname()[1])


class _Asking(_Messages):
    def __init__(self) -> None:
        super().__init__()
        self.waiting: asyncio.Future[Message] | None = None

    def got(self, message: Message) -> None:
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_result(message)

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(ConnectionResetError("closed by the server"))


class Client:
    """Requests to one port of this machine over connections that stay open."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._idle: deque[_Asking] = deque()

    async def ask(self, request: bytes) -> Message:
        """The answer to a request; raises OSError."""
        loop = asyncio.get_running_loop()
        asking = await self._connection()
        asking.waiting = loop.create_future()
        assert asking.transport is not None
        asking.transport.write(request)
        answer = await asking.waiting
        self._idle.append(asking)
        return answer

    async def _connection(self) -> _Asking:
        while self._idle:
            asking = self._idle.pop()
            if asking.transport is not None and not asking.transport.is_closing():
                return asking
        loop = asyncio.get_running_loop()
        _, made = await loop.create_connection(_Asking, "127.0.0.1", self.port)
        return made

    def close(self) -> None:
        """Close every idle connection."""
        for asking in self._idle:
            if asking.transport is not None:
                asking.transport.abort()
        self._idle.clear()
