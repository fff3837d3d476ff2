"""Rules ask what a file contains; one that cannot be read fails them, and they say why."""

from collections.abc import Sequence
from typing import Any

import pytest

from engine.errors import DefinitionError, ToolFailed
from engine.frames.state import AgentState, SopFrame
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.library import Extract, FileInfo, FileScope, Library
from tests.fakes.tables import table
from tests.fakes.walk import Walk, new_run

MAIN = """\
id: goods
name: {zh: 收货, en: Goods}
project: DEPOT
cues: [goods]
requests:
  - {id: take, name: {zh: 收货, en: Take}, examples: [take goods]}
profile_fields:
  checked: {label: {zh: 已核对, en: Checked}}
data_fields:
  order: {label: {zh: 订单, en: Order}}
  note: {label: {zh: 送货单, en: Delivery note}, type: file, required: false}
phases:
  - id: check
    name: {zh: 核对, en: Check}
    goal: {zh: 已核对, en: The note is checked}
    allowed_skills: [check]
    gate_field: profile.checked
    gate_check: not_empty
"""
CHECK = """\
id: check
name: {zh: 核对, en: Check}
description: {zh: 核对送货单, en: Checks the delivery note}
category: check
kind: sop
provides: [profile.checked]
sop:
  start_node: read
  nodes:
    read:
      type: hard_rule
      rules:
        - field: note
          logic: LOGIC
          message: {zh: 没有这个订单号, en: does not name the order}
      on_pass: end_good
      on_fail: end_bad
  outcomes:
    end_good: {profile.checked: good}
    end_bad: {profile.checked: bad}
"""
NAMES_ORDER = "{in: [{var: order}, {var: note.text}]}"
LACKS_ORDER = '{"!": {in: [{var: order}, {var: note.text}]}}'
FILES = {
    "good.pdf": Extract(kind="pdf", text="Delivery for W-7\n3 boxes", parts=1, parts_read=1),
    "other.pdf": Extract(kind="pdf", text="Delivery for W-8", parts=1, parts_read=1),
    "long.pdf": Extract(kind="pdf", text="Delivery", parts=300, parts_read=200),
    "scan.pdf": Extract(kind="pdf", text=" ", parts=1, parts_read=1),
    "photo.jpg": Extract(kind="jpg", width=9, height=9),
    "locked.pdf": Extract(kind="pdf", problem="locked"),
}


class Shelf:
    """The files of a depot, one of which is out of reach."""

    async def infos(self, scope: FileScope) -> Sequence[FileInfo]:
        raise AssertionError("nobody asks for names")

    async def read(self, scope: FileScope, name: str) -> bytes | None:
        raise AssertionError("no rule reads bytes")

    async def extract(self, scope: FileScope, name: str) -> Extract | None:
        assert scope == FileScope("DEPOT", "web:local:room")
        if name == "away.pdf":
            raise ToolFailed("files.away")
        return FILES.get(name)


def playbook(logic: str = NAMES_ORDER) -> Playbook:
    files = {"playbook.yaml": MAIN, "skills/check.yaml": CHECK.replace("LOGIC", logic)}
    return load(files, roles=None, held=None)


async def check(note: str | None, logic: str = NAMES_ORDER) -> tuple[Any, str]:
    """What the check comes to, and what it says."""
    data = {"order": "W-7"} | ({"note": note} if note else {})
    loaded = playbook(logic)
    run = new_run(loaded, message="take goods", state=AgentState(data=data))
    frames = (run.frames[0], SopFrame(skill="check", node="read"))
    run = run.model_copy(update={"frames": frames})
    walk = await Walk(loaded, run, library=Library(files=Shelf())).start()
    assert "contents" not in walk.run.stored()
    return walk.run.state.profile.get("checked"), " ".join(walk.run.state.problems)


async def test_a_rule_asks_what_a_file_contains() -> None:
    assert await check("good.pdf") == ("good", "")
    result, told = await check("other.pdf")
    assert result == "bad"
    assert "does not name the order" in told


@table("logic", [NAMES_ORDER, LACKS_ORDER])
@table(
    ("note", "why"),
    [
        ("long.pdf", "long.pdf is too long: a rule can only judge what can be read whole."),
        ("scan.pdf", "There is no text in scan.pdf that can be read; it may be a scan."),
        ("photo.jpg", "photo.jpg is a picture; there is no text to read in it."),
        ("locked.pdf", "locked.pdf is protected by a password and cannot be read."),
        ("lost.pdf", "lost.pdf is not there any more."),
        ("away.pdf", "The project's files cannot be read at the moment."),
    ],
)
async def test_what_cannot_be_read_passes_no_rule_and_says_why(
    note: str, why: str, logic: str
) -> None:
    result, told = await check(note, logic)
    assert result == "bad"
    assert f"rule failed: it asks what a file contains. {why}" in told.replace("\\", "")


async def test_where_no_file_is_there_its_text_is_missing() -> None:
    assert (await check(None))[0] == "bad"
    assert (await check(None, LACKS_ORDER))[0] == "bad"
    assert (await check(None, '{"!": {var: note}}'))[0] == "good"
    assert (await check("photo.jpg", '{"!!": {var: note}}'))[0] == "good"


async def test_only_what_a_rule_asks_about_is_read() -> None:
    assert playbook().read_files == ("note",)
    assert playbook('{"!!": {var: note}}').read_files == ()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("note.text", "note.size", "'size'"),
        ("gate_field: profile.checked", "gate_field: note.text", "note.text"),
        ("note.text", "order.text", "'order' is of type text and has no 'text' in it"),
    ],
)
def test_no_other_part_of_a_file_is_asked_about(old: str, new: str, told: str) -> None:
    given = {"playbook.yaml": MAIN, "skills/check.yaml": CHECK.replace("LOGIC", NAMES_ORDER)}
    files = {name: text.replace(old, new) for name, text in given.items()}
    with pytest.raises(DefinitionError, match=told.replace("'", ".")):
        load(files, roles=None, held=None)
