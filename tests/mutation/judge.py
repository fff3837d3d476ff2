"""Runs the store's contract in the working folder each time a line is read (see run.py).

Everything is imported once; each run is a fork of that, so that it costs little and nothing stays.
"""

import json
import os
import signal
import sys
import tempfile

import pytest

SUITE = ("tests/contracts", "-k", "single", "-x", "-q", "--tb=line")
# A mutant may make a test wait for what never comes.
LONGEST_S = 30
_OPTIONS = ("-p", "no:cacheprovider")


def _answer() -> dict[str, object]:
    with tempfile.TemporaryFile("w+") as output:
        child = os.fork()
        if child == 0:
            # Ends it also when nobody is there any more to do so.
            signal.alarm(LONGEST_S)
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            code = pytest.main([*SUITE, *_OPTIONS])
            sys.stdout.flush()
            os._exit(code)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return {"code": os.waitstatus_to_exitcode(status), "output": output.read()}


def main() -> None:
    """Answer each line of the standard input with a line of JSON."""
    with open(os.devnull, "w") as nowhere:
        saved = os.dup(1)
        os.dup2(nowhere.fileno(), 1)
        pytest.main(["--collect-only", *SUITE, *_OPTIONS])
        sys.stdout.flush()
        os.dup2(saved, 1)
    for _ in sys.stdin:
        print(json.dumps(_answer()), flush=True)


if __name__ == "__main__":
    main()
