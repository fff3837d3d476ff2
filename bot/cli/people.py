"""Commands about people: who there is, whether platforms know them, what waits for them."""

import argparse
from pathlib import Path
from typing import Any, Final

from bot.cli.command import folder_argument, load_settings, positive_number, run_loop
from bot.settings import Settings
from bot.telemetry.logging import configure_logging

LONGEST_MINUTES = 24 * 60
_ACCOUNTS: Final = {"slack": "T0EXAMPLE1:U0EXAMPLE1", "telegram": "100000001"}


def people_arguments(parser: argparse.ArgumentParser) -> None:
    """What is wanted of people."""
    wanted = parser.add_subparsers(dest="wanted", required=True, metavar="WHAT")
    listing = wanted.add_parser("list", help="list everybody in people.yaml, and who was let in")
    check = wanted.add_parser("check", help="ask Slack and Telegram about every account and group")
    for each in (listing, check):
        each.add_argument("--json", action="store_true", help="a list of objects")
    _file_arguments(wanted)
    export = wanted.add_parser("export", help="write all that is kept of a person into a folder")
    export.add_argument("--to", type=Path, metavar="FOLDER", help="a new folder (PERSON-data)")
    erase = wanted.add_parser("erase", help="erase what is kept of a person")
    erase.add_argument("--yes", action="store_true", help="ask no more whether it is meant")
    erase.add_argument("--cancel", action="store_true", help="cancel their requests that go on")
    for each in (export, erase):
        each.add_argument("person", metavar="PERSON", help="id in people.yaml, or an account")
        for name in ("account", "name"):
            told = f"a further {name} of theirs; may be repeated"
            each.add_argument(f"--{name}", action="append", default=[], help=told)
    link = wanted.add_parser("link", help="print a link that signs a person in once")
    link.add_argument(
        "--minutes",
        type=positive_number(LONGEST_MINUTES),
        default=15.0,
        help="how long it is good (15)",
    )
    unlink = wanted.add_parser("unlink", help="sign a person out everywhere")
    admit = wanted.add_parser("admit", help="let an account ask that is not in people.yaml")
    revoke = wanted.add_parser("revoke", help="take that back")
    for each in (admit, revoke):
        each.add_argument("account", metavar="ACCOUNT", help="as in telegram:100000001")
    for each in (link, unlink):
        each.add_argument("person", metavar="PERSON", help="id of the person in people.yaml")


async def _personal(settings: Settings, args: argparse.Namespace) -> int:
    """Export or erase a person."""
    from bot.operate.personal import PersonQuery, erase_person, export_person

    query = PersonQuery(args.person, args.account, args.name)
    if args.wanted == "export":
        return await export_person(settings, query, to=args.to)
    return await erase_person(settings, query, yes=args.yes, cancel=args.cancel)


def _file_arguments(wanted: Any) -> None:
    """What writes people.yaml."""
    add = wanted.add_parser("add", help="write one more person into people.yaml")
    add.add_argument("person", metavar="ID", help="what the log and tools know them by")
    add.add_argument("--name", required=True, help="what people call them")
    add.add_argument("--role", action="append", default=[], metavar="ROLE", help="may be repeated")
    for name, example in _ACCOUNTS.items():
        told = f"as in {example}; may be repeated"
        add.add_argument(f"--{name}", action="append", default=[], metavar="ACCOUNT", help=told)
    for name in ("web", "email", "language", "zone", "manager"):
        add.add_argument(f"--{name}", default="", help=f"as `{name}` in people.yaml")
    table = wanted.add_parser("import", help="add and change people by a CSV file")
    table.add_argument("table", type=Path, metavar="TABLE", help="its first line names columns")
    table.add_argument("--dry-run", action="store_true", help="only show what it would change")


def _values(args: argparse.Namespace) -> dict[str, str | list[str]]:
    """What `add` is given, as an entry of people.yaml says it."""
    texts = ("web", "email", "language", "zone", "manager")
    lists = {name: getattr(args, name) for name in _ACCOUNTS} | {"roles": args.role}
    given = {"id": args.person, "name": args.name} | {name: getattr(args, name) for name in texts}
    return {name: value for name, value in (given | lists).items() if value}


def people(args: argparse.Namespace) -> int:
    """Lists people, compares them with the platforms, lets them in or out."""
    settings = load_settings()
    configure_logging(args.command)
    from bot.operate import people as ours

    match args.wanted:
        case "add":
            from bot.operate.people_file import add_to_file

            return add_to_file(settings, _values(args))
        case "import":
            from bot.operate.people_file import import_into_file

            return import_into_file(settings, args.table, dry_run=args.dry_run)
        case "export" | "erase":
            return run_loop(_personal(settings, args))
        case "list":
            return run_loop(ours.list_people(settings, as_json=args.json))
        case "check":
            return run_loop(ours.check_people(settings, as_json=args.json))
        case "admit":
            return run_loop(ours.admit_account(settings, args.account))
        case "revoke":
            return run_loop(ours.revoke_account(settings, args.account))
        case "link":
            return run_loop(ours.print_sign_in_link(settings, args.person, minutes=args.minutes))
        case _:
            return run_loop(ours.sign_out_everywhere(settings, args.person))


def pending_arguments(parser: argparse.ArgumentParser) -> None:
    """Whose, and how it is printed."""
    parser.add_argument("person", nargs="?", metavar="PERSON", help="id in people.yaml (all)")
    folder_argument(parser)
    parser.add_argument("--json", action="store_true", help="a list of objects")


def pending(args: argparse.Namespace) -> int:
    """Prints what waits for a person, or for anybody."""
    settings = load_settings()
    configure_logging(args.command)
    from bot.operate.people import show_pending

    return run_loop(show_pending(settings, args.person, as_json=args.json))
