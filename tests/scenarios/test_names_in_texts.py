"""A playbook's texts and calls name who asked, who approved, what, where and when."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from engine.errors import DefinitionError
from engine.playbooks.load import load
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import ROOT, Start

RECALLS = ROOT / "examples" / "cookbook" / "names"
SOFT = """\
  start_node: judge
  nodes:
    judge:
      type: soft_instruction
      instruction: Is what {requester} says dangerous?
      review: {roles: [quality]}
      on_pass: sign
      on_fail: end_rejected
"""


async def test_ends_and_what_a_phase_has_done_name_what_people_typed_only_as_text(
    start: Start, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(RECALLS, tmp_path / "recalls"))
    service = await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
        project="BAKERY",
        languages=("en",),
    )
    async with WebRoom(service.url) as room:
        await room.say("ida", "recall batch B-204")
        form = await room.card("clarify")
        assert form["title"] == "Which batch, Ida Holm?"
        reason = "**glass** {approver} <b>now</b>"
        await room.fill("ida", form, "submit", reason=reason)
        review = await room.card("confirm")
        assert review["title"] == "Ida Holm wants B-204 back"
        await room.tap("max", review, "approve")
        ended = await room.wait_for(lambda m: "lets Ida Holm call back" in text_of(m))
        shown = "**glass** {approver} &lt;b&gt;now&lt;/b&gt;"
        assert f"Max Weber lets Ida Holm call back B-204: {shown}." in text_of(ended)
        told = await room.wait_for(lambda m: "what Ida Holm asked for" in text_of(m))
        assert "B-204 is called back" in text_of(told)
        assert "Max Weber approved on " in text_of(told)
        assert " what Ida Holm asked for in BAKERY." in text_of(told)
    assert recalls_in(tmp_path) == [("B-204", "ida", "max", "B-204 of BAKERY")]


def recalls_in(folder: Path) -> list[tuple[str, ...]]:
    """What the bakery's database, somewhere in the folder, has of recalls."""
    (path,) = folder.rglob("bakery.sqlite3")
    with sqlite3.connect(path) as base:
        return base.execute("SELECT batch, person, approved_by, note FROM recalls").fetchall()


def test_an_instruction_names_nothing_since_what_people_write_is_no_order_to_a_model() -> None:
    texts = {
        str(path.relative_to(RECALLS / "playbooks" / "recall")): path.read_text()
        for path in (RECALLS / "playbooks" / "recall").rglob("*.yaml")
        if path.parent.name != "tests"
    }
    name = "skills/approve.yaml"
    texts[name] = texts[name].replace("  start_node: sign\n  nodes:\n", SOFT)
    with pytest.raises(DefinitionError) as caught:
        load(texts, tools=None, roles=None, held=None)
    assert "nothing fills {requester}: the model is shown all of it beside" in str(caught.value)
