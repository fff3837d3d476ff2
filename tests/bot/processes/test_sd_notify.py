"""What systemd is told, by a socket as systemd has one."""

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.processes.sd_notify import Notifier
from tests.bot.signoff_process import FILES, serving
from tests.fakes.platforms.patience import START_S, end_of, until
from tests.fakes.ports import free_port
from tests.fakes.tables import table

USUAL_S = 3600.0


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.setblocking(False)
        yield listening


def heard(systemd: socket.socket) -> list[str]:
    told = list[str]()
    while True:
        try:
            told.append(systemd.recv(100).decode())
        except BlockingIOError:
            return told


@pytest.mark.parametrize("command", ["web", "worker"])
@pytest.mark.parametrize("watchdog_s", ["15", "0"])
async def test_a_process_says_that_it_is_ready_lives_and_stops(
    systemd: socket.socket,
    redis: Redis,
    redis_server: EmbeddedServer,
    tmp_path: Path,
    command: str,
    watchdog_s: str,
) -> None:
    told: list[str] = []
    given = {
        **FILES,
        "REDIS_URL": redis_server.url,
        "PORT": str(free_port()),
        "SIGNOFF_WATCHDOG_S": watchdog_s,
        "NOTIFY_SOCKET": str(tmp_path / "notify"),
        "WATCHDOG_USEC": "200000",
    }
    async with serving(tmp_path, command, **given) as process:

        def again_and_again() -> bool:
            told.extend(heard(systemd))
            return "READY=1" in told and told.count("WATCHDOG=1") >= 3

        await until(again_and_again, START_S)
        process.terminate()
        assert await end_of(process) == 0
        told.extend(heard(systemd))
    assert (told.count("READY=1"), told.count("STOPPING=1")) == (1, 1)


@table(
    ("environment", "every_s"),
    [
        ({}, USUAL_S),
        ({"WATCHDOG_USEC": "30000000"}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, USUAL_S),
        ({"WATCHDOG_USEC": "soon"}, USUAL_S),
        ({"WATCHDOG_USEC": "0"}, USUAL_S),
    ],
)
def test_it_is_told_as_often_as_systemd_wants(environment: dict[str, str], every_s: float) -> None:
    assert Notifier(environment).every_s == every_s


async def test_where_nobody_listens_nothing_happens(tmp_path: Path) -> None:
    stop = asyncio.Event()
    stop.set()
    for address in ("", str(tmp_path / "nobody"), "@signoff-test-nobody"):
        await Notifier({"NOTIFY_SOCKET": address}).run(stop)
    assert os.listdir(tmp_path) == []


def test_a_socket_without_a_file_is_found() -> None:
    name = f"signoff-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(f"\0{name}")
        Notifier({"NOTIFY_SOCKET": f"@{name}"}).send("READY=1")
        assert listening.recv(100) == b"READY=1"
