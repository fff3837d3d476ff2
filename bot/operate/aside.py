"""Mail that was set aside and runs that are blocked: listed, and handled again."""

import getpass
import json
import sys
from collections.abc import Sequence

from bot.settings import Settings
from bot.wiring.store import open_store_ports
from engine.mail import RunResumed
from engine.ports.storage.operations import BlockedRun, MailAside

_SHOWN_CHARS = 60


VIA = "command line"


def operator() -> str:
    """Who acts on the command line, for a run's log."""
    try:
        return f"operator:{getpass.getuser()}"
    except (OSError, KeyError):
        # A user id that has no name, as in a container.
        return "operator"


async def list_aside(settings: Settings, *, as_json: bool = False) -> int:
    """Prints mail that was set aside and runs that are blocked, a line each."""
    async with open_store_ports(settings) as store:
        waiting = await store.operations.waiting()
    if as_json:
        print(json.dumps([_as_data(kept) for kept in waiting], ensure_ascii=False))
        return 0
    for kept in waiting:
        print(_line(kept))
    if not waiting:
        print("nothing is set aside, and no run is blocked")
    return 0


async def retry_aside(settings: Settings, names: Sequence[str]) -> int:
    """Has each named thing handled again; 1 when one of the names is not waiting."""
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


def _line(kept: MailAside | BlockedRun) -> str:
    if isinstance(kept, BlockedRun):
        return f"{kept.name}  blocked  {_why(kept.body)}"
    return f"{kept.name}  {kept.at:%Y-%m-%d %H:%M:%SZ}  {kept.lane}  {kept.why}: {_what(kept.mail)}"


def _as_data(kept: MailAside | BlockedRun) -> dict[str, str]:
    if isinstance(kept, BlockedRun):
        return {"name": kept.name, "kind": "run", "why": _why(kept.body)}
    told = {"name": kept.name, "kind": "mail", "at": kept.at.isoformat(), "lane": kept.lane}
    return told | {"why": kept.why, "what": _what(kept.mail)}


def _what(mail: str) -> str:
    """The text of a message or command, or the beginning of whatever else it is, in one line."""
    try:
        text = json.loads(mail)["update"]["text"]
    except (ValueError, KeyError, TypeError):
        text = mail
    text = " ".join(str(text).split())
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "..."


def _why(body: str) -> str:
    """Where a blocked run is and what its part of the reply says."""
    try:
        run = json.loads(body)
        return f"{run['conversation']}  {run['part']['text']}"
    except (ValueError, KeyError, TypeError):
        return "its state was written by another version"
