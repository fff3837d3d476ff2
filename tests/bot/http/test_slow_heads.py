"""Clients that hold a connection with half a head, and those that only take their time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from bot.http.server import TimedRunner
from tests.fakes.platforms.patience import PATIENCE_S, within

HEAD = b"POST /echo HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n"
WHOLE = HEAD + b"\r\nbody"

Open = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


async def echo(request: web.Request) -> web.Response:
    return web.Response(text=await request.text())


@asynccontextmanager
async def serving(head_s: float) -> AsyncIterator[int]:
    app = web.Application()
    app.router.add_post("/echo", echo)
    runner = TimedRunner(app, head_s=head_s, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


@pytest.fixture
async def connect() -> AsyncIterator[Open]:
    writers = []
    async with serving(0.2) as port:

        async def opened() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writers.append(writer)
            return reader, writer

        yield opened
        for writer in writers:
            writer.close()


async def closed(reader: asyncio.StreamReader) -> bytes:
    """What comes before the server closes the connection."""
    async with within(PATIENCE_S, "the server closes the connection"):
        return await reader.read()


async def answered(reader: asyncio.StreamReader) -> bytes:
    """The next answer, whose body is "body"."""
    async with within(PATIENCE_S, "the server answers"):
        return await reader.readuntil(b"\r\n\r\nbody")


@pytest.mark.parametrize("sent", [b"", b"PO", HEAD])
async def test_half_a_head_is_given_up(connect: Open, sent: bytes) -> None:
    reader, writer = await connect()
    writer.write(sent)
    assert await closed(reader) == b""


async def test_bytes_that_drip_in_give_no_more_time(connect: Open) -> None:
    reader, writer = await connect()
    ended = asyncio.create_task(closed(reader))
    for byte in HEAD * 1000:
        if ended.done():
            break
        writer.write(bytes([byte]))
        await asyncio.wait([ended], timeout=0.02)
    assert await ended == b""


async def test_so_is_that_of_a_second_request(connect: Open) -> None:
    reader, writer = await connect()
    writer.write(WHOLE)
    assert (await answered(reader)).startswith(b"HTTP/1.1 200")
    writer.write(HEAD)
    assert await closed(reader) == b""


async def test_a_request_that_is_served_and_one_that_comes_later_have_their_time(
    connect: Open,
) -> None:
    slow, body = await connect()
    body.write(HEAD + b"\r\nbo")
    idle, later = await connect()
    later.write(WHOLE)
    await answered(idle)
    # Both have waited for longer than a head may take when this one is given up.
    for _ in range(2):
        late, _ = await connect()
        await closed(late)
    body.write(b"dy")
    assert (await answered(slow)).startswith(b"HTTP/1.1 200")
    later.write(WHOLE)
    assert (await answered(idle)).startswith(b"HTTP/1.1 200")
