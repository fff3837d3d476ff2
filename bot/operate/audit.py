"""The log of a run: printed for an operator or a program, or written to a file."""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from bot.masking import compile_mask
from bot.settings import Settings
from bot.wiring.store import open_store_ports
from cards.model import Lang
from cards.texts import say
from engine.frames.ends import end_of, with_stored_status
from engine.frames.state import Run, position_of
from engine.ports.storage.archive import History
from engine.runs.audit_state import AuditState, reconstruct_state

_NO_VALUE: Final = "-"
_NOT_CONTROL: Final = dict.fromkeys((*range(32), 127, *range(128, 160)), " ")


async def show_audit(
    settings: Settings, run_id: str, *, lang: Lang, as_json: bool, export: Path | None
) -> int:
    """Print the log of a run, masked as traces are; 1 for no such run.

    With `export` write the entries to a new file, a JSON line each; 1 when the file exists.
    """
    async with open_store_ports(settings) as store:
        history = await store.archive.history(run_id)
    if history is None:
        return _report_fault(f"{run_id}: no run is kept under this id")
    mask = compile_mask(settings.trace_mask)
    entries = [mask_values(json.loads(entry), mask) for entry in history.entries]
    if export is not None:
        return _export(entries, export)
    standing = reconstruct_state(history.entries)
    if as_json:
        data = {"run": run_id, "standing": mask_values(asdict(standing), mask), "entries": entries}
        print(json.dumps(data, ensure_ascii=False))
        return 0
    lines = [format_entry(entry, lang) for entry in entries]
    print("\n".join([*lines, "", *_format_state(standing, history, lang)]))
    return 0


def mask_values(value: Any, mask: Callable[[str], str]) -> Any:
    """The value with personal data masked in every text, and in numbers that look like it."""
    match value:
        case str():
            return mask(value)
        case Mapping():
            return {mask(str(name)): mask_values(one, mask) for name, one in value.items()}
        case list() | tuple():
            return [mask_values(one, mask) for one in value]
        case bool() | None:
            return value
        case _:
            text = str(value)
            return value if mask(text) == text else mask(text)


def _export(entries: Sequence[Any], path: Path) -> int:
    text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
    try:
        # It holds what people wrote: readable by the operator only.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
    except OSError as error:
        return _report_fault(
            f"--export: {path}: {error.strerror}; name a file that is not there yet"
        )
    print(f"{len(entries)} entries written to {path}")
    return 0


def _report_fault(text: str) -> int:
    print(text, file=sys.stderr)
    return 1


def format_entry(entry: Mapping[str, Any], lang: Lang) -> str:
    """An entry in one line: when, who and from where, what, and what it changed."""
    who = str(entry.get("by") or _NO_VALUE)
    place = entry.get("where") or entry.get("via")
    who += f" [{' '.join(filter(None, (entry.get('user'), place)))}]" if place else ""
    facts = [_describe_event(entry, lang)]
    facts += [_describe_lapsed(vote, lang) for vote in entry.get("lapsed", ())]
    facts += [_describe_card(card, lang) for card in entry.get("changed_cards", ())]
    if paths := ", ".join(entry.get("changes", ())):
        facts.append(say("audit.changes", lang, paths=paths))
    at = str(entry.get("at", ""))[:19]
    return "  ".join([at, who, " | ".join(facts)]).translate(_NOT_CONTROL)


def _describe_event(entry: Mapping[str, Any], lang: Lang) -> str:
    named = {name: entry.get(name, _NO_VALUE) for name in ("card", "choice", "why", "parent")}
    named["name"] = entry.get("key", _NO_VALUE)
    if "outcome" in entry:
        given = {name: entry.get(name, _NO_VALUE) for name in ("frame", "input", "status", "to")}
        return say("audit.step", lang, why=named["why"], **given)
    match entry.get("event"):
        case "started":
            return say("audit.child" if "parent" in entry else "audit.started", lang, **named)
        case "tap":
            key = "audit.form" if entry.get("sent_form") else "audit.tap"
            return say(key, lang, result=describe_result(entry, lang), **named)
        case "text":
            return say("audit.text", lang, result=describe_result(entry, lang), **named)
        case "expired":
            return say("audit.expired", lang, **named)
        case "cancelled" if "parent" in entry:
            return say("audit.cancelled_with_parent", lang, **named)
        case "cancelled":
            return say(
                "audit.cancelled_in_flight" if entry.get("in_flight") else "audit.cancelled", lang
            )
        case "reassigned":
            whose = {name: entry.get(name, _NO_VALUE) for name in ("for", "given_to")}
            return say("audit.reassigned", lang, whose=whose["for"], to=whose["given_to"], **named)
        case "cancel_refused":
            return say("audit.cancel_refused", lang)
        case "migration_refused":
            wanted = entry.get("wanted", _NO_VALUE)
            return say("audit.migration_refused", lang, wanted=wanted, **named)
        case event:
            return " ".join(filter(None, (str(event), entry.get("card"), entry.get("why"))))


def describe_result(entry: Mapping[str, Any], lang: Lang) -> str:
    """What an answer to a card came to."""
    result = entry.get("result", _NO_VALUE)
    try:
        return say(f"audit.result.{result}", lang)
    except KeyError:
        # Another version of us wrote it.
        return str(result)


def _describe_lapsed(vote: Mapping[str, Any], lang: Lang) -> str:
    given = {"person": vote["person"], "choice": vote["choice"]}
    return say(f"audit.lapsed.{vote['why']}", lang, **given)


def _describe_card(card: Mapping[str, Any], lang: Lang) -> str:
    return say(
        "audit.card",
        lang,
        card=card["token"],
        kind=card.get("kind", _NO_VALUE),
        status=card["status"],
        votes=len(card.get("votes", ())),
    )


def _format_state(standing: AuditState, history: History, lang: Lang) -> list[str]:
    """The state of the run by its log, and its stored state where that differs."""
    told = {"status": _format_status(standing.status, standing.end), "at": standing.position}
    cards = ", ".join(standing.waiting) or say("audit.none", lang)
    lines = [say("audit.standing", lang, cards=cards, **told)]
    try:
        run = Run.model_validate_json(history.body)
    except ValidationError:
        return lines
    run = with_stored_status(run, history.ended)
    stored = {
        "status": _format_status(run.status, end_of(run) or ""),
        "at": position_of(run.frames[-1]),
    }
    return lines if stored == told else [*lines, say("audit.differs", lang, **stored)]


def _format_status(status: str, end: str) -> str:
    return f"{status} ({end})" if end else status
