"""What is kept of a conversation between turns."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import ValidationError

from cards.clipping import clip
from cards.frozen import Frozen
from cards.model import Principal
from cards.moments import local_time

KEPT_LINES = 20
KEPT_RUNS = 5
LINE_CHARS = 1000
NAME_CHARS = 60
KEPT_PERSONS = 50


class Line(Frozen):
    """One thing that was said, by whom and when; an earlier version kept neither `name` nor `at`.

    `name` is an id where the person is in no file: what strangers call themselves is no name here.
    """

    by: Literal["person", "bot"]
    text: str
    name: str = ""
    at: datetime | None = None

    def prompt_line(self, zone: str) -> str:
        """The line as a model is told of it, with its moment in that zone (IANA)."""
        when = f"[{local_time(self.at, zone)}] " if self.at else ""
        who = "bot" if self.by == "bot" else self.name or "person"
        # What follows in further lines looks like no line of somebody else.
        return f"{when}{who}: " + "\n    ".join(self.text.splitlines())


class LastMessage(Frozen):
    """Who wrote (a principal's id), and the reply to the last that they wrote in a conversation."""

    person: str
    reply: str


class Session(Frozen):
    """The recent lines of a conversation, oldest first, and the project in which they were said.

    `project` is "" where an earlier version did not keep it. `runs` are the newest that were begun,
    `last` the last message of each person, who wrote last at the end.
    """

    schema_version: Literal[1] = 1
    recent: tuple[Line, ...] = ()
    project: str = ""
    runs: tuple[str, ...] = ()
    last: tuple[LastMessage, ...] = ()

    def within(self, project: str) -> "Session":
        """The session for that project; what was said in another one stays there."""
        if self.project in ("", project):
            return self.model_copy(update={"project": project})
        return Session(project=project)

    def with_message(self, text: str, person: Principal, at: datetime) -> "Session":
        """The session with a person's message added."""
        line = Line(by="person", text=text[:LINE_CHARS], name=speaker_name(person), at=at)
        return self._with(line)

    def with_answer(self, text: str, at: datetime) -> "Session":
        """The session with the bot's answer added."""
        return self._with(Line(by="bot", text=text[:LINE_CHARS], at=at))

    def prompt_lines(self, zone: str) -> tuple[str, ...]:
        """The lines as a model is told of them, oldest first."""
        return tuple(line.prompt_line(zone) for line in self.recent)

    def with_runs(self, runs: Sequence[str]) -> "Session":
        """The session with runs that were begun."""
        return self.model_copy(update={"runs": (*self.runs, *runs)[-KEPT_RUNS:]})

    def with_last(self, person: Principal, reply: str) -> "Session":
        """The session with the reply to the last message of that person."""
        others = [each for each in self.last if each.person not in person.ids]
        last = (*others, LastMessage(person=person.id, reply=reply))
        return self.model_copy(update={"last": last[-KEPT_PERSONS:]})

    def last_reply(self, person: Principal) -> str:
        """The id of the reply to the last message of that person; "" where none is kept."""
        own = (each.reply for each in reversed(self.last) if each.person in person.ids)
        return next(own, "")

    def _with(self, line: Line) -> "Session":
        return self.model_copy(update={"recent": (*self.recent, line)[-KEPT_LINES:]})


def speaker_name(person: Principal) -> str:
    """What a model calls a person: a stranger by the account."""
    return person.id if person.id in person.accounts else clip(person.name, NAME_CHARS)


def load_session(body: str) -> Session:
    """The stored session; a new one when another version wrote it."""
    try:
        return Session.model_validate_json(body) if body else Session()
    except ValidationError:
        return Session()
