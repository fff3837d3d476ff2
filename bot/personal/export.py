"""All that is kept of a person, as one JSON document and the files that they shared."""

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from adapters.filesystem import make_private_folder
from bot.personal.marks import Survey, find_mentions
from bot.personal.places import row_body
from bot.personal.sweep import read_theirs
from engine.ports.inbox_files import KeptFile, KeptFiles
from engine.ports.records import StoredRecord, StoredRecords

SECTIONS: Mapping[str, str] = {
    "session": "conversations",
    "message": "conversations",
    "chats": "conversations",
    "reply": "messages",
    "mail": "messages",
    "aside": "messages",
    "answer": "messages",
    "row": "messages",
    "run": "requests",
    "card": "cards",
    "log": "audit",
    "retried": "audit",
    "trace": "traces",
    "case": "cases",
    "memo": "memory",
    "finding": "findings",
    "admitted": "accounts",
    "login": "sign_ins",
    "login_era": "sign_ins",
    "admin_session": "sign_ins",
}
"""The part of the document in which records of a kind stand; all others only point at these."""


async def collect(records: StoredRecords, found: Survey) -> dict[str, list[Any]]:
    """What the store keeps of the person, by section. Raises StoreUnavailable."""
    document: dict[str, list[Any]] = {name: [] for name in dict.fromkeys(SECTIONS.values())}
    async for record, is_theirs in read_theirs(records, found):
        section = SECTIONS.get(record.kind)
        if section and (entry := _entry(record, found, is_theirs=is_theirs)):
            document[section].append(entry)
    return document


def _entry(record: StoredRecord, found: Survey, *, is_theirs: bool) -> dict[str, Any] | None:
    """The record whole where it is theirs, else what of it names them; None for nothing."""
    at = {"kind": record.kind, "of": record.name, "part": record.field}
    head = {name: text for name, text in at.items() if text}
    body = row_body(record)
    if is_theirs:
        # A sign-in is a secret; that there is one is what is told.
        return head if record.kind == "login" else {**head, "kept": body}
    named = list(find_mentions(body, found.marks))
    if not named and record.kind in ("memo", "message", "answer") and _names(body, found):
        named = [body]
    return {**head, "names_them": named} if named else None


def _names(body: Any, found: Survey) -> bool:
    text = json.dumps(body, ensure_ascii=False)
    return any(name in text for name in (*found.marks.names, *found.marks.accounts))


async def find_files(files: KeptFiles, found: Survey) -> tuple[KeptFile, ...]:
    """The files that they shared, each once. Raises OSError."""
    own = [name for name in found.spoken_in if found.is_own(name)]
    whole = list(await files.find(own, found.marks.ids))
    for conversation, names in found.files.items():
        whole += await files.find_named(conversation, names)
    return tuple({each.path: each for each in whole}.values())


def write_export(
    folder: Path, document: Mapping[str, Any], files: tuple[KeptFile, ...]
) -> Iterator[Path]:
    """Write the document and copies of the files into a new folder; yield what was written."""
    make_private_folder(folder)
    path = folder / "data.json"
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1), "utf-8")
    yield path
    for number, file in enumerate(files, 1):
        place = folder / "files" / f"{number}-{file.name}"
        make_private_folder(place.parent)
        shutil.copyfile(file.path, place)
        yield place
