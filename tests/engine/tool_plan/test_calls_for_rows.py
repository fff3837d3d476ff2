"""A plan's call for each row of a list, and what it keeps: for the project that was approved."""

from dataclasses import dataclass, replace

import pytest

from engine.frames.state import AgentState, PlannerFrame, SopFrame
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.library import Library
from engine.services import Services
from tests.docs.reading import ROOT
from tests.fakes.memos import Memos
from tests.fakes.walk import CHEN, Walk, crashing, new_run

FOLDER = ROOT / "examples" / "cookbook" / "remember" / "playbooks" / "visit"
LESSONS = ({"text": "The gate code is with the baker."}, {"text": "Bed two *has* rust."})


def garden() -> Playbook:
    """The garden of the cookbook, whose head is Chen here."""
    paths = [FOLDER / "playbook.yaml", *sorted((FOLDER / "skills").glob("*.yaml"))]
    names = {path: str(path.relative_to(FOLDER)) for path in paths}
    texts = {name: path.read_text("utf-8") for path, name in names.items()}
    texts["skills/agree.yaml"] = texts["skills/agree.yaml"].replace("[head]", "[reviewer]")
    return load(texts, roles=None, held=None)


@dataclass
class Garden(Walk):
    """A run in a conversation of `place`, which may change."""

    place: str = "PARK-3"

    def services(self) -> Services:
        """As any, but for the project."""
        return replace(super().services(), project=lambda conversation: self.place)


def proposing(lessons: tuple[dict[str, str], ...] = LESSONS) -> tuple[Garden, Memos]:
    """A run that asks what of the lessons is kept."""
    playbook, memos = garden(), Memos()
    state = AgentState(data={"report": "All is well.", "lessons": lessons})
    frames = (PlannerFrame(phase="memory"), SopFrame(skill="agree", node="any"))
    run = new_run(playbook, frames=frames, state=state)
    return Garden(playbook, run, library=Library(memory=memos)), memos


def keep(memos: Memos) -> list[tuple[str, str, str]]:
    return [(project, memo.text, memo.by) for (project, _), memo in memos.kept.items()]


KEPT = [("PARK-3", row["text"], "chen") for row in LESSONS]


@pytest.mark.parametrize("crashes", [False, True])
async def test_each_row_is_shown_and_kept_once_for_the_project_that_is_shown(crashes: bool) -> None:
    found, memos = proposing()
    if crashes:
        found = crashing(found)  # type: ignore[assignment]
    await found.start()
    rows = [(row.label, row.value) for row in found.card.rows]
    assert rows == [
        ("Step 1", "memory__remember"),
        ("For the project", "PARK-3"),
        ("To remember", "The gate code is with the baker."),
        ("Step 2", "memory__remember"),
        ("For the project", "PARK-3"),
        ("To remember", "Bed two *has* rust."),
    ]
    assert keep(memos) == []
    await found.answer("approve", by=CHEN)
    assert (found.run.status, keep(memos)) == ("completed", KEPT)


async def test_a_conversation_that_moved_to_another_project_is_asked_about_again() -> None:
    found, memos = proposing()
    await found.start()
    found.place = "PARK-9"
    await found.answer("approve", by=CHEN)
    assert keep(memos) == []
    assert "the project that it writes for, has changed" in found.card.problems[0]
    assert "PARK-9" in [row.value for row in found.card.rows]
    await found.answer("approve", by=CHEN)
    assert {project for project, _, _ in keep(memos)} == {"PARK-9"}


async def test_without_a_row_nobody_is_asked_and_nothing_is_kept() -> None:
    found, memos = proposing(())
    await found.start()
    assert (found.run.status, found.cards, keep(memos)) == ("completed", {}, [])
