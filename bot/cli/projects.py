"""Commands about projects: which there are, and whose each conversation is."""

import argparse

from bot.cli.command import load_project, run_loop
from bot.telemetry.logging import configure_logging


def projects_arguments(parser: argparse.ArgumentParser) -> None:
    """What is wanted of projects."""
    wanted = parser.add_subparsers(dest="wanted", required=True, metavar="WHAT")
    listing = wanted.add_parser("list", help="list projects, and the conversations of each")
    changes = wanted.add_parser("changes", help="list who added, bound and removed what")
    for each in (listing, changes):
        each.add_argument("--json", action="store_true", help="a list of objects")
    add = wanted.add_parser("add", help="add a project")
    bind = wanted.add_parser("bind", help="have a conversation belong to a project")
    remove = wanted.add_parser("remove", help="remove a project that was added")
    for each in (add, bind, remove):
        each.add_argument("project", metavar="PROJECT", help="id of the project")
    add.add_argument(
        "--name", action="append", default=[], help="what people call it, or LANG=TEXT for each"
    )
    add.add_argument(
        "--playbook", action="append", default=[], help="id of one that it may run (all)"
    )
    add.add_argument("--of", action="append", default=[], help="KIND=VALUE, as in customer=ACME")
    unbind = wanted.add_parser("unbind", help="take that back")
    for each in (bind, unbind):
        each.add_argument(
            "conversation", metavar="CONVERSATION", help="as in slack:T0EXAMPLE1:C0EXAMPLE1"
        )


def projects(args: argparse.Namespace) -> int:
    """Lists projects, adds and removes them, and says whose a conversation is."""
    settings = load_project()
    configure_logging(args.command)
    from bot.operate.projects import projects as ours

    match args.wanted:
        case "list":
            return run_loop(ours.list_projects(settings, as_json=args.json))
        case "changes":
            return run_loop(ours.list_changes(settings, as_json=args.json))
        case "add":
            return run_loop(
                ours.add_project(
                    settings,
                    args.project,
                    names=args.name,
                    playbooks=args.playbook,
                    of=args.of,
                )
            )
        case "bind":
            return run_loop(ours.bind_conversation(settings, args.project, args.conversation))
        case "unbind":
            return run_loop(ours.unbind_conversation(settings, args.conversation))
        case _:
            return run_loop(ours.remove_project(settings, args.project))
