"""Builds the wheel, and installs it where nothing of the checkout is."""

import shutil
import site
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("bot", "adapters", "engine", "cards", "examples", "playbooks")
SINGLE = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
_MADE = shutil.ignore_patterns("__pycache__", "data", "*.sqlite3")
_STEP_S = 600


def build_wheel(folder: Path) -> Path:
    """The wheel of this checkout, built by what is installed here, in the folder."""
    # A build leaves files beside the sources, and takes up those of earlier ones.
    source = folder / "source"
    for name in SOURCES:
        # Sample data that a playbook brings is in `data`, too.
        ignored = None if name == "playbooks" else _MADE
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in SINGLE:
        shutil.copy(ROOT / name, source)
    words = ("wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder)
    _pip(*words, source)
    shutil.rmtree(source)
    (wheel,) = folder.glob("*.whl")
    return wheel


def make_environment(folder: Path, wheel: Path, *, offline: bool) -> Path:
    """A new environment with the wheel in it; the folder of its programs.

    What the wheel needs comes from the package index, or `offline` from the environment that runs.
    """
    program = (sys.executable, "-m", "venv", "--without-pip", folder)
    subprocess.run(program, check=True, timeout=_STEP_S)
    programs = folder / "bin"
    into = ("--python", programs / "python", "install")
    if offline:
        library = programs.parent / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
        (library / "running.pth").write_text("\n".join(site.getsitepackages()), "utf-8")
        _pip(*into, "--no-deps", "--no-index", wheel)
    else:
        _pip(*into, wheel)
    return programs


def _pip(*words: str | Path) -> None:
    quiet = ("--disable-pip-version-check", "--quiet")
    command = (sys.executable, "-m", "pip", *quiet, *words)
    subprocess.run(command, check=True, timeout=_STEP_S)


def main() -> None:
    """Leave the wheel in dist/."""
    target = ROOT / "dist"
    target.mkdir(exist_ok=True)
    for old in target.glob("*.whl"):
        old.unlink()
    print(build_wheel(target))


if __name__ == "__main__":
    main()
