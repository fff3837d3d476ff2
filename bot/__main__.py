"""The command line: `signoff run|web|worker`, and what developers and operators use."""

import argparse
import asyncio
import errno
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from bot.logging import configure_logging
from bot.settings import Settings, load_settings
from bot.stopping import Stopped
from engine.errors import DefinitionError, StoreUnavailable

Serve = Callable[[Settings, asyncio.Event], Awaitable[int | None]]

_AWAY = 1
_WRONG_SETTINGS = 2
_INTERRUPTED = 130
# How long a process whose parent was killed may take to finish what it has in hand.
_ORPHAN_S = 20.0


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and answers its exit status.

    2 when a setting or definition is wrong, 1 when the store stays away, `validate` or
    `lint-examples` found faults, or there is no such name.
    """
    args = _parser().parse_args(argv)
    try:
        if args.command == "validate":
            return _validate(args.path)
        if args.command in ("route", "lint-examples"):
            return _route(args)
        if args.command in ("aside", "retry", "traces"):
            return _operate(args)
        return _serve(args.command, stop_at_eof=getattr(args, "stop_at_eof", False))
    except Stopped:
        return 0
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # Who read the output has seen enough; what is left in the buffer goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (DefinitionError, OSError, StoreUnavailable, BaseExceptionGroup) as error:
        lines = _explained(error)
        if lines is None:
            raise
        print("\n".join(lines), file=sys.stderr)
        return _AWAY if _is_away(error) else _WRONG_SETTINGS


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="signoff", description="Chat-bots that get work signed.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("run", help="start everything: store, web and worker")
    for name, what in (("web", "take messages and taps"), ("worker", "work on what was taken")):
        command = commands.add_parser(name, help=f"start only the process to {what}")
        command.add_argument("--stop-at-eof", action="store_true", help=argparse.SUPPRESS)
    validate = commands.add_parser("validate", help="check playbooks, people and outside servers")
    validate.add_argument("path", nargs="?", type=Path, help="folder (default: SIGNOFF_PLAYBOOKS)")
    route = commands.add_parser("route", help="show how a message would be understood")
    route.add_argument("text", help="the message, or - for one message a line of the input")
    route.add_argument("--json", action="store_true", help="one JSON line a message")
    commands.add_parser("lint-examples", help="list examples that look like another route")
    traces = commands.add_parser("traces", help="list how messages were understood and answered")
    traces.add_argument("id", nargs="?", help="print this one whole")
    commands.add_parser("aside", help="list mail that was set aside, and blocked runs")
    retry = commands.add_parser("retry", help="have what `aside` lists handled again")
    retry.add_argument("name", nargs="+", help="a name in the first column of `aside`")
    return parser


def _validate(path: Path | None) -> int:
    settings = load_settings()
    from bot.records import mapping_file
    from bot.validation import validate

    fields = mapping_file(settings)
    if path is None:
        problems = validate(settings.playbooks, settings.people, mcp=settings.mcp, fields=fields)
    else:
        problems = validate(path, settings.people, mcp=settings.mcp, named="", fields=fields)
    print("\n".join(problems) if problems else "ok")
    return 1 if problems else 0


def _route(args: argparse.Namespace) -> int:
    settings = load_settings()
    configure_logging(args.command)
    from bot.routing import lint_examples, show_routes

    if args.command == "lint-examples":
        return lint_examples(settings)
    return asyncio.run(show_routes(settings, args.text, as_json=args.json))


def _operate(args: argparse.Namespace) -> int:
    settings = load_settings()
    configure_logging(args.command)
    from bot import operate

    match args.command:
        case "aside":
            done = operate.list_aside(settings)
        case "traces":
            done = operate.show_trace(settings, args.id) if args.id else operate.traces(settings)
        case _:
            done = operate.retry(settings, args.name)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(done)


def _serve(command: str, *, stop_at_eof: bool) -> int:
    settings = load_settings()
    configure_logging(command)
    serve = _serve_of(command)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(_until_stopped(serve, settings, stop_at_eof=stop_at_eof)) or 0


def _serve_of(command: str) -> Serve:
    # Each process loads only its own half of the service.
    if command == "web":
        from bot.web import serve as web

        return web
    if command == "worker":
        from bot.worker import serve as worker

        return worker
    from bot.supervisor import serve as everything

    return everything


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


async def _until_stopped(serve: Serve, settings: Settings, *, stop_at_eof: bool) -> int | None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if stop_at_eof:
        _stop_at_eof(loop, stop)
    return await serve(settings, stop)


def _stop_at_eof(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    # The parent never writes: the pipe becomes readable only when the parent is gone.
    def parent_is_gone() -> None:
        loop.remove_reader(0)
        stop.set()
        loop.call_later(_ORPHAN_S, os._exit, 1)

    loop.add_reader(0, parent_is_gone)


def _is_away(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(_is_away(part) for part in error.exceptions)
    return isinstance(error, StoreUnavailable)


def _explained(error: BaseException) -> list[str] | None:
    """What the operator has to change, or None when that is not what went wrong."""
    match error:
        case BaseExceptionGroup():
            parts = [_explained(part) for part in error.exceptions]
            known = [line for part in parts if part is not None for line in part]
            return list(dict.fromkeys(known)) if None not in parts else None
        case DefinitionError() | StoreUnavailable():
            return str(error).split("\n")
        case OSError(errno=errno.EADDRINUSE):
            return ["PORT: should be a free port; something else listens there already"]
        case OSError(errno=errno.EADDRNOTAVAIL):
            return ["SIGNOFF_HOST: should be an address of this machine"]
        case PermissionError(filename=None):
            return ["PORT: should be a port that this user may listen on, as those above 1023 are"]
        case _:
            return None


if __name__ == "__main__":
    sys.exit(main())
