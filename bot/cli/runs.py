"""Commands about single runs: why they are where they are, their traces, other versions."""

import argparse
from pathlib import Path

from bot.cli.command import load_settings, positive_count, run_loop
from bot.telemetry.logging import configure_logging
from cards.texts import languages


def explain_arguments(parser: argparse.ArgumentParser) -> None:
    """Which run."""
    parser.add_argument("run_id", metavar="RUN", help="id of the run, as in `signoff runs list`")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def explain(args: argparse.Namespace) -> int:
    """Prints why a run is where it is."""
    settings = load_settings()
    configure_logging(args.command)
    from bot.operate import runs

    return run_loop(runs.show_explanation(settings, args.run_id, as_json=args.json))


def audit_arguments(parser: argparse.ArgumentParser) -> None:
    """Which run, and where its log goes."""
    parser.add_argument("run_id", metavar="RUN", help="id of the run, as in `signoff runs list`")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one object: run, standing, entries")
    form.add_argument(
        "--export", type=Path, metavar="FILE", help="write the entries to a new file, a line each"
    )
    parser.add_argument("--lang", choices=languages(), default="en", help="of the lines")


def audit(args: argparse.Namespace) -> int:
    """Prints everything that the log of a run says."""
    settings = load_settings()
    configure_logging(args.command)
    from bot.operate.audit import show_audit as told

    export, as_json = args.export, args.json
    return run_loop(told(settings, args.run_id, lang=args.lang, as_json=as_json, export=export))


def replay_arguments(parser: argparse.ArgumentParser) -> None:
    """Traces, and the playbooks to run them against."""
    parser.add_argument(
        "trace", metavar="TRACE", type=Path, help="a file of `runs trace`, or a folder of *.json"
    )
    parser.add_argument("--playbook", type=Path, help="folder (default: SIGNOFF_PLAYBOOKS)")
    parser.add_argument("--json", action="store_true", help="a list of {trace, steps, difference}")


def replay(args: argparse.Namespace) -> int:
    """Prints where recorded runs would decide otherwise now."""
    settings = load_settings()
    configure_logging(args.command)
    from bot.operate.traces import replay_traces

    return run_loop(replay_traces(settings, args.trace, args.playbook, as_json=args.json))


def runs_arguments(parser: argparse.ArgumentParser) -> None:
    """What is wanted of a run."""
    wanted = parser.add_subparsers(dest="wanted", required=True, metavar="WHAT")
    newest = wanted.add_parser("list", help="list the newest runs")
    newest.add_argument("--json", action="store_true", help="a list of objects")
    newest.add_argument("--limit", type=positive_count(10_000), metavar="N", help="so many (50)")
    trace = wanted.add_parser("trace", help="print the run's trace as JSON, for `replay`")
    migrate = wanted.add_parser("migrate", help="go on with another version of its playbook")
    stop = wanted.add_parser("stop", help="stop its job graph: what has begun ends, unused")
    fail = wanted.add_parser("fail", help="have a job of its job graph fail, and stop the others")
    recover = wanted.add_parser("recover", help="let a job graph that was stopped or failed go on")
    for each in (trace, migrate, stop, fail, recover):
        each.add_argument("run_id", metavar="RUN", help="id of the run, as in `signoff runs list`")
    migrate.add_argument(
        "--to", required=True, metavar="DIGEST", help="the playbook's digest, or `current`"
    )
    migrate.add_argument("--dry-run", action="store_true", help="only tell what would become of it")
    fail.add_argument("job", metavar="JOB", help="the job's id, as in `signoff explain RUN`")
    for each in (stop, fail):
        each.add_argument("--why", default="", help="what people are told")
    recover.add_argument("--feedback", default="", help="what should be different this time")
    migrate.add_argument("--json", action="store_true", help="one JSON object")


def runs(args: argparse.Namespace) -> int:
    """Lists runs, or does with one of them what is wanted."""
    settings = load_settings()
    configure_logging(args.command)
    from bot.operate import runs as ours

    if args.wanted == "list":
        limit = args.limit or ours.NEWEST
        return run_loop(ours.list_runs(settings, as_json=args.json, limit=limit))
    if args.wanted == "trace":
        return run_loop(ours.show_run_trace(settings, args.run_id))
    if args.wanted in ("stop", "fail", "recover"):
        from bot.operate.runs import order_job_graph

        text = args.feedback if args.wanted == "recover" else args.why
        job = args.job if args.wanted == "fail" else ""
        return run_loop(order_job_graph(settings, args.run_id, args.wanted, text=text, job=job))
    moved = ours.migrate_run(
        settings, args.run_id, args.to, dry_run=args.dry_run, as_json=args.json
    )
    return run_loop(moved)


def cases_arguments(parser: argparse.ArgumentParser) -> None:
    """Which case, if it is one."""
    parser.add_argument("case", nargs="?", metavar="CASE", help="id of a case (default: list them)")
    parser.add_argument("--json", action="store_true", help="a list of objects, or the case")


def cases(args: argparse.Namespace) -> int:
    """Lists cases, or shows one."""
    settings = load_settings()
    configure_logging(args.command)
    from bot.operate.projects.cases import list_cases, show_case

    if args.case is None:
        return run_loop(list_cases(settings, as_json=args.json))
    return run_loop(show_case(settings, args.case, as_json=args.json))
