"""Mail that was set aside and blocked runs, as the page lists them."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.pages.views.run_list import read_run
from bot.pages.views.timeline import shorten_value
from engine.ports.storage.operations import BlockedRun, MailAside


@dataclass(frozen=True, slots=True)
class AsideRow:
    """Mail that was set aside: the name to retry it by, its text, and the reason."""

    name: str
    lane: str
    run: str
    at: datetime
    why: str
    what: str


@dataclass(frozen=True, slots=True)
class BlockedRunRow:
    """A blocked run, with the text of its reply."""

    id: str
    name: str
    person: str
    conversation: str
    why: str
    since: datetime | None


def list_waiting(
    waiting: Sequence[MailAside | BlockedRun], mask: Callable[[str], str]
) -> tuple[Sequence[BlockedRunRow], Sequence[AsideRow]]:
    """The blocked runs, and the mail."""
    runs = [_run_row(each, mask) for each in waiting if isinstance(each, BlockedRun)]
    mail = [_mail_row(each, mask) for each in waiting if isinstance(each, MailAside)]
    return runs, mail


def _mail_row(item: MailAside, mask: Callable[[str], str]) -> AsideRow:
    kind, _, rest = item.lane.partition(":")
    run = rest if kind == "run" else ""
    return AsideRow(item.name, item.lane, run, item.at, mask(item.why), mask(_what(item.mail)))


def _what(mail: str) -> str:
    """The text of a message, or the mail as it is."""
    found: Any = None
    with suppress(ValueError, KeyError, TypeError):
        found = json.loads(mail)["update"]["text"]
    return shorten_value(found) if isinstance(found, str) else shorten_value(mail)


def _run_row(item: BlockedRun, mask: Callable[[str], str]) -> BlockedRunRow:
    run = read_run(item.body)
    if run is None:
        return BlockedRunRow(item.name, "", "", "", "", None)
    return BlockedRunRow(
        id=item.name,
        name=run.name,
        person=mask(run.requester.name),
        conversation=run.conversation,
        why=mask(run.part.full_text()),
        since=run.started_at,
    )
