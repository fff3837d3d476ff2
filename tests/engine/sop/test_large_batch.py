"""A batch over more records than a run may take steps by itself: nothing is cut without a word."""

from pathlib import Path
from typing import Any

import pytest

from engine.frames.state import BatchFrame, Patch, PlannerFrame, Run
from engine.mail import ChildRunReported, RunStarted
from engine.playbooks.leaf import MAX_ROWS
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.runs.run import MAX_STEPS
from tests.fakes.study import Study
from tests.fakes.walk import Walk, new_run
from tests.scenarios.test_batch import FIELDS, SKILL

FOLDER = Path(__file__).parents[3] / "playbooks" / "clinical_qc"
EVERY = "every-subject"


def every_subject(pattern: str = "") -> Playbook:
    """The sample playbook, in which quality control is a batch of subjects with such names."""
    text = (FOLDER / "playbook.yaml").read_text("utf-8")
    status = "profile_fields:\n  each_status: {label: {zh: 核查, en: Check}}\n"
    text = text.replace("profile_fields:\n", status).replace("\nphases:\n", FIELDS)
    text = text.replace("    phases: [scope, quality]\n", "    phases: [every]\n")
    subject = "  subject_id:\n"
    text = text.replace(subject, f'{subject}    pattern: "{pattern}"\n', 1)
    kept, rest = text.split("  - id: scope\n", 1)
    files = {"playbook.yaml": kept + "".join(rest.partition("  - id: subject\n")[1:])}
    for path in (FOLDER / "skills").glob("*.yaml"):
        if path.stem not in ("qc-scope", "qc-rules"):
            files[f"skills/{path.name}"] = path.read_text("utf-8")
    return load({**files, f"skills/{EVERY}.yaml": SKILL}, roles=None, held=None)


BATCH = every_subject()


class Parent(Walk):
    """Keeps the parent of what a step writes, and who its new children are."""

    def _commit(self, stepped: Any) -> None:
        for write in stepped.effects.runs[1:]:
            child = Run.model_validate_json(write.body)
            self.waiting.append((child.key, child.id))
        effects = stepped.effects
        super()._commit(
            type(stepped)(
                type(effects)(runs=effects.runs[:1], posts=effects.posts, log=effects.log),
                stepped.front,
                stepped.park,
            )
        )

    waiting: list[tuple[str, str]]


async def through(count: int, playbook: Playbook = BATCH) -> Walk:
    """A batch of so many subjects, until its last child has ended."""
    frames = (PlannerFrame(phase="every", force=EVERY), BatchFrame(skill=EVERY))
    study = Study({f"P{n:04}": [] for n in range(count)})
    run = new_run(playbook, frames=frames, request="quality-control")
    walk = Parent(playbook, run, records=study)
    walk.waiting = []
    await walk.tell(RunStarted())
    while walk.waiting:
        key, child = walk.waiting.pop(0)
        patch = Patch(by=EVERY, end="end_passed", violations={"ECOG: should be 0": 2})
        ended = ChildRunReported(
            run=child, key=key, status="completed", patch=patch.model_dump_json(), reason=""
        )
        await walk.tell(ended)
    return walk


@pytest.mark.parametrize("count", [3, MAX_STEPS + 60])
async def test_every_record_has_a_row_and_counts_in_the_chart(count: int) -> None:
    found = await through(count)
    assert found.run.status in ("completed", "suspended")
    rows: Any = found.run.state.data["subject_results"]
    assert len(rows) == count
    (note,) = [post for post in found.posts if post.kind == "note"]
    assert f'"value":{2 * count}' in note.body
    assert found.run.state.response == ""


async def test_a_record_whose_name_cannot_be_kept_has_its_row_and_the_others_go_on() -> None:
    found = await through(4, every_subject("P000[0-2]"))
    assert found.run.status in ("completed", "suspended")
    rows: Any = found.run.state.data["subject_results"]
    assert [row["result"] for row in rows] == ["end_passed"] * 3 + ["failed"]
    assert rows[3]["problems"] == "should be as P000[0-2] says, not 'P0003'"


async def test_records_that_the_summary_has_no_room_for_are_counted_and_said() -> None:
    found = await through(MAX_ROWS + 5)
    rows: Any = found.run.state.data["subject_results"]
    assert len(rows) == MAX_ROWS
    assert f"lists only the {MAX_ROWS} " in found.run.state.response
    (note,) = [post for post in found.posts if post.kind == "note"]
    assert f'"value":{2 * (MAX_ROWS + 5)}' in note.body
