"""Processes of `python -m MODULE` that begin with everything imported: forked, not started anew.

A forge is a process of its own that has imported the service and learned the shipped examples, and
does nothing else; all processes of a test session share one. What it forks is a real process with
its own folder, environment, input, output and signals; only the seconds that imports take are
saved. What that process starts with `sys.executable -m bot` comes from the forge as well. How the
service starts from nothing is shown by tests/bot/processes/test_run.py.
"""

import asyncio
import atexit
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from io import FileIO
from pathlib import Path

ROOT = Path(__file__).parents[2]
PIPE, NULL = subprocess.PIPE, subprocess.DEVNULL
STAND_IN = Path(__file__).with_name("stand_in.py")
_MOST_BYTES = 1 << 20


class Forged:
    """A process, as asyncio.subprocess.Process is one; `stdout` is None when it goes elsewhere."""

    def __init__(self, pid: int, told: socket.socket) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdin: FileIO | None = None
        self.stdout: asyncio.StreamReader | None = None
        self.stderr: asyncio.StreamReader | None = None
        self._ending = asyncio.create_task(self._end(told))

    async def _end(self, told: socket.socket) -> int:
        with told:
            answer = await asyncio.get_running_loop().sock_recv(told, _MOST_BYTES)
        # The forge is gone with all that it forked when it says nothing.
        self.returncode = int(answer) if answer else -signal.SIGKILL
        return self.returncode

    async def wait(self) -> int:
        """Its exit status, once it has ended; negative for a signal."""
        return await asyncio.shield(self._ending)

    def send_signal(self, number: int) -> None:
        """Nothing, when it has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)

    async def communicate(self, given: bytes = b"") -> tuple[bytes, bytes]:
        """What it prints until it ends; `given` is its whole input, if that is a pipe."""
        if self.stdin is not None and not self.stdin.closed:
            stdin, self.stdin = self.stdin, None
            with suppress(BrokenPipeError), stdin:
                await asyncio.to_thread(_write, stdin, given)
        readers = (self.stdout, self.stderr)
        out, err = await asyncio.gather(*(r.read() if r else _nothing() for r in readers))
        await self.wait()
        return out, err


async def _nothing() -> bytes:
    return b""


def _write(stdin: FileIO, given: bytes) -> None:
    while given:
        given = given[stdin.write(given) :]


@dataclass(frozen=True, slots=True)
class _Forge:
    keeper: socket.socket
    """The forge goes on as long as one of these is open."""
    path: str
    process: subprocess.Popen[bytes] | None = None


LEARNED = "TEST_LEARNED_FOLDER"
"""Names the folder in which the session's processes find what they learn, as a variable."""
_KEEP = b"keep"
_forges: list[_Forge] = []
_looking = threading.Lock()
"""Many processes may be asked for at once: they are of one forge."""


def _forge() -> _Forge:
    """The forge of the session, or of this process alone where there is no session."""
    with _looking:
        if not _forges:
            atexit.register(_leave)
            folder = Path(os.environ.get(LEARNED) or tempfile.mkdtemp(prefix="learned"))
            with (folder / "forge.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                _forges.append(_kept(folder / "forge") or _started(folder / "forge"))
        return _forges[0]


def _leave() -> None:
    """Keep it no longer; whoever started it waits for its end, after the last one has left it."""
    for forge in _forges:
        forge.keeper.close()
        if forge.process is not None:
            forge.process.wait()


def _kept(note: Path) -> _Forge | None:
    """The forge that the note names, kept from now on; None when there is none."""
    keeper = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        path = note.read_text("utf-8")
        keeper.connect(path)
        keeper.send(_KEEP)
        if keeper.recv(len(_KEEP)) == _KEEP:
            return _Forge(keeper, path)
    except OSError:
        # There is none yet, or it has ended with those that kept it.
        pass
    keeper.close()
    return None


def _started(note: Path) -> _Forge:
    path = str(Path(tempfile.mkdtemp(prefix="forge")) / "s")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.forge", path],
        cwd=ROOT,
        stdin=NULL,
        stdout=PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    with process.stdout as out:
        assert out.readline() == b"ready\n"
    note.write_text(path, "utf-8")
    forge = _kept(note)
    assert forge is not None
    return replace(forge, process=process)


def stand_in(module: str, *words: str) -> tuple[str, ...]:
    """A command that is `python -m MODULE WORDS`, for who starts a child by its command."""
    return (sys.executable, "-I", "-S", str(STAND_IN), _forge().path, "-m", module, *words)


async def forged(
    module: str,
    words: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: int = NULL,
    stdout: int = PIPE,
    stderr: int = PIPE,
    start_new_session: bool = False,
) -> Forged:
    """`python -m MODULE WORDS` there, in that environment; PIPE, NULL or a file's number each."""
    forge = await asyncio.to_thread(_forge)
    asked = {
        "module": module,
        "words": list(words),
        "cwd": str(cwd),
        "env": dict(env),
        "start_new_session": start_new_session,
        "ends_with_asker": False,
    }
    told = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    told.connect(forge.path)
    theirs, ours = _ends(stdin, stdout, stderr)
    socket.send_fds(told, [json.dumps(asked).encode()], theirs)
    for end, given in zip(theirs, (stdin, stdout, stderr), strict=True):
        if end != given:
            os.close(end)
    told.setblocking(False)
    pid = int(await asyncio.get_running_loop().sock_recv(told, _MOST_BYTES))
    process = Forged(pid, told)
    process.stdin = None if ours[0] is None else FileIO(ours[0], "w")
    process.stdout, process.stderr = [await _reader(end) for end in ours[1:]]
    return process


def _ends(*given: int) -> tuple[list[int], list[int | None]]:
    """What the process gets for each, and our end of those that are pipes."""
    theirs, ours = list[int](), list[int | None]()
    for number, one in enumerate(given):
        if one == NULL:
            theirs.append(os.open(os.devnull, os.O_RDWR))
            ours.append(None)
        elif one == PIPE:
            reads, writes = os.pipe()
            theirs.append(writes if number else reads)
            ours.append(reads if number else writes)
        else:
            theirs.append(one)
            ours.append(None)
    return theirs, ours


async def _reader(end: int | None) -> asyncio.StreamReader | None:
    if end is None:
        return None
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(end, "rb"))
    return reader


