"""Carries out the Dockerfile's steps one by one in a fresh Debian root, where no Docker is needed.

It shows that the steps work, and that what they leave starts and is healthy; not that Docker
accepts the file. It needs root and debootstrap, and ends with 2, saying so, where they are missing.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from dockerfile_parse import DockerfileParser

from tests.fakes.ports import free_port

ROOT = Path(__file__).parents[2]
STEP_S = 900.0
HEALTHY_S = 120.0
NEEDS = ("debootstrap", "chroot", "mount", "umount")


class NotBuilt(Exception):
    """The steps cannot be carried out here; the text says why."""


@dataclass
class Image:
    """The root as the steps leave it, and what they set for those after them."""

    root: Path
    args: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    user: str = "root"
    workdir: str = "/"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health: str = ""

    def carry_out(self, instruction: str, value: str) -> None:
        """One step; raises CalledProcessError when it fails, NotBuilt for one not known here."""
        match instruction:
            case "ARG":
                self.args |= dict([value.split("=", 1)])
            case "FROM":
                _debian(Template(value).substitute(self.args).partition("@")[0], self.root)
            case "ENV":
                self.env |= dict(pair.split("=", 1) for pair in shlex.split(value))
            case "WORKDIR":
                self.workdir = value
                self.inside(value).mkdir(parents=True, exist_ok=True)
            case "COPY":
                self._copy(*shlex.split(value))
            case "RUN":
                self.run(["/bin/sh", "-c", value], env=_registries(), check=True, timeout=STEP_S)
            case "USER":
                self.user = value
            case "HEALTHCHECK":
                self.health = value.partition("CMD ")[2]
            case "ENTRYPOINT":
                self.entrypoint = json.loads(value)
            case "CMD":
                self.command = json.loads(value)
            case "EXPOSE" | "VOLUME" | "COMMENT":
                pass
            case _:
                raise NotBuilt(f"{instruction} is not known to tests/image/steps.py")

    def inside(self, path: str) -> Path:
        """Where a path of the image is on this machine."""
        return self.root / path.lstrip("/")

    def _copy(self, *words: str) -> None:
        *sources, target = words
        if target not in ("./", f"{sources[0]}/"):
            raise NotBuilt(f"COPY to {target}: only to the same place is known here")
        tracked = ["git", "ls-files", "-z", "--", *sources]
        listed = subprocess.run(tracked, cwd=ROOT, check=True, capture_output=True, text=True)
        names = [name for name in listed.stdout.split("\0") if name]
        if not names:
            raise NotBuilt(f"COPY {' '.join(sources)}: there is no such file")
        for name in names:
            place = self.inside(self.workdir) / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place)

    def run(
        self, words: list[str], *, env: dict[str, str] | None = None, **how: object
    ) -> subprocess.CompletedProcess[str]:
        """A command in the root, as the image's user in its folder."""
        return subprocess.run(self._words(words), env=self._env(env), text=True, **how)  # type: ignore[call-overload,no-any-return]

    def start(self, words: list[str], **env: str) -> subprocess.Popen[str]:
        """A command in the root that goes on."""
        return subprocess.Popen(self._words(words), env=self._env(env), text=True)

    def _words(self, words: list[str]) -> list[str]:
        go = 'cd "$0" && exec "$@"'
        user = f"--userspec={self.user}"
        # The image's PATH is not this machine's.
        chroot = shutil.which("chroot") or "chroot"
        return [chroot, user, str(self.root), "/bin/sh", "-c", go, self.workdir, *words]

    def _env(self, more: dict[str, str] | None) -> dict[str, str]:
        usual = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        return {**usual, "HOME": "/", **self.env, **(more or {})}


def _debian(base: str, root: Path) -> None:
    release = base.removeprefix("debian:").removesuffix("-slim")
    if not base.startswith("debian:"):
        raise NotBuilt(f"FROM {base}: only a Debian can be made here")
    words = ["debootstrap", "--variant=minbase", release, str(root), _mirror(release)]
    made = subprocess.run(words, capture_output=True, text=True, timeout=STEP_S)
    if made.returncode:
        raise NotBuilt(f"debootstrap failed: {(made.stdout + made.stderr).strip()[-500:]}")
    _as_here(root)


