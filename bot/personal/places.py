"""Every place in the store where a person is kept: how it is found there, and what erasing does.

Whoever adds a kind of key to `KINDS` of adapters/redis/records.py adds its line to PLACES; a test
holds both to each other. What operators are told of it is in docs/people-data.md.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from bot.personal.anonymise import (
    Pseudonym,
    change_json,
    is_audited,
    strip_card,
    strip_entry,
    strip_run,
)
from bot.personal.marks import Survey, find_mentions, read_json
from engine.ports.records import StoredRecord

_CASE_MAIL: Final = frozenset({"case_letter", "case_answer"})
"""What runs and cases write to each other, about whoever changed something."""
_PARTS: Final = re.compile(r"[/|]")
GONE: Final = ""
"""What is put in place of a record that goes alone."""


class Whole:
    """In place of a record: everything under its name goes."""


WHOLE: Final = Whole()
After = str | Whole
"""What becomes of a record: its new text, GONE, or WHOLE."""


@dataclass(frozen=True, slots=True)
class KeptPlace:
    """A kind of record. `note` takes from it what it says of the person, before anything changes.

    `after` is what erasing makes of it, its own text where it stays. `theirs` says whether it is
    the person's own, which an export has whole; of all others it has what names them.
    """

    kind: str
    theirs: Callable[[Survey, StoredRecord], bool]
    after: Callable[[Survey, Pseudonym, StoredRecord], After]
    note: Callable[[Survey, StoredRecord], None] = lambda survey, record: None


def _is_of_own_place(survey: Survey, record: StoredRecord) -> bool:
    return survey.is_own(record.name) or _has_own_place(survey, record.name)


def _has_own_place(survey: Survey, name: str) -> bool:
    """Whether it is named for the case of a conversation that is theirs alone."""
    return "/" in name and any(survey.is_own(unquote(part)) for part in name.split("/"))


def _goes_if(theirs: Callable[[Survey, StoredRecord], bool]) -> Callable[..., After]:
    """What is theirs goes, whole; all else stays as it is."""
    return lambda survey, new, record: WHOLE if theirs(survey, record) else record.text


def _never(survey: Survey, record: StoredRecord) -> bool:
    return False


def _stays(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    return record.text


def _named(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    """It is not theirs: the pseudonym stands where they are named."""
    return change_json(record.text, lambda body: new.in_others(body, texts=True))


def _is_session(survey: Survey, record: StoredRecord) -> bool:
    # It names who wrote last for longer than what they wrote is kept.
    body = read_json(record.text)
    last = body.get("last", ()) if isinstance(body, dict) else ()
    named = any(survey.marks.are_of(each.get("person")) for each in last)
    return named or survey.is_own(record.name) or record.name in survey.spoken_in


def _case_after(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    return WHOLE if _is_of_own_place(survey, record) else _named(survey, new, record)


def _case_list_after(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    return GONE if _has_own_place(survey, record.text) else record.text


def _note_reply(survey: Survey, record: StoredRecord) -> None:
    head = read_json(record.beside.get("head", ""))
    if not isinstance(head, dict) or not survey.marks.are_of(head.get("principal")):
        return
    survey.know(head["principal"])
    survey.replies.add(record.name)
    survey.spoke(head["conversation"])
    body = read_json(record.text)
    if record.field != "rows":
        survey.words |= {text for text in (body.get("text"), body.get("answer")) if text}
    for file in head.get("files", ()):
        survey.files.setdefault(head["conversation"], set()).add(file.get("name", ""))


def _is_reply(survey: Survey, record: StoredRecord) -> bool:
    return record.name in survey.replies


def _reply_after(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    if _is_reply(survey, record):
        return WHOLE
    return _after_rows(survey, record) if record.field == "rows" else _named(survey, new, record)


def _after_rows(survey: Survey, record: StoredRecord) -> After:
    """What shows a card or reply, without what is in a place of theirs."""
    rows = read_json(record.text)
    kept = [row for row in rows if not (isinstance(row, list) and survey.is_own(row[0]))]
    return record.text if len(kept) == len(rows) else json.dumps(kept) if kept else GONE


def _note_run(survey: Survey, record: StoredRecord) -> None:
    body = read_json(record.text)
    if record.field != "body" or not survey.marks.are_of(body.get("requester")):
        return
    survey.know(body["requester"])
    survey.runs[record.name] = record.beside.get("ended", "")
    if is_audited(body):
        survey.audited.add(record.name)
    survey.spoke(body["conversation"])
    survey.words |= {body.get("text", ""), body.get("message", "")} - {""}


def _is_run(survey: Survey, record: StoredRecord) -> bool:
    return record.name in survey.runs


def _run_after(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    is_live = not record.beside.get("ended")
    if record.field == "conversation":
        is_moved = not is_live and survey.is_own(record.text)
        return new.of_place(record.text) if is_moved else record.text
    if record.field == "own":
        return new.name if _is_run(survey, record) and not is_live else record.text
    if record.field == "who":
        return f"{new.name} {new.name}" if _is_run(survey, record) else record.text
    if _is_run(survey, record) and not is_live:
        return change_json(
            record.text, lambda body: new.in_theirs(strip_run(body, f"[{new.name}]"))
        )
    return _in_others(survey, new, record, is_live=is_live)


def _in_others(survey: Survey, new: Pseudonym, record: StoredRecord, *, is_live: bool) -> str:
    """What is another person's; its texts stay while it goes on, which is noted."""
    after = change_json(record.text, lambda body: new.in_others(body, texts=not is_live))
    if is_live and after != change_json(after, lambda body: new.in_others(body, texts=True)):
        survey.named_in.add(record.name)
    return after


