"""One parser under atheris, which bends payloads towards code that was not reached yet."""

import sys
from collections.abc import Sequence

import atheris

with atheris.instrument_imports(include=["adapters", "bot", "cards", "engine"]):
    from tests.fuzz.parsers import TARGETS


def main(argv: Sequence[str]) -> None:
    """`harness NAME [what atheris takes]`; ends with 77 or the like at the first error."""
    program, name, *rest = argv
    TARGETS[name](b"{}")
    atheris.Setup([program, *rest], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
