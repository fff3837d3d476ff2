"""The platform of the worked example in CONTRIBUTING.md: written out, registered, talked to."""

import asyncio
import importlib
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

import adapters
from bot.wiring import platforms as wiring_platforms
from cards.texts import ROOM_TEXTS, texts_of
from tests.fakes.platforms.patience import PATIENCE_S, within

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
PASSPHRASE = "hush"
CONNECT_S = 30
_BLOCK = re.compile(r"```python\n# (\S+\.py)\n(.*?)```", re.DOTALL)


def written() -> dict[str, str]:
    """The example's files, by path."""
    return {found[1]: found[2] for found in _BLOCK.finditer(PAGE.read_text("utf-8"))}


@contextmanager
def registered(folder: Path) -> Iterator[None]:
    """Until the block ends, `lines` is a platform of the service; its code is in `folder`."""
    with ExitStack() as stack:
        stack.enter_context(_found_in(folder))
        for path, code in written().items():
            if (ROOT / path).exists():
                # An entry in what is there.
                name = path.removesuffix(".py").replace("/", ".")
                exec(compile(code, str(PAGE), "exec"), vars(importlib.import_module(name)))
            else:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(code, "utf-8")
        stack.callback(wiring_platforms.PLATFORMS.pop, "lines")
        stack.callback(texts_of.cache_clear)
        stack.callback(ROOM_TEXTS.pop, "lines")
        yield


@contextmanager
def _found_in(folder: Path) -> Iterator[None]:
    """Rooms of adapters are looked for there too."""
    adapters.__path__.append(str(folder / "adapters"))
    importlib.invalidate_caches()
    yield
    adapters.__path__.remove(str(folder / "adapters"))
    for name in [name for name in sys.modules if name.startswith("adapters.lines")]:
        del sys.modules[name]


class Line:
    """One person's connection; `said` holds every line that came, oldest first."""

    def __init__(self, port: int, room: str, person: str) -> None:
        self.said: list[str] = []
        self._port, self._hello = port, f"{room} {person} {PASSPHRASE}"
        self._changed = asyncio.Condition()

    async def __aenter__(self) -> Self:
        async with within(CONNECT_S, "the port of lines is open"):
            while True:
                try:
                    self._reader, self._writer = await asyncio.open_connection(
                        "127.0.0.1", self._port, limit=1 << 20
                    )
                    break
                except OSError:
                    # It listens as soon as the service has come so far.
                    await asyncio.sleep(0.01)
        self._reading = asyncio.create_task(self._read())
        await self.write(self._hello)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        self._writer.close()

    async def write(self, text: str) -> None:
        """Types a line."""
        self._writer.write(f"{text}\n".encode())
        await self._writer.drain()

    async def ask(self, text: str) -> str:
        """Types a line; the one line that answers it."""
        before = len(self._answers())
        await self.write(text)
        await self.wait_for(lambda: len(self._answers()) > before)
        return self._answers()[before]

    async def wait_for(self, holds: Callable[[], bool], timeout_s: float = PATIENCE_S) -> None:
        """Returns once `holds`; AssertionError after so long."""
        async with within(timeout_s, holds), self._changed:
            await self._changed.wait_for(holds)

    @property
    def messages(self) -> dict[str, list[str]]:
        """What each message shows now, by its id: the lines of its text and its buttons."""
        shown: dict[str, list[str]] = {}
        for line in self.said:
            if line.startswith("= "):
                shown[line] = []
            elif shown and line[0] in ">[":
                shown[[*shown][-1]] = [*shown[[*shown][-1]], line]
        return shown

    def shows(self, text: str) -> bool:
        """Whether a line that came has this in it."""
        return any(text in line for line in self.said)

    def number(self, label: str) -> str:
        """The number of a button that stands on a message now; LookupError when there is none."""
        for lines in reversed([*self.messages.values()]):
            for line in lines:
                if found := re.fullmatch(rf"\[(\d+)\] {re.escape(label)}", line):
                    return found[1]
        raise LookupError(f"no button {label!r} in {self.said}")

    def _answers(self) -> list[str]:
        return [line for line in self.said if line[:1] in ("o", "*", "?", "!")]

    async def _read(self) -> None:
        async for line in self._reader:
            async with self._changed:
                self.said.append(line.decode().removesuffix("\n"))
                self._changed.notify_all()
