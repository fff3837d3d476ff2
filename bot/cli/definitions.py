"""Commands that look at definitions and messages; nothing is started or stored."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from bot.cli.command import folder_argument, load_project, load_settings, run_loop
from bot.project import PROJECT_FILE, enter_project
from bot.telemetry.logging import configure_logging
from cards.texts import languages


def validate_arguments(parser: argparse.ArgumentParser) -> None:
    """A folder, and how problems are printed."""
    parser.add_argument(
        "path",
        nargs="?",
        type=Path,
        metavar="DIR",
        help="project folder, or folder of playbooks (default: SIGNOFF_PLAYBOOKS)",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="a list of {file, line, path, message, add}, [] if all is well",
    )
    parser.add_argument(
        "--no-tests",
        action="store_true",
        help="leave out the folder's tests, with whose problems a service starts all the same",
    )


def validate(args: argparse.Namespace) -> int:
    """Prints every problem of the definitions; 1 when there is one. Warnings go to stderr."""
    if args.path is not None and (args.path / PROJECT_FILE).exists():
        enter_project(args.path)
        args.path = None
    settings = load_settings() if args.path else load_project()
    from bot.operate.validation import find_problems as problems_of
    from bot.operate.validation import find_warnings, problems_as_json

    problems = problems_of(settings, args.path, with_tests=not args.no_tests)
    for warning in find_warnings(settings, args.path):
        print(f"warning: {warning}", file=sys.stderr)
    print(problems_as_json(problems) if args.json else _with_lines(problems) or "ok")
    return 1 if problems else 0


def _with_lines(problems: Sequence[str]) -> str:
    """The problems, each with the line to add where something is missing."""
    if not problems:
        return ""
    from bot.starting.missing import lines_to_add

    pairs = ((problem, lines_to_add(problem)) for problem in problems)
    return "\n".join(f"{problem}\n    add: {line}" if line else problem for problem, line in pairs)


def upgrade_arguments(parser: argparse.ArgumentParser) -> None:
    """A folder, its time zone, and whether to write."""
    parser.add_argument("path", type=Path, metavar="DIR", help="project folder, or of playbooks")
    parser.add_argument(
        "--timezone",
        metavar="ZONE",
        default=os.environ.get("SIGNOFF_TIMEZONE", ""),
        help="the time zone of its days, as in Europe/Berlin (default: SIGNOFF_TIMEZONE)",
    )
    parser.add_argument("--write", action="store_true", help="write the files, not only show how")


def upgrade(args: argparse.Namespace) -> int:
    """Shows, and with `--write` writes, a folder of earlier versions as it is written today."""
    from bot.operate.folder_upgrade import upgrade_folder

    return upgrade_folder(args.path, zone=args.timezone, write=args.write)


def graph_arguments(parser: argparse.ArgumentParser) -> None:
    """A playbook, and how it is drawn."""
    parser.add_argument(
        "playbook",
        metavar="PLAYBOOK",
        nargs="?",
        help="id of a playbook in SIGNOFF_PLAYBOOKS, or a playbook's folder or playbook.yaml",
    )
    parser.add_argument(
        "--run", metavar="RUN", dest="of_run", help="instead of a playbook: the jobs of a run"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--format", choices=("mermaid", "svg"), default="mermaid", help="of a picture"
    )
    form.add_argument(
        "--json", action="store_true", help="the nodes and edges instead of a picture"
    )
    parser.add_argument("--lang", choices=languages(), default="en", help="of the names")


def graph(args: argparse.Namespace) -> int:
    """Prints a playbook's graph, or the jobs of a run."""
    if (args.playbook is None) == (args.of_run is None):
        print("graph: either PLAYBOOK or --run RUN is needed", file=sys.stderr)
        return 2
    settings = load_settings()
    from bot.operate.graphs import show_graph, show_jobs

    form: Literal["mermaid", "svg", "json"] = "json" if args.json else args.format
    if args.of_run is not None:
        configure_logging(args.command)
        return run_loop(show_jobs(settings, args.of_run, form=form, lang=args.lang))
    return show_graph(settings, args.playbook, form=form, lang=args.lang)


def route_arguments(parser: argparse.ArgumentParser) -> None:
    """A message, a folder, and how its routes are printed."""
    parser.add_argument(
        "text", metavar="TEXT", help="the message, or - for one message a line of the input"
    )
    folder_argument(parser)
    parser.add_argument("--json", action="store_true", help="one JSON line a message")


def route(args: argparse.Namespace) -> int:
    """Prints how messages would be understood."""
    settings = load_project()
    configure_logging(args.command)
    from bot.operate.routing import show_routes

    return asyncio.run(show_routes(settings, args.text, as_json=args.json))


def lint_arguments(parser: argparse.ArgumentParser) -> None:
    """A folder, which of its examples are printed, and how."""
    folder_argument(parser)
    parser.add_argument(
        "--only",
        metavar="PLAYBOOK[/REQUEST]",
        default="",
        help="those of this playbook or request, and those that look like it",
    )
    parser.add_argument("--json", action="store_true", help="a list of objects")


def lint_examples(args: argparse.Namespace) -> int:
    """Prints examples that look like another route; 1 when one stands under two."""
    settings = load_project()
    configure_logging(args.command)
    from bot.operate import routing

    return routing.lint_examples(settings, only=args.only, as_json=args.json)


def tools_arguments(parser: argparse.ArgumentParser) -> None:
    """What is wanted of the tools."""
    wanted = parser.add_subparsers(dest="wanted", required=True, metavar="list|call|probe")
    listing = wanted.add_parser("list", help="every tool of a tools.yaml")
    _add_folder(listing)
    listing.add_argument("--json", action="store_true", help="a list of objects")
    for name, told in (
        ("call", "call a tool now and print what people would read"),
        ("probe", "print what is asked, what comes back, and what a model and people see"),
    ):
        asking = wanted.add_parser(name, help=told)
        asking.add_argument("tool", metavar="NAME")
        _add_folder(asking)
        asking.add_argument(
            "--arg", action="append", default=[], metavar="NAME=VALUE", help="an argument"
        )
        asking.add_argument("--lang", choices=languages(), help="of the text")
        if name == "call":
            asking.add_argument("--really", action="store_true", help="also when the tool writes")


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", nargs="?", type=Path, metavar="DIR", help="project folder (default: this one)"
    )


def tools(args: argparse.Namespace) -> int:
    """Lists, calls or probes the tools of the project folder."""
    if args.path is not None:
        enter_project(args.path)
    settings = load_project()
    configure_logging(args.command)
    from bot.operate.tools import call_tool, list_tools, probe_tool

    if args.wanted == "list":
        return list_tools(settings, as_json=args.json)
    lang = args.lang or settings.only_language or "en"
    if args.wanted == "probe":
        return run_loop(probe_tool(settings, args.tool, args.arg, lang=lang))
    asked = call_tool(settings, args.tool, args.arg, really=args.really, lang=lang)
    return run_loop(asked)
