"""The service's real processes and its Redis: started, killed, paused, started again."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from redis.asyncio import Redis
from redis.exceptions import RedisError

from adapters.redis.server.binary import find_server
from bot.waits import pause
from tests.fakes.forge import NULL, PIPE, Forged, forged
from tests.fakes.platforms.patience import within
from tests.fakes.ports import free_port
from tests.fakes.redis_servers import SAFE

ROOT = Path(__file__).parents[2]
# Generous: the machine may be busy with something else.
START_S = 120.0
END_S = 60.0


@dataclass
class Server:
    """A Redis of our own on a fixed port and folder: what it acknowledged outlives its kill."""

    folder: Path
    port: int = field(default_factory=free_port)
    settings: Mapping[str, str] = field(default_factory=dict)
    _process: Process | None = None

    async def start(self) -> None:
        """Start it on what it has, and wait until it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        given = {"port": str(self.port), "bind": "127.0.0.1", "dir": str(self.folder), "save": ""}
        words = [w for n, v in {**given, **SAFE, **self.settings}.items() for w in (f"--{n}", v)]
        binary = str(find_server().path)
        self._process = await asyncio.create_subprocess_exec(
            binary, *words, stdout=DEVNULL, stderr=DEVNULL
        )
        async with (
            within(START_S, "the store answers"),
            Redis(host="127.0.0.1", port=self.port) as client,
        ):
            while not await _answers(client):
                await pause(asyncio.Event(), 0.02)

    async def primaries(self) -> "list[Server]":
        """Those that have the data: itself."""
        return [self]

    async def whole(self) -> None:
        """Return when each of its data is where it should be."""

    @property
    def pid(self) -> int:
        """Its process, 0 before the first start."""
        return self._process.pid if self._process is not None else 0

    async def kill(self) -> None:
        """kill -9."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()


def family(pid: int) -> list[int]:
    """A process and all below it: a watchdog and its worker, a database and its sessions."""
    found = [pid]
    with suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            found += family(int(child))
    return found


async def _answers(client: Redis) -> bool:
    try:
        return bool(await client.ping())
    except (RedisError, OSError):
        return False


@dataclass
class Member:
    """A web or worker process, started again whenever it ends; `name` changes with each start."""

    slot: str
    folder: Path
    environment: Mapping[str, str]
    api: str
    redis: str
    name: str = ""
    starts: int = 0
    odd_ends: list[str] = field(default_factory=list)
    process: Forged | None = None
    ending: bool = False
    _killed: bool = False

    @property
    def command(self) -> str:
        """`web` or `worker`."""
        return self.slot.rstrip("0123456789")

    async def keep_up(self, up: asyncio.Event, stop: asyncio.Event) -> None:
        """Start it, and again after each end, until `stop`."""
        while not stop.is_set():
            await self._start()
            up.set()
            assert self.process is not None
            status = await self.process.wait()
            if not self._killed and not self.ending:
                self.odd_ends.append(f"{self.name} ended with {status}: {self._last_line()}")
            self._killed = False

    async def _start(self) -> None:
        self.starts += 1
        self.name = f"{self.slot}-{self.starts}"
        addresses = {
            "SLACK_API_URL": f"{self.api}/{self.name}/slack",
            "TELEGRAM_API_URL": f"{self.api}/{self.name}/tg",
            "REDIS_URL": f"{self.redis}?client_name={self.name}",
        }
        with self._log().open("ab") as log:
            self.process = await forged(
                "bot",
                # It ends by itself when we are gone.
                (self.command, "--stop-at-eof"),
                cwd=self.folder,
                env={**self.environment, **addresses},
                stdin=PIPE,
                stdout=NULL,
                stderr=log.fileno(),
                start_new_session=True,
            )

    def _log(self) -> Path:
        return self.folder / f"{self.name}.log"

    def _last_line(self) -> str:
        lines = self._log().read_text().splitlines()
        return lines[-1][-300:] if lines else "nothing said"

    def _signal(self, number: signal.Signals) -> None:
        if self.process is not None and self.process.returncode is None:
            # A worker and its watchdog, as when their machine dies or stands still.
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """kill -9; it starts again."""
        self._killed = True
        self._signal(signal.SIGKILL)

    def halt(self) -> None:
        """SIGSTOP."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT."""
        self._signal(signal.SIGCONT)

    async def end(self) -> None:
        """SIGTERM, as a deployment does; one that does not end in time is a fault."""
        self.ending = True
        self.go_on()
        self._signal(signal.SIGTERM)
        if self.process is None:
            return
        try:
            async with asyncio.timeout(END_S):
                status = await self.process.wait()
        except TimeoutError:
            self.odd_ends.append(f"{self.name} did not end within {END_S:.0f} s of SIGTERM")
            self.kill()
            return
        # One that was still being started has no handler yet, and has not said anything.
        early = status == -signal.SIGTERM and not self._log().read_text()
        if status != 0 and not early:
            self.odd_ends.append(f"{self.name} ended with {status}: {self._last_line()}")


def environment(folder: Path, **more: str) -> dict[str, str]:
    """What every process of the service is started with."""
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        "SIGNOFF_DATA_DIR": str(folder / "data"),
        "SIGNOFF_PLAYBOOKS": str(ROOT / "playbooks"),
        "SIGNOFF_WEBCHAT": "off",
        "SIGNOFF_MESSAGES_PER_MIN": "100000",
        **more,
    }
