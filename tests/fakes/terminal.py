"""`signoff chat` in a process of its own, over pipes or in a terminal of its own."""

import asyncio
import os
import pty
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.bot.signoff_process import environment
from tests.fakes.forge import PIPE, Forged, forged
from tests.fakes.platforms.patience import START_S, within


class ChatProcess:
    """What it has printed so far, and lines for it."""

    def __init__(self, process: Forged) -> None:
        self.process = process
        self.out = ""
        self._from = 0

    async def until(self, text: str) -> str:
        """What it printed since the last such text, up to this one."""
        assert self.process.stdout is not None
        async with within(START_S, f"it prints {text!r}", lambda: self.out):
            while (at := self.out.find(text, self._from)) < 0:
                more = await self.process.stdout.read(65536)
                assert more, f"it ended without {text!r}:\n{self.out}"
                self.out += more.decode()
        told = self.out[self._from : at + len(text)]
        self._from = at + len(text)
        return told

    def type(self, *lines: str) -> None:
        """Type lines."""
        assert self.process.stdin is not None
        for line in lines:
            self.process.stdin.write(f"{line}\n".encode())

    async def end(self) -> int:
        """End the input; its exit status, once all it printed is in `out`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        async with within(START_S, "it ends", lambda: self.out):
            self.out += (await self.process.stdout.read()).decode()
            return await self.process.wait()


@asynccontextmanager
async def chatting(folder: Path, url: str, *words: str) -> AsyncIterator[ChatProcess]:
    """`signoff chat` over pipes; killed at the end of the block when it has not ended."""
    env, said = environment(folder, {}), ("chat", "--url", url, *words)
    with (folder / "chat.log").open("ab") as log:
        process = await forged("bot", said, cwd=folder, env=env, stdin=PIPE, stderr=log.fileno())
    try:
        yield ChatProcess(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


class Terminal:
    """A terminal that a command runs in: what is on it, and keys for it."""

    def __init__(self, process: Forged, end: int) -> None:
        self.screen = ""
        self._seen = 0
        self._process = process
        self._end = end

    async def until(self, text: str) -> None:
        """Returns once the text is on the screen, after what was waited for before."""
        async with within(START_S, f"the screen shows {text!r}", lambda: self.screen):
            while (at := self.screen.find(text, self._seen)) < 0:
                more = await asyncio.to_thread(self._read)
                assert more, f"it ended without {text!r}:\n{self.screen}"
                self.screen += more
        self._seen = at + len(text)

    def keys(self, typed: str) -> None:
        """Type this."""
        os.write(self._end, typed.encode())

    async def ended(self) -> int:
        """The exit status, once it has ended and all is on the screen."""
        async with within(START_S, "it ends", lambda: self.screen):
            while more := await asyncio.to_thread(self._read):
                self.screen += more
            return await self._process.wait()

    def _read(self) -> str:
        try:
            return os.read(self._end, 65536).decode("utf-8", "replace")
        except OSError:  # the other end is closed
            return ""


@asynccontextmanager
async def in_terminal(folder: Path, *words: str, **variables: str) -> AsyncIterator[Terminal]:
    """`signoff WORDS` in a terminal; killed at the end of the block when it has not ended."""
    env = {"TERM": "xterm", **environment(folder, variables)}
    end, theirs = pty.openpty()
    ends = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    try:
        process = await forged("bot", words, cwd=folder, env=env, start_new_session=True, **ends)
    finally:
        os.close(theirs)
    try:
        yield Terminal(process, end)
    finally:
        process.kill()
        await process.wait()
        os.close(end)
