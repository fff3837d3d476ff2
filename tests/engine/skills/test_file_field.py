"""A file as a field: its name is that of a file of the project, which has to be there."""

from collections.abc import Sequence
from typing import Any

from engine.frames.state import AgentState, Attachment, PromptFrame
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.library import FileInfo, Library
from tests.fakes.services import NOW
from tests.fakes.walk import Walk, new_run

MAIN = """\
id: costs
name: {zh: 报销, en: Costs}
project: SCHOOL-1
cues: [costs]
requests:
  - {id: claim, name: {zh: 报销, en: Claim}, examples: [claim costs]}
data_fields:
  receipt: {label: {zh: 收据, en: Receipt}, type: file}
phases:
  - id: intake
    name: {zh: 收集, en: Intake}
    goal: {zh: 收据, en: The receipt is there}
    allowed_skills: [ask]
    gate_field: receipt
    gate_check: not_empty
"""
ASK = """\
id: ask
name: {zh: 询问, en: Ask}
description: {zh: 询问, en: Asks}
category: intake
kind: prompt
provides: [receipt]
ask:
  title: {zh: 收据, en: Receipt}
  text: {zh: 请填写, en: Please fill in}
  fields: [receipt]
"""


class Shelf:
    """Two files of a school."""

    async def infos(self, project: str, conversation: str) -> Sequence[FileInfo]:
        names = ("taxi.pdf", "minutes.docx")
        kind = "application/pdf"
        return [FileInfo(name=n, size_bytes=9, media_type=kind, changed_at=NOW) for n in names]


def playbook() -> Playbook:
    files = {"playbook.yaml": MAIN, "skills/ask.yaml": ASK}
    return load(files, roles=None, held=None)


async def asked(*attached: str) -> Walk:
    state = AgentState(attachments=tuple(Attachment(name=name) for name in attached))
    run = new_run(playbook(), message="claim costs", state=state)
    frames = (run.frames[0], PromptFrame(skill="ask"))
    shelf: Any = Shelf()
    walk = Walk(playbook(), run.model_copy(update={"frames": frames}), library=Library(files=shelf))
    return await walk.start()


def value(walk: Walk) -> str:
    return next(choice.form for choice in walk.card.choices if choice.form)[0].value


async def test_the_one_file_that_came_with_the_request_stands_in_the_form() -> None:
    assert value(await asked("taxi.pdf")) == "taxi.pdf"
    assert value(await asked("taxi.pdf", "minutes.docx")) == ""
    assert value(await asked()) == ""


async def test_a_name_of_no_file_is_asked_again() -> None:
    walk = await asked()
    await walk.answer("submit", {"receipt": "taxy.pdf"})
    assert walk.card.problems == ("This project has no file taxy.pdf. Close names: taxi.pdf.",)
    assert "receipt" not in walk.run.state.data
    await walk.answer("submit", {"receipt": "taxi.pdf"})
    assert walk.run.state.data["receipt"] == "taxi.pdf"
    assert walk.run.status == "completed"
