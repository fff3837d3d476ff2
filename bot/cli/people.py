"""Commands about people: who there is, whether platforms know them, what waits for them."""

import argparse

from bot.cli.command import load_settings, positive_number, run_loop
from bot.telemetry.logging import configure_logging

LONGEST_MINUTES = 24 * 60


def people_arguments(parser: argparse.ArgumentParser) -> None:
    """What is wanted of people."""
    wanted = parser.add_subparsers(dest="wanted", required=True, metavar="WHAT")
    listing = wanted.add_parser("list", help="list everybody in people.yaml, and who was let in")
    check = wanted.add_parser("check", help="ask Slack and Telegram about every account and group")
    for each in (listing, check):
        each.add_argument("--json", action="store_true", help="a list of objects")
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


def people(args: argparse.Namespace) -> int:
    """Lists people, compares them with the platforms, lets them in or out."""
    settings = load_settings()
    configure_logging(args.command)
    from bot.operate import people as ours

    match args.wanted:
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
    parser.add_argument("--json", action="store_true", help="a list of objects")


def pending(args: argparse.Namespace) -> int:
    """Prints what waits for a person, or for anybody."""
    settings = load_settings()
    configure_logging(args.command)
    from bot.operate.people import show_pending

    return run_loop(show_pending(settings, args.person, as_json=args.json))
