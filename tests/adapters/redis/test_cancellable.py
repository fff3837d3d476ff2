"""Commands are sent as the library sends them; a task that is cancelled meanwhile is cancelled."""

import asyncio
import threading
from pathlib import Path

import pytest
import uvloop
from redis.asyncio import Redis, UnixDomainSocketConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError, DataError, TimeoutError
from redis.typing import EncodableT

from adapters.redis.client import make_cancellable
from adapters.redis.connect import connect
from adapters.redis.server.embedded import EmbeddedServer
from tests.fakes.platforms.patience import PATIENCE_S, until, within


async def cancelled_at_every_point(client: object, command: str) -> int:
    """How often a task was cancelled, one turn of the loop later each time; all of them ended so.

    The last one of all was done before.
    """
    for turns in range(200):
        task = asyncio.ensure_future(client.execute_command(*command.split()))
        for _ in range(turns):
            await asyncio.sleep(0)
        if not task.cancel():
            return turns
        with pytest.raises(asyncio.CancelledError):
            await task
    raise AssertionError("it never ended by itself")


async def test_no_cancellation_is_lost(redis_server: EmbeddedServer) -> None:
    client = await connect(redis_server.url)
    await client.ping()
    assert await cancelled_at_every_point(client, "GET nothing") > 2
    assert await client.ping()
    await client.aclose()


@pytest.mark.parametrize(
    "words",
    [
        ("GET", "a"),
        (b"GET", b"a"),
        ("CONFIG GET", "maxmemory"),
        ("SET", "é 案", 1, -2.5, 1e22, 0.1 + 0.2, 10**30, "", b"\x00\xff"),
        ("SET", "large", "x" * 100_000),
        ("SET", "bytes", bytearray(b"abc"), memoryview(b"def")),
    ],
)
async def test_a_command_is_packed_as_the_library_packs_it(
    redis_server: EmbeddedServer, words: tuple[EncodableT, ...]
) -> None:
    client = await connect(redis_server.url)
    connection = await client.connection_pool.get_connection()
    library = UnixDomainSocketConnection()
    assert b"".join(connection.pack_command(*words)) == b"".join(library.pack_command(*words))
    await client.connection_pool.release(connection)
    await client.aclose()


@pytest.mark.parametrize("word", [True, None, []])
async def test_what_has_no_form_on_the_wire_is_refused_before_it_is_sent(
    redis_server: EmbeddedServer, word: object
) -> None:
    client = await connect(redis_server.url)
    with pytest.raises(DataError):
        await client.execute_command("SET", "refused", word)
    with pytest.raises(UnicodeEncodeError):
        await client.execute_command("SET", "refused", "half a \ud83d")
    assert await client.exists("refused") == 0
    await client.aclose()


async def test_a_server_that_reads_nothing_is_waited_for_only_so_long(tmp_path: Path) -> None:
    path, held = str(tmp_path / "s"), list[asyncio.StreamWriter]()
    async with await asyncio.start_unix_server(
        lambda reader, writer: held.append(writer), path, limit=1
    ):
        client = make_cancellable(
            Redis(
                unix_socket_path=path,
                protocol=2,
                driver_info=None,
                socket_timeout=0.2,
                retry=Retry(NoBackoff(), 0),
            )
        )
        async with within(PATIENCE_S, "the send is given up"):
            with pytest.raises(TimeoutError, match="writing"):
                await client.set("large", b"x" * 50_000_000)
        await client.aclose()
        for writer in held:
            writer.close()


def test_a_connection_that_was_closed_meanwhile_is_away_and_no_fault(
    redis_server: EmbeddedServer,
) -> None:
    async def write_to_a_closed_one() -> None:
        client = await connect(redis_server.url)
        connection = await client.connection_pool.get_connection()
        await connection.send_command("PING")
        assert await connection.read_response() == "PONG"
        connection._writer.transport.abort()
        with pytest.raises(ConnectionError):
            await connection.send_command("PING")
        # The next one opens it again.
        await connection.send_command("PING")
        assert await connection.read_response() == "PONG"
        await client.connection_pool.release(connection)
        await client.aclose()

    # The loop that the service has.
    uvloop.run(write_to_a_closed_one())


async def test_an_idle_connection_that_the_server_closed_is_opened_again(
    redis_server: EmbeddedServer,
) -> None:
    client, other = await connect(redis_server.url), await connect(redis_server.url)
    number = await client.client_id()
    await other.client_kill_filter(_id=number)
    assert await client.ping()
    assert await client.client_id() != number
    await client.aclose()
    await other.aclose()


async def test_an_answer_that_nobody_read_is_not_given_to_whoever_asks_next(
    redis_server: EmbeddedServer,
) -> None:
    client = await connect(redis_server.url)
    pool = client.connection_pool
    connection = await pool.get_connection()
    await connection.send_command("ECHO", "for nobody")
    await until(connection.can_read)
    await pool.release(connection)
    assert await client.echo("for me") == "for me"
    await client.aclose()


async def test_commands_at_once_have_a_connection_each_and_later_ones_share_it(
    redis_server: EmbeddedServer,
) -> None:
    client = await connect(redis_server.url)
    at_once = await asyncio.gather(*(client.client_id() for _ in range(5)))
    assert len(set(at_once)) == 5
    later = [await client.client_id() for _ in range(5)]
    assert len(set(later)) == 1
    assert set(later) < set(at_once)
    await client.aclose()


async def test_an_answer_that_came_while_the_process_stood_still_is_taken(
    redis_server: EmbeddedServer,
) -> None:
    client = await connect(redis_server.url, timeout_s=0.1)
    await client.delete("asked")
    for turns in range(1, 9):
        asked = asyncio.ensure_future(client.incr("asked"))
        for _ in range(turns):
            await asyncio.sleep(0)
        threading.Event().wait(0.15)
        assert await asked == turns
    await client.aclose()
