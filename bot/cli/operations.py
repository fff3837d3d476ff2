"""Commands of operators, on the store of a service that runs."""

import argparse
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from bot.cli.command import folder_argument, load_settings, run_loop
from bot.settings import Settings
from bot.telemetry.logging import configure_logging

_Act = Callable[[Settings], Coroutine[Any, Any, int]]


def traces_arguments(parser: argparse.ArgumentParser) -> None:
    """Which trace, or none for the list."""
    parser.add_argument("id", nargs="?", help="print this one whole, as JSON")
    parser.add_argument("--json", action="store_true", help="a list of objects, the newest first")


def traces(args: argparse.Namespace) -> int:
    """Prints the newest traces, or one whole."""
    from bot.operate.traces import list_traces, show_trace

    if args.id and Path(args.id).is_dir():
        told = f"{args.id}: is a folder, and no trace; call signoff traces in it, without its name"
        print(told, file=sys.stderr)
        return 1
    if args.id:
        return _run(args, lambda settings: show_trace(settings, args.id))
    return _run(args, lambda settings: list_traces(settings, as_json=args.json))


def aside_arguments(parser: argparse.ArgumentParser) -> None:
    """How it is printed."""
    parser.add_argument("--json", action="store_true", help="a list of objects")


def aside(args: argparse.Namespace) -> int:
    """Prints what waits for an operator."""
    from bot.operate.aside import list_aside

    return _run(args, lambda settings: list_aside(settings, as_json=args.json))


def retry_arguments(parser: argparse.ArgumentParser) -> None:
    """What is to be handled again."""
    parser.add_argument("name", nargs="+", help="a name in the first column of `aside`")


def retry(args: argparse.Namespace) -> int:
    """Has what waits for an operator handled again."""
    from bot.operate.aside import retry_aside

    return _run(args, lambda settings: retry_aside(settings, args.name))


def memory_arguments(parser: argparse.ArgumentParser) -> None:
    """What is done, in which project."""
    parser.add_argument("action", choices=("list", "forget"))
    parser.add_argument("project", metavar="PROJECT", help="the project that it is remembered for")
    parser.add_argument("memo", nargs="*", metavar="MEMO", help="ids, as `memory list` has them")
    parser.add_argument("--json", action="store_true", help="a list of {id, text, by, at}")


def memory(args: argparse.Namespace) -> int:
    """Prints what is remembered for a project, or takes some of it away."""
    from bot.operate.projects.memory import forget_memos, list_memos

    if args.action == "forget":
        return _run(args, lambda settings: forget_memos(settings, args.project, args.memo))
    return _run(args, lambda settings: list_memos(settings, args.project, as_json=args.json))


def doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder, and how it is printed."""
    folder_argument(parser)
    parser.add_argument("--json", action="store_true", help="a list of {check, state, told, fix}")


def doctor(args: argparse.Namespace) -> int:
    """Looks at every connection that the settings name."""
    from bot.operate.doctor import diagnose

    return _run(args, lambda settings: diagnose(settings, as_json=args.json))


def _run(args: argparse.Namespace, act: _Act) -> int:
    settings = load_settings()
    configure_logging(args.command)
    return run_loop(act(settings))
