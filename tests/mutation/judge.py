"""Runs the store's contract in the working folder each time a line is read (see run.py).

Everything is imported once; each run is a fork of that, so that it costs little and nothing stays.
All runs use one server, which every test begins with emptying.
"""

import asyncio
import json
import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest

from adapters.redis.server.embedded import open_server

SUITE = ("tests/contracts", "-x", "-q", "--tb=line", "-p", "no:cacheprovider")
# Not run here, and slow to import.
LEFT_OUT = (
    "--ignore=tests/contracts/test_store_property.py",
    "--ignore=tests/contracts/platforms",
    "-p",
    "no:hypothesispytest",
)


def _answer(only: str, longest_s: int) -> dict[str, object]:
    with tempfile.TemporaryFile("w+") as output:
        child = os.fork()
        if child == 0:
            # Ends it also when nobody is there any more to do so.
            signal.alarm(longest_s)
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            code = pytest.main([*SUITE, *LEFT_OUT, "-k", only])
            sys.stdout.flush()
            os._exit(code)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return {"code": os.waitstatus_to_exitcode(status), "output": output.read()}


def main() -> None:
    """Answer each line of the standard input, a JSON object of arguments, with a line of JSON."""
    with open(os.devnull, "w") as nowhere:
        saved = os.dup(1)
        os.dup2(nowhere.fileno(), 1)
        pytest.main(["--collect-only", *SUITE, *LEFT_OUT])
        sys.stdout.flush()
        os.dup2(saved, 1)
    server = asyncio.run(open_server(Path(os.environ["TEST_REDIS_FOLDER"])))
    for line in sys.stdin:
        print(json.dumps(_answer(**json.loads(line))), flush=True)
    server.close()


if __name__ == "__main__":
    main()
