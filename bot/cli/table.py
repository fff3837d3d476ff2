"""Every command of the command line: a line each, in the order in which they are listed."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from bot.cli import (
    bench,
    chat,
    definitions,
    operations,
    people,
    processes,
    projects,
    runs,
    starting,
    testing,
)
from bot.cli.command import CommandParser, folder_argument
from bot.version import VERSION, build


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its help, its arguments, and what runs it and answers the exit status."""

    name: str
    help: str
    run: Callable[[argparse.Namespace], int]
    arguments: Callable[[argparse.ArgumentParser], None] = lambda parser: None
    exits: str = ""


_SERVED = "0 it was stopped; 1 the store is away; 2 a setting, port or definition is wrong"
COMMANDS = (
    Command(
        "init",
        "make a project folder that can be served at once",
        starting.init,
        starting.init_arguments,
        "0 it is made; 2 an answer is wrong, or a file is there already",
    ),
    Command(
        "run",
        "start everything: store, web and worker",
        processes.run,
        folder_argument,
        _SERVED,
    ),
    Command(
        "dev",
        "serve a folder while you write it, and show how each message is read",
        processes.dev,
        processes.dev_arguments,
        _SERVED,
    ),
    Command(
        "web",
        "start only the process to take messages and taps",
        processes.web,
        processes.stop_at_eof_argument,
        _SERVED,
    ),
    Command(
        "worker",
        "start only the process to work on what was taken",
        processes.worker,
        processes.stop_at_eof_argument,
        _SERVED,
    ),
    Command(
        "chat",
        "talk to the running service; cards are numbered choices",
        chat.chat,
        chat.chat_arguments,
        "0 the input ended; 1 the service does not answer, or refuses; 2 a setting is wrong",
    ),
    Command(
        "ask",
        "send one message to the running service and print the reply",
        chat.ask,
        chat.ask_arguments,
        "0 answered, or done; 1 it failed or was cancelled, or the service does not answer or "
        "refuses; 2 a setting is wrong; 3 a card waits for you; 4 it waits for somebody else; "
        "5 not finished in time",
    ),
    Command(
        "validate",
        "check playbooks, people and outside servers",
        definitions.validate,
        definitions.validate_arguments,
        "0 all is well; 1 problems were found; 2 a setting is wrong",
    ),
    Command(
        "test",
        "play the conversations in tests/*.yaml and check what comes of them",
        testing.play_tests,
        testing.play_arguments,
        "0 all passed; 1 one differed, or there is none; 2 a setting or file is wrong",
    ),
    Command(
        "eval",
        "ask a model the questions and requests of a file, and score what comes of them",
        testing.evaluate,
        testing.evaluation_arguments,
        "0 all passed; 1 one did not; 2 a setting or file is wrong",
    ),
    Command(
        "upgrade-folder",
        "show a folder of earlier versions as it is written today, or write it so",
        definitions.upgrade,
        definitions.upgrade_arguments,
        "0 nothing is to be written, or it was; 1 files would change; 2 the folder has no "
        "playbook, or its time zone is not named",
    ),
    Command(
        "schema",
        "write JSON Schemas of a project folder's files, for editors",
        starting.schema,
        starting.schema_arguments,
        "0 they are written; 2 it is no project folder",
    ),
    Command(
        "doctor",
        "check tokens, scopes, addresses, Redis and model, and say what to mend",
        operations.doctor,
        operations.doctor_arguments,
        "0 all is well; 1 something is wrong; 2 a setting is wrong; 3 something could not be asked",
    ),
    Command(
        "tools",
        "list, call or probe the tools of the project folder",
        definitions.tools,
        definitions.tools_arguments,
        "0 it gave a result; 1 it gave none; 2 there is no such tool, it writes, or a setting is "
        "wrong",
    ),
    Command(
        "graph",
        "draw a playbook, or with --run the jobs of a run",
        definitions.graph,
        definitions.graph_arguments,
        "0 it is drawn; 1 the run is not there, or has no jobs; 2 there is no such playbook, it has"
        " problems, or a setting is wrong",
    ),
    Command(
        "route",
        "show how a message would be understood",
        definitions.route,
        definitions.route_arguments,
        "0 it is shown; 2 a setting or playbook is wrong",
    ),
    Command(
        "lint-examples",
        "list examples that look like another route, or whose values do not reach their form",
        definitions.lint_examples,
        definitions.lint_arguments,
        "0 they are listed; 1 one stands under two routes; 2 a setting or playbook is wrong, or "
        "there is no such playbook or request",
    ),
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
        "cases",
        "list cases, or show what one has and who set it",
        runs.cases,
        runs.cases_arguments,
        "0 it is shown; 1 there is no such case; 2 a setting is wrong",
    ),
    Command(
        "people",
        "list and add people, compare them with the platforms, sign them in to the web chat",
        people.people,
        people.people_arguments,
        "0 it is done, or all is well; 1 something is wrong, or there is no such person;"
        " 2 a setting or the file is wrong; 3 a platform could not be asked",
    ),
    Command(
        "projects",
        "list, add and remove projects, and say whose a conversation is",
        projects.projects,
        projects.projects_arguments,
        "0 it is done; 1 there is no such project or conversation, or it cannot be done; "
        "2 a setting is wrong",
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
        operations.traces,
        operations.traces_arguments,
        "0 it is shown; 1 there is no such trace; 2 a setting is wrong",
    ),
    Command(
        "aside",
        "list mail that was set aside, and blocked runs",
        operations.aside,
        operations.aside_arguments,
        "0 it is listed; 1 the store is away; 2 a setting is wrong",
    ),
    Command(
        "retry",
        "have what `aside` lists handled again",
        operations.retry,
        operations.retry_arguments,
        "0 all of it goes on; 1 nothing waits under one of the names; 2 a setting is wrong",
    ),
    Command(
        "memory",
        "list what is remembered for a project, or have some of it forgotten",
        operations.memory,
        operations.memory_arguments,
        "0 it is listed, or forgotten; 1 one of the ids is not there; 2 a setting is wrong",
    ),
    Command(
        "bench",
        "measure what a message costs (in a checkout of the source)",
        bench.bench,
        bench.bench_arguments,
        "0 it is measured; 1 an answer was missing or wrong, or there is no checkout; "
        "2 an option is wrong",
    ),
)


class _Version(argparse.Action):
    """Prints the version and the build, for which all code is read."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Prints them, and ends."""
        print(f"signoff {VERSION}, build {build()}")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """What reads the command line; the result's `run` is the command's."""
    whole = CommandParser(prog="signoff", description="Chat-bots that get work signed.")
    whole.add_argument("--version", action=_Version, nargs=0, help="the version and the build")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        epilog = f"exit status: {command.exits}" if command.exits else None
        one = commands.add_parser(command.name, help=command.help, epilog=epilog)
        command.arguments(one)
        one.set_defaults(run=command.run)
    return whole
