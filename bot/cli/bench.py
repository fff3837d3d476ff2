"""The command that measures: its programs are among the tests, so only a checkout has them."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]


def bench_arguments(parser: argparse.ArgumentParser) -> None:
    """What is measured, and how often; the others of `make bench` come after `--`."""
    parser.add_argument("--only", metavar="ITEMS", help="as in router,planner (all)")
    parser.add_argument("--rounds", metavar="N", help="how often each is measured (4)")
    parser.add_argument(
        "options", nargs="*", metavar="-- OPTION", help="passed on, as in -- --messages 100 --keep"
    )


def bench(args: argparse.Namespace) -> int:
    """Runs the bench of this checkout, and answers its exit status."""
    if not (CHECKOUT / "tests" / "bench" / "run.py").is_file():
        print(
            "bench: its programs are not installed; get the source and run `make bench` in it",
            file=sys.stderr,
        )
        return 1
    options = [one for one in args.options if one != "--"]
    for name in ("only", "rounds"):
        if value := getattr(args, name):
            options += [f"--{name}", value]
    command = [sys.executable, "-m", "tests.bench.run", *options]
    path = os.pathsep.join(filter(None, (str(CHECKOUT), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": path}
    status = subprocess.call(command, cwd=CHECKOUT, env=environment)  # noqa: S603 - our own program
    return status if status >= 0 else 128 - status
