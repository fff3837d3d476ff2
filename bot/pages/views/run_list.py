"""The list of runs, and the query of its page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import get_args
from urllib.parse import urlencode

from pydantic import ValidationError

from engine.frames.ends import end_of, with_stored_status
from engine.frames.state import ENDED, Run, RunStatus, position_of
from engine.ports.storage.archive import History, RunFilter, RunPage

PAGE = 50
_LONGEST = 200
LIVING = "living"
STATUSES: tuple[str, ...] = get_args(RunStatus)
_TEXT_CHARS = 160


@dataclass(frozen=True, slots=True)
class RunListQuery:
    """The query, as it stands in the form and in the address."""

    status: str = ""
    playbook: str = ""
    person: str = ""
    conversation: str = ""
    text: str = ""
    children: str = ""
    after: str = ""

    @property
    def run_filter(self) -> RunFilter:
        """The filter for the store."""
        chosen = {self.status} if self.status in STATUSES else set()
        if self.status == LIVING:
            chosen = set(STATUSES) - ENDED
        return RunFilter(
            statuses=frozenset(chosen),
            playbook=self.playbook,
            who=self.person,
            conversation=self.conversation,
            text=self.text,
            children=bool(self.children),
        )

    @property
    def filled_fields(self) -> dict[str, str]:
        """The fields that are filled in, without the place in the list."""
        names = ("status", "playbook", "person", "conversation", "text", "children")
        return {name: value for name in names if (value := getattr(self, name))}

    def address_at(self, after: str) -> str:
        """The address of that place in the list."""
        return "/runs?" + urlencode({**self.filled_fields, "after": after})


def read_query(query: Mapping[str, str]) -> RunListQuery:
    """The query of an address; long values are cut, unknown ones left out."""

    def of(name: str) -> str:
        return query.get(name, "").strip()[:_LONGEST]

    status = of("status")
    return RunListQuery(
        status=status if status in (*STATUSES, LIVING) else "",
        playbook=of("playbook"),
        person=of("person"),
        conversation=of("conversation"),
        text=of("text"),
        children="1" if of("children") else "",
        after=of("after"),
    )


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in the list, and how it `end`ed; `readable` is false for another version's state."""

    id: str
    status: str
    end: str = ""
    readable: bool = True
    name: str = ""
    playbook: str = ""
    text: str = ""
    person: str = ""
    conversation: str = ""
    at: str = ""
    waits: int = 0
    child: bool = False
    started: datetime | None = None


def list_lines(page: RunPage, mask: Callable[[str], str]) -> Sequence[RunLine]:
    """The page's runs, each a line."""
    return [_line(name, history, mask) for name, history in page.runs]


def _line(name: str, history: History, mask: Callable[[str], str]) -> RunLine:
    run = read_run(history.body)
    if run is None:
        return RunLine(name, history.ended or "unreadable", readable=False)
    text = " ".join(run.text.split())
    return RunLine(
        id=name,
        status=history.ended or run.status,
        end=end_of(with_stored_status(run, history.ended)) or "",
        name=run.name,
        playbook=run.playbook,
        text=mask(text if len(text) <= _TEXT_CHARS else text[:_TEXT_CHARS] + "…"),
        person=mask(run.requester.name),
        conversation=run.conversation,
        at=position_of(run.frames[-1]),
        waits=len(run.waiting),
        child=bool(run.parent),
        started=run.started_at,
    )


def read_run(body: str) -> Run | None:
    """The run, or None when another version of us wrote it."""
    try:
        return Run.model_validate_json(body)
    except ValidationError:
        return None
