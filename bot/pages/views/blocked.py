"""What waits for an operator, as the page lists it."""

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
    """Mail that was set aside: under which name it is retried, what it is, and why."""

    name: str
    lane: str
    run: str
    at: datetime
    why: str
    what: str


@dataclass(frozen=True, slots=True)
class BlockedRunRow:
    """A blocked run: what it is, and what its reply says."""

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


def _mail_row(kept: MailAside, mask: Callable[[str], str]) -> AsideRow:
    kind, _, rest = kept.lane.partition(":")
    run = rest if kind == "run" else ""
    return AsideRow(kept.name, kept.lane, run, kept.at, mask(kept.why), mask(_what(kept.mail)))


def _what(mail: str) -> str:
    """What a person said, or the mail as it is."""
    found: Any = None
    with suppress(ValueError, KeyError, TypeError):
        found = json.loads(mail)["update"]["text"]
    return shorten_value(found) if isinstance(found, str) else shorten_value(mail)


def _run_row(kept: BlockedRun, mask: Callable[[str], str]) -> BlockedRunRow:
    run = read_run(kept.body)
    if run is None:
        return BlockedRunRow(kept.name, "", "", "", "", None)
    return BlockedRunRow(
        id=kept.name,
        name=run.name,
        person=mask(run.requester.name),
        conversation=run.conversation,
        why=mask(run.part.full_text()),
        since=run.started_at,
    )
