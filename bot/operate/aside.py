"""Mail that was set aside and runs that are blocked: listed, and handled again."""

import getpass
import json
import sys
from collections.abc import Sequence

from bot.settings import Settings
from bot.wiring.store import open_store_ports
from cards.deciding.inbox import EVERYBODY
from engine.mail import RunResumed
from engine.ports.storage.operations import BlockedRun, MailAside

_SHOWN_CHARS = 60


VIA = "command line"


def operator() -> str:
    """The name of the person at the command line, for a run's log."""
    try:
        return f"operator:{getpass.getuser()}"
    except (OSError, KeyError):
        # A user id that has no name, as in a container.
        return "operator"


async def list_aside(settings: Settings, *, as_json: bool = False) -> int:
    """Print mail that was set aside and blocked runs, a line each."""
    async with open_store_ports(settings) as store:
        waiting = await store.operations.waiting()
        listed = await store.inbox.find_tokens([EVERYBODY])
        unreadable = await store.inbox.unreadable(listed.tokens)
    if unreadable:
        print(f"{unreadable} open cards that this version cannot read", file=sys.stderr)
    if as_json:
        print(json.dumps([_as_data(item) for item in waiting], ensure_ascii=False))
        return 0
    for item in waiting:
        print(_line(item))
    if not waiting:
        print("nothing is set aside, and no run is blocked")
    return 0


async def retry_aside(settings: Settings, names: Sequence[str]) -> int:
    """Have each named mail or run handled again; 1 when one of the names does not wait."""
    unknown = []
    async with open_store_ports(settings) as store:
        for name in names:
            resumed = RunResumed(by=operator(), via=VIA)
            if await store.operations.retry(name, resumed.stored(), by=operator(), via=VIA):
                print(f"{name}: goes on")
            else:
                unknown.append(name)
    for name in unknown:
        print(f"{name}: nothing waits under this name; see signoff aside", file=sys.stderr)
    return 1 if unknown else 0


def _line(item: MailAside | BlockedRun) -> str:
    if isinstance(item, BlockedRun):
        return f"{item.name}  blocked  {_blocked_reason(item.body)}"
    return (
        f"{item.name}  {item.at:%Y-%m-%d %H:%M:%SZ}  {item.lane}  {item.why}: {_summary(item.mail)}"
    )


def _as_data(item: MailAside | BlockedRun) -> dict[str, str]:
    if isinstance(item, BlockedRun):
        return {"name": item.name, "kind": "run", "why": _blocked_reason(item.body)}
    data = {"name": item.name, "kind": "mail", "at": item.at.isoformat(), "lane": item.lane}
    return data | {"why": item.why, "what": _summary(item.mail)}


def _summary(mail: str) -> str:
    """The text of a message or command, or the beginning of other mail, in one line."""
    try:
        text = json.loads(mail)["update"]["text"]
    except (ValueError, KeyError, TypeError):
        text = mail
    text = " ".join(str(text).split())
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "..."


def _blocked_reason(body: str) -> str:
    """The conversation of a blocked run and the text of its part of the reply."""
    try:
        run = json.loads(body)
        return f"{run['conversation']}  {run['part']['text']}"
    except (ValueError, KeyError, TypeError):
        return "its state was written by another version"