def _mirror(release: str) -> str:
    """Where this machine gets its own packages of the release from."""
    words = ["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)"]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    sites = [line.split()[0] for line in told.splitlines() if line.split()[1:] == [release]]
    if not sites:
        raise NotBuilt(f"this machine's apt has no source of {release}; run apt-get update")
    return sites[0]


def _as_here(root: Path) -> None:
    """The root reaches package registries in the way that this machine does."""
    for name in ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf"):
        if Path(name).exists():
            shutil.copy(name, root / name[1:])
    authorities = os.environ.get("PIP_CERT") or "/etc/ssl/certs/ca-certificates.crt"
    if Path(authorities).exists():
        place = root / "etc/ssl/machine.crt"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(authorities, place)


def _registries() -> dict[str, str]:
    """Proxies and pip's settings of this machine, for the steps that install."""
    wanted = ("PIP_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
    given = {n: v for n, v in os.environ.items() if n.upper().startswith(wanted)}
    given.pop("PIP_FIND_LINKS", None)
    return {**given, "PIP_CERT": "/etc/ssl/machine.crt", "DEBIAN_FRONTEND": "noninteractive"}


@contextmanager
def _mounted(root: Path) -> Iterator[None]:
    """/proc and /dev, as every container has them."""
    with ExitStack() as mounts:
        for name in ("proc", "dev"):
            place = root / name
            place.mkdir(parents=True, exist_ok=True)
            subprocess.run(["mount", "--rbind", f"/{name}", str(place)], check=True)
            subprocess.run(["mount", "--make-rslave", str(place)], check=True)
            gone = ["umount", "--recursive", "--lazy", str(place)]
            mounts.callback(subprocess.run, gone, check=True)
        yield


def build(root: Path) -> Image:
    """Every step in turn; prints each."""
    root.mkdir(mode=0o755)
    image = Image(root)
    with ExitStack() as mounts:
        parser = DockerfileParser(path=str(ROOT / "Dockerfile"), cache_content=True)
        for step in parser.structure:
            if step["instruction"] != "COMMENT":
                print(f"{step['instruction']} {step['value']}", flush=True)
            image.carry_out(step["instruction"], step["value"])
            if step["instruction"] == "FROM":
                mounts.enter_context(_mounted(root))
        _healthy(image)
    return image


def _healthy(image: Image) -> None:
    """The image's own command serves, by its own check, and ends at SIGTERM."""
    port = str(free_port())
    # No platform is needed to see that it serves, so the web chat, on this machine only.
    here = {"PORT": port, "SIGNOFF_HOST": "127.0.0.1", "SIGNOFF_WEBCHAT": "on"}
    process = image.start([*image.entrypoint, *image.command], **here)
    try:
        end = time.monotonic() + HEALTHY_S
        while image.run(
            ["/bin/sh", "-c", image.health], env=here, stderr=subprocess.DEVNULL, timeout=30
        ).returncode:
            if process.poll() is not None or time.monotonic() > end:
                raise NotBuilt("what was built does not become healthy")
            time.sleep(0.5)
        process.terminate()
        if process.wait(timeout=60) != 0:
            raise NotBuilt(f"what was built ended with {process.returncode}")
    finally:
        process.kill()
        process.wait()


def _removed(folder: Path) -> None:
    """Nothing of the root stays; while this machine's /dev is still in it, nothing is touched."""
    mounts = Path("/proc/self/mounts").read_text().split()
    if any(word.startswith(str(folder)) for word in mounts):
        print(f"{folder} is left: something is still mounted in it", file=sys.stderr)
    else:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    """0 when every step worked and the result is healthy, 1 when not, 2 when it cannot be tried."""
    missing = [name for name in NEEDS if shutil.which(name) is None]
    if os.geteuid() != 0 or missing:
        print(f"NOT BUILT: needs root and {', '.join(NEEDS)}", file=sys.stderr)
        return 2
    folder = Path(tempfile.mkdtemp(prefix="signoff-image-"))
    try:
        build(folder / "root")
    except (NotBuilt, subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        print(f"NOT BUILT: {error}", file=sys.stderr)
        return 1
    finally:
        _removed(folder)
    print("every step of the Dockerfile worked, and what it leaves is healthy")
    return 0


if __name__ == "__main__":
    sys.exit(main())
