"""Every command of the command line: a line each, in the order in which they are listed."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from bot.cli import looking, operating, people, runs, serving


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its help, its arguments, and what runs it and answers the exit status."""

    name: str
    help: str
    run: Callable[[argparse.Namespace], int]
    arguments: Callable[[argparse.ArgumentParser], None] = lambda parser: None
    exits: str = ""


COMMANDS = (
    Command("run", "start everything: store, web and worker", serving.run),
    Command("web", "start only the process to take messages and taps", serving.web, serving.ending),
    Command(
        "worker", "start only the process to work on what was taken", serving.worker, serving.ending
    ),
    Command(
        "validate",
        "check playbooks, people and outside servers",
        looking.validate,
        looking.validate_arguments,
        "0 all is well; 1 problems were found; 2 a setting is wrong",
    ),
    Command(
        "graph",
        "draw a playbook, or with --run the jobs of a run",
        looking.graph,
        looking.graph_arguments,
        "0 it is drawn; 1 the run is not there, or has no jobs; 2 there is no such playbook, it has"
        " problems, or a setting is wrong",
    ),
    Command(
        "route", "show how a message would be understood", looking.route, looking.route_arguments
    ),
    Command("lint-examples", "list examples that look like another route", looking.lint_examples),
    Command(
        "explain",
        "show why a run is where it is: each skill, and every step",
        runs.explain,
        runs.explain_arguments,
        "0 it is shown; 1 there is no such run; 2 a setting is wrong",
    ),
    Command(
        "audit",
        "show who did what in a run, when and from where, refused attempts too",
        runs.audit,
        runs.audit_arguments,
        "0 it is shown or written; 1 there is no such run, or the file is there already; "
        "2 a setting is wrong",
    ),
    Command(
        "replay",
        "run recorded runs against the playbooks as they are now",
        runs.replay,
        runs.replay_arguments,
        "0 nothing differs; 1 something does; 2 a trace or playbook cannot be read",
    ),
    Command(
        "runs",
        "list runs, print a trace, migrate a run, or stop and recover its job graph",
        runs.runs,
        runs.runs_arguments,
        "0 it is done; 1 there is no such run, or it cannot be done; 2 a setting is wrong",
    ),
    Command(
        "people",
        "list people, compare them with the platforms, sign them in to the web chat",
        people.people,
        people.people_arguments,
        "0 it is done, or all is well; 1 something is wrong, or there is no such person;"
        " 2 a setting or the file is wrong; 3 a platform could not be asked",
    ),
    Command(
        "pending",
        "list what waits for a person, or for anybody",
        people.pending,
        people.pending_arguments,
        "0 it is listed; 1 there is no such person; 2 a setting is wrong",
    ),
    Command(
        "traces",
        "list how messages were understood and answered",
        operating.traces,
        operating.traces_arguments,
    ),
    Command("aside", "list mail that was set aside, and blocked runs", operating.aside),
    Command(
        "retry", "have what `aside` lists handled again", operating.retry, operating.retry_arguments
    ),
)


def parser() -> argparse.ArgumentParser:
    """What reads the command line; the result's `run` is the command's."""
    whole = argparse.ArgumentParser(prog="signoff", description="Chat-bots that get work signed.")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        epilog = f"exit status: {command.exits}" if command.exits else None
        one = commands.add_parser(command.name, help=command.help, epilog=epilog)
        command.arguments(one)
        one.set_defaults(run=command.run)
    return whole
