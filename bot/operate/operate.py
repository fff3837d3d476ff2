"""What an operator does on the command line: see what was set aside, and have it go on."""

import getpass
import json
import sys
from collections.abc import Sequence

from bot.settings import Settings
from bot.wiring.store_ports import opened_store
from engine.mail import RunResumed
from engine.ports.storage.operations import BlockedRun, MailAside

_SHOWN_CHARS = 60
_NEWEST = 50


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
    async with opened_store(settings) as store:
        waiting = await store.operations.waiting()
    if as_json:
        print(json.dumps([_as_data(kept) for kept in waiting], ensure_ascii=False))
        return 0
    for kept in waiting:
        print(_line(kept))
    if not waiting:
        print("nothing is set aside, and no run is blocked")
    return 0


async def retry(settings: Settings, names: Sequence[str]) -> int:
    """Has each named thing handled again; 1 when one of the names is not waiting."""
    unknown = []
    async with opened_store(settings) as store:
        for name in names:
            resumed = RunResumed(by=operator(), via=VIA)
            if await store.operations.retry(name, resumed.stored(), by=operator(), via=VIA):
                print(f"{name}: goes on")
            else:
                unknown.append(name)
    for name in unknown:
        print(f"{name}: nothing waits under this name; see signoff aside", file=sys.stderr)
    return 1 if unknown else 0


async def traces(settings: Settings, *, as_json: bool = False) -> int:
    """Prints the newest traces, a line each: how messages were understood and answered."""
    async with opened_store(settings) as store:
        found = await store.archive.traces(_NEWEST)
    if as_json:
        every = [{"trace": name, **json.loads(body)} for name, body in found]
        print(json.dumps(every, ensure_ascii=False))
        return 0
    for name, body in found:
        trace = json.loads(body)
        told = trace.get("outcome") or ", ".join(i["kind"] for i in trace.get("intents", ()))
        text = " ".join(str(trace.get("text", "")).split())[:_SHOWN_CHARS]
        print(f"{name}  {trace.get('at', '')[:19]}  {trace.get('kind', '')}  {told}: {text}")
    if not found:
        print("no trace is kept")
    return 0


async def show_trace(settings: Settings, name: str) -> int:
    """Prints a trace whole, as JSON; 1 when it is not kept."""
    async with opened_store(settings) as store:
        body = await store.archive.trace(name)
    if body is None:
        print(f"{name}: no trace is kept under this name; see signoff traces", file=sys.stderr)
        return 1
    print(json.dumps(json.loads(body), ensure_ascii=False, indent=2))
    return 0


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
