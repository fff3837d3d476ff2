"""Learning in a process of its own: it takes seconds, and ten times the memory of what it leaves.

Run as `python -m bot.definitions.learning`: examples come in as JSON, what was learned goes out.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from engine.understanding.learned.classifier import Example
from engine.understanding.learned.training import learn

_PASSED_ON: Final = ("PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class NotLearned(Exception):
    """The other process ended without a result."""


async def learn_apart(examples: Sequence[Example], said: Sequence[str]) -> bytes:
    """What the examples teach, packed; `said` are their texts as they are compared.

    Raises NotLearned, OSError.
    """
    lines = [[e.text, e.route, e.group, text] for e, text in zip(examples, said, strict=True)]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "bot.definitions.learning"),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env=_environment(os.environ),
    )
    try:
        body, _ = await process.communicate(json.dumps(lines).encode())
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode or not body:
        raise NotLearned(f"it ended with {process.returncode}")
    return body


def _environment(own: Mapping[str, str]) -> dict[str, str]:
    # It gets no secrets, and finds this very code.
    kept = {name: own[name] for name in _PASSED_ON if name in own}
    return {
        **kept,
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }


def main() -> None:
    """Learn what stands on the standard input."""
    lines = json.load(sys.stdin)
    examples = [Example(text, route, group) for text, route, group, _ in lines]
    sys.stdout.buffer.write(learn(examples, [line[3] for line in lines]).pack())


if __name__ == "__main__":
    main()
