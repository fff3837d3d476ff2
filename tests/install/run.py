"""Installs the wheel from the package index into a fresh environment and tries it, once a language.

`make install-check`; the test suite does the same without the index.
"""

import asyncio
import tempfile
from pathlib import Path

from tests.install.trial import QUESTIONS, try_installation
from tests.install.wheel import build_wheel, make_environment


def main() -> None:
    """Prints what a new user reads."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build_wheel(folder)
        programs = make_environment(folder / "environment", wheel, offline=False)
        for lang in QUESTIONS:
            empty = folder / lang
            empty.mkdir()
            print(asyncio.run(try_installation(programs, empty, lang)))
    print(f"{wheel.name} works in a fresh environment")


if __name__ == "__main__":
    main()
