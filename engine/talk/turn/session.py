"""What is kept of a conversation between turns."""

from collections.abc import Sequence
from typing import Literal

from pydantic import ValidationError

from cards.frozen import Frozen

KEPT_LINES = 20
KEPT_RUNS = 5
LINE_CHARS = 1000


class Line(Frozen):
    """One thing that was said."""

    by: Literal["person", "bot"]
    text: str


class Session(Frozen):
    """The recent lines of a conversation, oldest first, and the project in which they were said.

    `project` is "" where an earlier version did not keep it. `runs` are the newest that were begun.
    """

    schema_version: Literal[1] = 1
    recent: tuple[Line, ...] = ()
    project: str = ""
    runs: tuple[str, ...] = ()

    def within(self, project: str) -> "Session":
        """The session for that project; what was said in another one stays there."""
        if self.project in ("", project):
            return self.model_copy(update={"project": project})
        return Session(project=project)

    def with_message(self, text: str) -> "Session":
        """The session with a person's message added."""
        return self._with(Line(by="person", text=text[:LINE_CHARS]))

    def with_answer(self, text: str) -> "Session":
        """The session with the bot's answer added."""
        return self._with(Line(by="bot", text=text[:LINE_CHARS]))

    def with_runs(self, runs: Sequence[str]) -> "Session":
        """The session with runs that were begun."""
        return self.model_copy(update={"runs": (*self.runs, *runs)[-KEPT_RUNS:]})

    def _with(self, line: Line) -> "Session":
        return self.model_copy(update={"recent": (*self.recent, line)[-KEPT_LINES:]})


def load_session(body: str) -> Session:
    """The stored session; a new one when another version wrote it."""
    try:
        return Session.model_validate_json(body) if body else Session()
    except ValidationError:
        return Session()
