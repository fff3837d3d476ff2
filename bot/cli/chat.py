"""Commands that talk to a running service as a person does: one question, or a conversation."""

import argparse
import locale
import os
import re
import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bot.cli.command import folder_argument, load_settings, positive_number, run_loop
from cards.texts import lang_of_tag, languages

if TYPE_CHECKING:
    from bot.terminal.client import Speaker
    from cards.model import Lang

_ROOM = re.compile(r"[a-z0-9-]{1,32}")
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing is bound here
LONGEST_S = 24 * 3600


def ask_arguments(parser: argparse.ArgumentParser) -> None:
    """A message, and who says it where."""
    parser.add_argument("text", metavar="TEXT", help="the message; - reads it from the input")
    folder_argument(parser)
    _add_place(parser)
    parser.add_argument("--json", action="store_true", help="one object: status, parts, card")
    parser.add_argument(
        "--timeout",
        type=positive_number(LONGEST_S),
        default=60.0,
        metavar="S",
        help="how long to wait (60)",
    )


def chat_arguments(parser: argparse.ArgumentParser) -> None:
    """Who talks where."""
    folder_argument(parser)
    _add_place(parser)


def ask(args: argparse.Namespace) -> int:
    """Print the reply to one message."""
    text = args.text
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        print("TEXT: should say something", file=sys.stderr)
        return 2
    from bot.terminal.ask import ask_once

    me = _speaker(args)
    work = ask_once(me, text, link=args.link, as_json=args.json, timeout_s=args.timeout)
    return _run_client(work, me, _lang(args))


def chat(args: argparse.Namespace) -> int:
    """Talk until the end of the input."""
    from bot.terminal.chat import hold_chat

    me, lang = _speaker(args), _lang(args)
    return _run_client(hold_chat(me, link=args.link, lang=lang), me, lang)


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--as", dest="person", default="", metavar="PERSON", help="your web name (the first one)"
    )
    parser.add_argument("--room", type=_room, default="main", help="room of the web chat (main)")
    parser.add_argument("--url", type=_url, help="the service (SIGNOFF_HOST and PORT)")
    parser.add_argument(
        "--link", default="", help="a sign-in link of `signoff people link`, where one is needed"
    )
    parser.add_argument("--lang", choices=languages(), help="of what the client itself says")


def _run_client(work: Coroutine[Any, Any, int], me: "Speaker", lang: "Lang") -> int:
    from bot.terminal.client import NO_REPLY, NoService, RequestRefused
    from bot.terminal.html_text import show_times_in
    from cards.texts import say

    try:
        with show_times_in(me.zone):
            return run_loop(work)
    except NoService:
        told = say("terminal.no_service", lang, url=me.url)
    except RequestRefused as refused:
        told = say("terminal.refused", lang, why=refused)
        if refused.status == 401:
            told = say("terminal.sign_in", lang)
        elif refused.status == NO_REPLY:
            told = say("terminal.older", lang)
    print(told, file=sys.stderr)
    return 1


def _speaker(args: argparse.Namespace) -> "Speaker":
    from bot.terminal.client import Speaker

    if args.url is not None:
        return Speaker(args.url, args.room, args.person)
    settings = load_settings()
    host = _EVERYWHERE.get(settings.host, settings.host)
    url = f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"
    # Where nobody chose one, who sits at this machine reads its clock.
    zone = settings.timezone if settings.names_zone else ""
    return Speaker(url, args.room, args.person, zone=zone)


def _lang(args: argparse.Namespace) -> "Lang":
    if args.lang:
        return str(args.lang)
    if args.url is None and (only := load_settings().only_language):
        return only
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    spoken = next(filter(None, names), None) or locale.getlocale()[0] or ""
    return lang_of_tag(spoken)


def _room(text: str) -> str:
    if not _ROOM.fullmatch(text):
        raise argparse.ArgumentTypeError("should be 1 to 32 of a-z, 0-9 and -")
    return text


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise argparse.ArgumentTypeError("should be an address, as in http://127.0.0.1:8080")
    return f"{parts.scheme}://{parts.netloc}"
