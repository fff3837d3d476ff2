"""The command that plays the tests of a project folder."""

import argparse
import logging
import sys
import time
from pathlib import Path

import structlog

from bot.cli.command import load_project, run_loop
from bot.definitions.watching import watched_files
from bot.project import PROJECT_FILE, enter_project
from bot.telemetry.logging import configure_logging
from engine.errors import DefinitionError

_LOOK_S = 0.5


def play_arguments(parser: argparse.ArgumentParser) -> None:
    """A folder, which of its tests, and what is told of them."""
    parser.add_argument(
        "path", nargs="?", type=Path, metavar="DIR", help="project folder (default: this one)"
    )
    parser.add_argument(
        "-k", dest="word", default="", metavar="WORD", help="only tests with it in name or file"
    )
    parser.add_argument(
        "--reach", action="store_true", help="list what no test reached, by file and line"
    )
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write results for a builder")
    parser.add_argument(
        "--repeat", type=_times, default=1, metavar="N", help="play each so often, 1 to 1000"
    )
    parser.add_argument(
        "--record",
        metavar="ID",
        help="print a test of a run, question or conversation that the service has had",
    )
    parser.add_argument(
        "--watch", action="store_true", help="play again whenever a file changes, until Ctrl-C"
    )


def evaluation_arguments(parser: argparse.ArgumentParser) -> None:
    """A file of tests, a folder, the models, and where scores are kept."""
    parser.add_argument("file", type=Path, metavar="FILE", help="questions and requests, as tests")
    parser.add_argument(
        "path", nargs="?", type=Path, metavar="DIR", help="project folder (default: this one)"
    )
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="a model to evaluate, each in turn (default: LLM_MODEL)",
    )
    parser.add_argument(
        "-k", dest="word", default="", metavar="WORD", help="only tests with it in their name"
    )
    parser.add_argument(
        "--repeat", type=_times, default=1, metavar="N", help="ask each so often, 1 to 1000"
    )
    parser.add_argument("--save", type=Path, metavar="OUT", help="write the scores, as JSON")
    parser.add_argument(
        "--against", type=Path, metavar="OUT", help="compare with scores of an earlier --save"
    )


def evaluate(args: argparse.Namespace) -> int:
    """Evaluates models; 1 when a test did not pass, 2 when a file is wrong."""
    from bot.testing.evaluate import EvaluationOptions, run_evaluation

    options = EvaluationOptions(
        file=args.file.absolute(),
        models=tuple(args.model),
        word=args.word,
        repeat=args.repeat,
        save=args.save and args.save.absolute(),
        against=args.against and args.against.absolute(),
    )
    if args.path is not None:
        enter_project(args.path)
    configure_logging(args.command)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    return run_loop(run_evaluation(load_project(), options))


def _times(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError("should be a whole number from 1 to 1000")
    return int(text)


def play_tests(args: argparse.Namespace) -> int:
    """Plays the tests; 1 when one fails, 2 when a file is wrong."""
    from bot.testing.run import PlayOptions, run_tests

    junit = args.junit.absolute() if args.junit else None
    if args.path is not None:
        enter_project(args.path)
    elif load_project() and not Path(PROJECT_FILE).exists():
        told = f"warning: there is no {PROJECT_FILE} here; SIGNOFF_PLAYBOOKS says what is tested"
        print(told, file=sys.stderr)
    configure_logging(args.command)
    # What goes wrong on purpose in a test is a warning; a fault of the service itself is told.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    if args.record is not None:
        from bot.testing.recording.record import record_test

        return run_loop(record_test(load_project(), args.record))
    options = PlayOptions(word=args.word, repeat=args.repeat, reach=args.reach, junit=junit)

    def play() -> int:
        return run_loop(run_tests(load_project(), options))

    if not args.watch:
        return play()
    playbooks = load_project().playbooks.absolute()
    while True:
        before = watched_files(playbooks)
        try:
            play()
        except DefinitionError as error:
            print("\n".join(error.problems), file=sys.stderr)
        except OSError as error:
            print(f"cannot be read: {error}", file=sys.stderr)
        print("waiting for a change; Ctrl-C ends", flush=True)
        while watched_files(playbooks) == before:
            time.sleep(_LOOK_S)
