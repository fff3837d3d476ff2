"""The terminal: typed lines, and output while somebody types."""

import asyncio
import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_CLEARED = "\r\x1b[K"


class TerminalScreen:
    """Lines in and out; output goes above the line that is being typed.

    Without a terminal each line that was read is printed, so that the output can be followed.
    """

    def __init__(self) -> None:
        self.typed = sys.stdin.isatty() and sys.stdout.isatty()
        self._wanted: queue.Queue[tuple[str, asyncio.Future[str | None]]] = queue.Queue()
        self._prompt: str | None = None
        self._reading: threading.Thread | None = None

    def show(self, *lines: str) -> None:
        """Print lines."""
        if not lines:
            return
        text = "\n".join(lines)
        if self.typed and self._prompt is not None:
            print(f"{_CLEARED}{text}\n{self._prompt}{_typed_so_far()}", end="", flush=True)
        else:
            print(text, flush=True)

    async def line(self, prompt: str) -> str | None:
        """The next line without its end, None at the end of the input."""
        if self._reading is None:
            # A daemon: a read that waits for a key must not hold up the end.
            self._reading = threading.Thread(target=self._read, daemon=True)
            self._reading.start()
        coming: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._prompt = prompt
        self._wanted.put((prompt, coming))
        try:
            line = await coming
        finally:
            self._prompt = None
        if line is not None and not self.typed:
            self.show(f"{prompt}{line}")
        return line

    def _read(self) -> None:
        while True:
            prompt, coming = self._wanted.get()
            line = self._typed_line(prompt) if self.typed else _piped_line()
            loop = coming.get_loop()
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(_set_line, coming, line)

    def _typed_line(self, prompt: str) -> str | None:
        try:
            return input(prompt)
        except (EOFError, KeyboardInterrupt, ValueError):
            return None
        except UnicodeDecodeError:
            return ""


@contextmanager
def restored_terminal() -> Iterator[None]:
    """Restore the terminal's modes at the end: an interrupted read may leave it without echo."""
    try:
        import readline  # noqa: F401 - input() edits lines with it
        import termios

        found = termios.tcgetattr(0)
    except (ImportError, OSError, ValueError):
        yield
        return
    except termios.error:
        yield
        return
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, found)


def _set_line(coming: asyncio.Future[str | None], line: str | None) -> None:
    if not coming.done():
        coming.set_result(line)


def _piped_line() -> str | None:
    raw = sys.stdin.buffer.readline()
    return raw.decode("utf-8", "replace").rstrip("\r\n") if raw else None


def _typed_so_far() -> str:
    """What stands on the line that is being typed."""
    try:
        import readline
    except ImportError:
        return ""
    return readline.get_line_buffer()
