"""The command that plays the tests of a project folder."""

import argparse
import logging
from pathlib import Path

import structlog

from bot.cli.command import load_settings, run_loop
from bot.project import PROJECT_FILE, enter_project


def play_arguments(parser: argparse.ArgumentParser) -> None:
    """A folder, and which of its tests."""
    parser.add_argument(
        "path", nargs="?", type=Path, metavar="DIR", help="project folder (default: this one)"
    )
    parser.add_argument("-k", dest="word", default="", help="only tests with this in name or file")


def run_tests(args: argparse.Namespace) -> int:
    """Plays the tests; 1 when one fails, 2 when a file is wrong."""
    if args.path is not None:
        enter_project(args.path)
    elif not Path(PROJECT_FILE).exists():
        print(f"warning: there is no {PROJECT_FILE} here; SIGNOFF_PLAYBOOKS says what is tested")
    settings = load_settings()
    # What goes wrong on purpose in a test is no news.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    from bot.testing.report import lines_of, summary
    from bot.testing.run import PlayOptions, load_tests, play_all

    folder, scenarios = load_tests(settings)
    if not scenarios:
        print("there are no tests: write some in playbooks/<id>/tests/*.yaml")
        return 1
    wanted = PlayOptions(word=args.word)
    played = run_loop(
        play_all(folder, scenarios, wanted, lambda each: print("\n".join(lines_of(each))))
    )
    print(summary(played))
    return 1 if not played or any(not each.passed for each in played) else 0
