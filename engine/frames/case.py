"""A case as it is stored, the letters that runs send it, and its answers (design §12)."""

from datetime import datetime
from typing import Literal
from urllib.parse import quote

from pydantic import Field

from cards.frozen import Frozen
from cards.values import Value
from engine.playbooks.end_kinds import RunEnd

CaseRows = tuple[dict[str, Value | None], ...]
CaseValue = Value | CaseRows
MAX_RUNS = 200
"""As many runs are remembered with a case, the newest."""


class CaseName(Frozen):
    """Which case: `of` a conversation, a project, or an entity, and its `key` there."""

    project: str
    playbook: str
    of: str
    key: str

    @property
    def id(self) -> str:
        """The same for the same case; no conversation has such an id."""
        parts = (self.project, self.playbook, self.of, self.key)
        return "/".join(quote(part, safe="") for part in parts)

    @property
    def lane(self) -> str:
        """The lane in which its letters are handled."""
        return f"case:{self.id}"


class CaseAuthor(Frozen):
    """Who changed something: a person or a skill, in a run, and when."""

    by: str
    name: str = ""
    run: str = ""
    at: datetime


class CaseLeaf(Frozen):
    """What stands at a path since `version` of the case; None where it was cleared."""

    value: CaseValue | None = None
    version: int
    author: CaseAuthor


class CaseRun(Frozen):
    """A run of the case: what was asked for, by whom, where, and how it ended."""

    id: str
    name: str
    request: str = ""
    requester: str
    requester_name: str = ""
    conversation: str
    started_at: datetime
    end: RunEnd | None = None
    reason: str = ""
    ended_at: datetime | None = None


class CaseDecision(Frozen):
    """What a person decided in a run, about which skill, and the reason that they gave."""

    by: str
    name: str
    choice: str
    about: str
    reason: str = ""
    run: str
    at: datetime


class CaseDocument(Frozen):
    """The state that runs of a case share, with who changed what; `version` counts its changes.

    `taken` is the number of the last letter of each run that was taken. `files` are the names of
    those that runs of it were given, `places` the conversations where they were; `shared` were
    given to the case itself, for all who may see it. `runs` and `decided` are the newest last.
    `heard` are the keys of what a system of record last said, and of messages with files.
    """

    schema_version: Literal[1] = 1
    name: CaseName
    version: int = 0
    leaves: dict[str, CaseLeaf] = Field(default_factory=dict)
    files: tuple[str, ...] = ()
    places: dict[str, str] = Field(default_factory=dict)
    shared: tuple[str, ...] = ()
    runs: tuple[CaseRun, ...] = ()
    decided: tuple[CaseDecision, ...] = ()
    taken: dict[str, int] = Field(default_factory=dict)
    heard: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, CaseValue]:
        """What stands at each path."""
        return {path: leaf.value for path, leaf in self.leaves.items() if leaf.value is not None}


class CaseChange(Frozen):
    """A change of one path, made when the case's leaf was of version `base` (0 for none).

    Of a list, `was` are the rows as they were then, and `row` the column that tells rows apart. One
    that is `forced` stands whatever was there: a system of record says how things are.
    """

    value: CaseValue | None = None
    base: int = 0
    was: CaseRows | None = None
    row: str = ""
    forced: bool = False


class CaseLetter(Frozen):
    """What a run tells its case, the `number`-th time: changes, files and decisions.

    Or what a system of record says, or a message with files, under a `key` and without a run. Its
    files are the case's for all who may see it (`is_shared`) when their sender named the case.

    It knows the case as of version `known`. `attempt` counts how often an operator had it sent
    again. Without changes it asks for what is known. What a letter of an ended run says of its end
    stands in `run`.
    """

    case: CaseName
    run: CaseRun | None = None
    key: str = ""
    number: int = 0
    attempt: int = 1
    known: int = 0
    changes: dict[str, CaseChange] = Field(default_factory=dict)
    files: tuple[str, ...] = ()
    places: dict[str, str] = Field(default_factory=dict)
    is_shared: bool = False
    decided: tuple[CaseDecision, ...] = ()
    author: CaseAuthor

    @property
    def row(self) -> str:
        """The outbox row that carries it from its run, and the key by which a repeat is known."""
        assert self.run is not None, "a system of record sends no rows"
        return f"{self.run.id}/case/{self.number}.{self.attempt}"


class CaseAnswer(Frozen):
    """What the case has since the letter's `known`, and which of its changes were not taken.

    What stands at the paths of `conflicts` was changed by somebody else meanwhile. `repeated` when
    the letter had been taken before.
    """

    number: int
    version: int
    leaves: dict[str, CaseLeaf] = Field(default_factory=dict)
    conflicts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    places: dict[str, str] = Field(default_factory=dict)
    repeated: bool = False


class CaseMark(Frozen):
    """What a run knows of a case's leaf: its version and a digest; of a list, also the rows."""

    version: int
    digest: str
    rows: CaseRows | None = None


class CaseConflict(Frozen):
    """A path that the run and somebody else changed; `theirs` stands in the case."""

    path: str
    theirs: CaseLeaf


class CaseLink(Frozen):
    """A run's side of its case. `joined` once it has got what the case knew.

    `version` and `marks` are what it knows of the case, `letters` counts those that it wrote,
    `waits` is the one that is not answered yet, `conflicts` are still to be decided. `decided` and
    `files` are still to be told, and were told. `remarks` are told with every state of its part.
    """

    name: CaseName
    joined: bool = False
    version: int = 0
    marks: dict[str, CaseMark] = Field(default_factory=dict)
    letters: int = 0
    waits: CaseLetter | None = None
    conflicts: tuple[CaseConflict, ...] = ()
    decided: tuple[CaseDecision, ...] = ()
    files: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