def _is_listed_so(survey: Survey, record: StoredRecord) -> bool:
    return unquote(record.name) in survey.marks.ids


def _note_card(survey: Survey, record: StoredRecord) -> None:
    body = read_json(record.text)
    if record.field != "body" or record.beside.get("status") != "open":
        return
    persons = set(body.get("review", {}).get("persons", ()))
    if persons & survey.marks.ids and not survey.marks.are_of(body.get("requester")):
        survey.waiting[record.name] = body.get("run", "")


def _is_card(survey: Survey, record: StoredRecord) -> bool:
    body = read_json(record.beside.get("body", ""))
    return isinstance(body, dict) and survey.marks.are_of(body.get("requester"))


def _card_after(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    is_open = record.beside.get("status") == "open"
    if record.field == "who":
        names = record.text.split(" ")
        kept = [n for n in names if n.partition("person:")[2] not in survey.marks.ids]
        return record.text if is_open else " ".join(kept)
    if record.field == "rows":
        return _after_rows(survey, record)
    if not _is_card(survey, record) or is_open:
        return _in_others(survey, new, record, is_live=is_open)

    def strip(body: dict[str, Any]) -> Any:
        is_kept = body.get("kind") == "confirm" and body.get("decision") is not None
        return new.in_theirs(strip_card(body, f"[{new.name}]", is_kept=is_kept))

    return change_json(record.text, strip)


def _log_after(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    if not survey.runs.get(record.name):
        return _named(survey, new, record)
    return change_json(
        record.text,
        lambda entry: new.in_theirs(strip_entry(entry, is_kept=record.name in survey.audited)),
    )


def _is_trace(survey: Survey, record: StoredRecord) -> bool:
    body = read_json(record.text)
    by = body.get("by", "") if isinstance(body, dict) else ""
    return by in survey.marks.ids or record.name.partition("/")[0] in survey.replies


def _trace_after(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    return WHOLE if _is_trace(survey, record) else _named(survey, new, record)


def _sender(text: str) -> Any:
    mail = read_json(text)
    if not isinstance(mail, dict):
        return None
    letter = (mail.get("letter") or {}).get("run", {}).get("requester")
    actor = (mail.get("update") or {}).get("actor")
    return mail.get("principal") or mail.get("stranger") or letter or actor


def _note_mail(survey: Survey, record: StoredRecord) -> None:
    body = read_json(record.text)
    is_of_case = isinstance(body, dict) and body.get("kind") in _CASE_MAIL
    is_named = is_of_case and next(find_mentions(body, survey.marks), None) is not None
    survey.unhandled += is_named or _is_mail(survey, record)


def _is_mail(survey: Survey, record: StoredRecord) -> bool:
    return survey.marks.are_of(_sender(record.text))


def _is_aside(survey: Survey, record: StoredRecord) -> bool:
    return survey.marks.are_of(_sender(read_json(record.text).get("mail", "")))


def _aside_after(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    if _is_aside(survey, record):
        return GONE

    return change_json(record.text, lambda kept: _changed_mail(new, kept, texts=False))


def _changed_mail(new: Pseudonym, kept: dict[str, Any], *, texts: bool) -> dict[str, Any]:
    """What holds mail, which is JSON in JSON, with the pseudonym in it."""
    mail = change_json(kept["mail"], lambda body: new.in_others(body, texts=texts))
    return {**kept, "mail": mail}


def _is_row(survey: Survey, record: StoredRecord) -> bool:
    shows, place = record.beside.get("ref", "").partition("/")[0], record.beside.get("dest", "")
    return survey.is_own(place) or _has_own_place(survey, place) or shows in survey.replies


def _is_under_way(record: StoredRecord) -> bool:
    """Whether what a row carries has yet to arrive: until then it stays as it was signed."""
    carries = record.beside.get("kind") in ("sync", "check", "letter")
    return carries and not (record.beside.get("message_id") or record.beside.get("dropped"))


def _note_row(survey: Survey, record: StoredRecord) -> None:
    mentions = find_mentions(row_body(record), survey.marks)
    survey.unhandled += _is_under_way(record) and next(mentions, None) is not None


def row_body(record: StoredRecord) -> Any:
    """What the row carries; mail within it, which is JSON in JSON, is read as well."""
    body = read_json(record.text)
    if record.beside.get("kind") != "letter" or not isinstance(body, dict):
        return body
    return {**body, "mail": read_json(body.get("mail", ""))}


def _row_after(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    if _is_row(survey, record):
        return WHOLE
    if _is_under_way(record):
        return record.text
    if record.beside.get("kind") != "letter":
        return _named(survey, new, record)
    return change_json(record.text, lambda body: _changed_mail(new, body, texts=True))


def _shown_by_after(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    place = record.text.partition("@")[2].partition("#")[0]
    return GONE if place and survey.is_own(place) else record.text


def _is_message(survey: Survey, record: StoredRecord) -> bool:
    body = read_json(record.text)
    is_said = body.get("op") == "said" and body.get("person") in survey.marks.users
    return is_said or survey.is_own(record.name) or body.get("id") in survey.replies


def _message_after(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    if survey.is_own(record.name):
        return WHOLE
    return GONE if _is_message(survey, record) else _named(survey, new, record)


def _change_after(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    if survey.is_own(record.name):
        return WHOLE
    # How a message became what it is now need not be kept; it cannot be changed.
    is_gone = _is_message(survey, record) or _named(survey, new, record) != record.text
    return GONE if is_gone else record.text


def _note_message(survey: Survey, record: StoredRecord) -> None:
    body = read_json(record.text)
    if body.get("op") == "said" and body.get("person") in survey.marks.users:
        survey.spoke(record.name)
        survey.words.add(body.get("text", ""))


def _is_memo(survey: Survey, record: StoredRecord) -> bool:
    return read_json(record.text).get("by") in survey.marks.ids


def _is_finding(survey: Survey, record: StoredRecord) -> bool:
    return read_json(record.text).get("requester") in survey.marks.ids


def _is_chats(survey: Survey, record: StoredRecord) -> bool:
    return record.name in survey.marks.users


def _is_admitted(survey: Survey, record: StoredRecord) -> bool:
    return record.field in survey.marks.ids


def _admitted_after(survey: Survey, new: Pseudonym, record: StoredRecord) -> After:
    return GONE if _is_admitted(survey, record) else _named(survey, new, record)


def _is_login(survey: Survey, record: StoredRecord) -> bool:
    body = read_json(record.text)
    return isinstance(body, list) and body[:1] != [] and body[0] in survey.marks.ids


def _is_login_era(survey: Survey, record: StoredRecord) -> bool:
    return record.name in survey.marks.ids


def _is_admin_session(survey: Survey, record: StoredRecord) -> bool:
    name = read_json(record.text).get("name", "")
    return name in survey.marks.names or name in survey.marks.ids


def _is_named_place(survey: Survey, record: StoredRecord) -> bool:
    """Whether the name itself, of what is kept for minutes or days, is about them."""
    marks = survey.marks
    parts = set(_PARTS.split(record.name))
    return (
        any(account in record.name for account in marks.accounts)
        or bool(parts & (marks.ids | marks.users))
        or any(map(survey.is_own, parts))
    )


_whole_place: Final = _goes_if(_is_of_own_place)
PLACES: Final = (
    KeptPlace("session", _is_of_own_place, _goes_if(_is_session)),
    KeptPlace("case", _is_of_own_place, _case_after),
    KeptPlace("case_list", _never, _case_list_after),
    KeptPlace("reply", _is_reply, _reply_after, _note_reply),
    KeptPlace("run", _is_run, _run_after, _note_run),
    KeptPlace("own_runs", _is_listed_so, _goes_if(_is_listed_so)),
    KeptPlace("cards_of_run", _never, _stays),
    KeptPlace("card", _is_card, _card_after, _note_card),
    KeptPlace("log", _is_run, _log_after),
    KeptPlace("trace", _is_trace, _trace_after),
    KeptPlace("answer", _never, _named),
    # Mail that is not handled yet is waited for.
    KeptPlace("mail", _is_mail, _stays, _note_mail),
    KeptPlace("lane", _is_of_own_place, _whole_place),
    KeptPlace("aside", _is_aside, _aside_after),
    KeptPlace("retried", _never, _named),
    KeptPlace("row", _is_row, _row_after, _note_row),
    KeptPlace("shown_by", _never, _shown_by_after),
    KeptPlace("unsent", _is_of_own_place, _whole_place),
    KeptPlace("message", _is_message, _message_after, _note_message),
    KeptPlace("messages", _is_of_own_place, _whole_place),
    KeptPlace("change", _is_message, _change_after),
    KeptPlace("memo", _is_memo, _named),
    KeptPlace("finding", _is_finding, _named),
    KeptPlace("chats", _is_chats, _goes_if(_is_chats)),
    KeptPlace("admitted", _is_admitted, _admitted_after),
    KeptPlace("login", _is_login, _goes_if(_is_login)),
    KeptPlace("login_era", _is_login_era, _goes_if(_is_login_era)),
    KeptPlace("admin_session", _is_admin_session, _goes_if(_is_admin_session)),
    KeptPlace("platform_note", _is_named_place, _goes_if(_is_named_place)),
    KeptPlace("limit", _is_named_place, _goes_if(_is_named_place)),
)
"""Every place where a person is kept in the store, a line each."""

PLACE_OF: Final[Mapping[str, KeptPlace]] = {place.kind: place for place in PLACES}
