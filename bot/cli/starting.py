"""Commands that make a project folder, and schemas for its editors."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from engine.errors import DefinitionError


def init_arguments(parser: argparse.ArgumentParser) -> None:
    """A new folder, and what would be asked otherwise."""
    parser.add_argument("path", type=Path, metavar="DIR", help="the folder to make")
    parser.add_argument(
        "--from",
        dest="sample",
        metavar="SAMPLE",
        help="copy a sample, as expenses; a wrong name lists them",
    )
    parser.add_argument("--name", metavar="NAME", help="your name, for people.yaml")
    parser.add_argument("--languages", metavar="LANGS", help="of the bot, as in en or zh,en")
    parser.add_argument("--timezone", metavar="ZONE", help="as in Europe/Berlin (this machine's)")
    parser.add_argument(
        "--request", action="append", metavar="TEXT", help="the first thing that people ask for"
    )
    parser.add_argument(
        "--request-also",
        action="append",
        metavar="TEXT",
        help="the same in the other language, with en and zh",
    )
    parser.add_argument("--yes", action="store_true", help="ask nothing; take what is usual")


def init(args: argparse.Namespace) -> int:
    """Makes a project folder and says the next commands."""
    from bot.starting.init import InitOptions, make_folder

    options = InitOptions(
        folder=args.path,
        sample=args.sample,
        name=args.name,
        languages=args.languages,
        zone=args.timezone,
        request=_only("--request", args.request),
        request_also=_only("--request-also", args.request_also),
        asks=not args.yes,
    )
    return make_folder(options)


def _only(option: str, given: Sequence[str] | None) -> str | None:
    """The one text of an option; None for none. Raises DefinitionError for several."""
    if given is not None and len(given) > 1:
        said = ", ".join(map(repr, given))
        raise DefinitionError(
            f"{option}: given {len(given)} times ({said}); a folder begins with one request, "
            "others are written into its playbook.yaml"
        )
    return given[0] if given else None


def schema_arguments(parser: argparse.ArgumentParser) -> None:
    """A project folder."""
    parser.add_argument("path", type=Path, metavar="DIR", help="project folder")
    parser.add_argument(
        "--lines", action="store_true", help="name them in the first line of each file, too"
    )


def schema(args: argparse.Namespace) -> int:
    """Writes a JSON Schema for each kind of file."""
    from bot.starting.schemas import update_folder

    return update_folder(args.path, lines=args.lines)