# The forge itself.


def _import_everything() -> None:
    import pkgutil
    from importlib import import_module

    import adapters
    import bot

    for package in (bot, adapters):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            # What reads files has numpy kept away from its process.
            if not found.name.endswith("__main__") and "file_reader" not in found.name:
                import_module(found.name)
    for outside in ("mcp.server.mcpserver", "uvicorn", "uvloop", "encodings.idna"):
        import_module(outside)
    from bot.definitions.loader import load_definitions
    from bot.wiring.connections import load_connections
    from tests.fakes.learning import learn_once
    from tests.fakes.settings import make_settings

    if LEARNED in os.environ:
        learn_once(Path(os.environ[LEARNED]))
    # What a worker learns at its start is kept by the examples that it learns.
    folder = ROOT / "playbooks"
    shipped = make_settings(playbooks=folder, people=folder / "people.yaml")
    load_definitions(shipped, load_connections(shipped).toolbox).route_table().learn()


def _serve(path: str) -> None:
    import gc
    import select

    _import_everything()
    sys.executable = _interpreter(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    listener.listen(16)
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes)
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    alive: dict[int, socket.socket] = {}
    bound, keepers = set[int](), set[socket.socket]()
    kept = False
    while keepers or not kept:
        askers = {alive[pid]: pid for pid in bound & alive.keys()}
        ready, _, _ = select.select([listener, woken, *keepers, *askers], [], [])
        for keeper in keepers & {*ready}:
            # It says nothing more: it has gone.
            keepers.remove(keeper)
            keeper.close()
        for pid in [pid for told, pid in askers.items() if told in ready]:
            bound.remove(pid)
            os.kill(pid, signal.SIGKILL)
            # Before anything is forked in its place, which may want the port that it had.
            _ended(alive, *os.waitpid(pid, 0))
        if woken in ready:
            os.read(woken, 4096)
            _reap(alive)
        if listener in ready:
            _take(listener, alive, bound, keepers)
            kept = kept or bool(keepers)
    for pid in alive:
        os.kill(pid, signal.SIGKILL)


def _interpreter(path: str) -> str:
    """A program beside the forge's socket that does for its processes what Python does."""
    program = Path(path).with_name("python")
    code = f"import runpy, sys\nsys.argv[1:1] = [{path!r}]\nrunpy.run_path({str(STAND_IN)!r}, "
    program.write_text(f"#!{sys.executable} -IS\n{code}run_name='__main__')\n", "utf-8")
    program.chmod(0o700)
    return str(program)


def _reap(alive: dict[int, socket.socket]) -> None:
    while alive:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        _ended(alive, pid, status)


def _ended(alive: dict[int, socket.socket], pid: int, status: int) -> None:
    with alive.pop(pid) as told, suppress(OSError):
        told.send(str(os.waitstatus_to_exitcode(status)).encode())


def _take(
    listener: socket.socket,
    alive: dict[int, socket.socket],
    bound: set[int],
    keepers: set[socket.socket],
) -> None:
    told, _ = listener.accept()
    body, ends, _, _ = socket.recv_fds(told, _MOST_BYTES, 3)
    if not body:
        told.close()
        return
    if body == _KEEP:
        told.send(_KEEP)
        keepers.add(told)
        return
    asked = json.loads(body)
    pid = os.fork()
    if not pid:
        _become(asked, ends)
    if asked["ends_with_asker"]:
        bound.add(pid)
    for end in ends:
        os.close(end)
    alive[pid] = told
    told.send(str(pid).encode())


def _become(asked: dict[str, object], ends: Sequence[int]) -> None:
    """This process from here on: what `python -m` would have made of it. Does not return."""
    import runpy
    import traceback

    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, end in enumerate(ends):
        os.dup2(end, number)
    os.closerange(3, 1024)
    if asked["start_new_session"]:
        os.setsid()
    os.chdir(str(asked["cwd"]))
    os.environ.clear()
    os.environ.update(asked["env"])  # type: ignore[call-overload]
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = [str(asked["module"]), *asked["words"]]  # type: ignore[misc]
    status = 0
    try:
        runpy.run_module(str(asked["module"]), run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    _serve(sys.argv[1])
