"""A file as a field: its name is that of a file of the project, which has to be there."""

from collections.abc import Sequence
from typing import Any

from cards.shared_file import SharedFile
from engine.frames.state import AgentState, Attachment, PromptFrame
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.inbox_files import FileReceipt
from engine.ports.library import FileInfo, FileScope, Library
from engine.runs.run_state import with_request_context
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

    async def infos(self, scope: FileScope) -> Sequence[FileInfo]:
        names = ("taxi.pdf", "minutes.docx")
        kind = "application/pdf"
        return [FileInfo(name=n, size_bytes=9, media_type=kind, changed_at=NOW) for n in names]


def playbook(kinds: str = "") -> Playbook:
    main = MAIN.replace("type: file", f"type: file, kinds: [{kinds}]")
    files = {"playbook.yaml": main, "skills/ask.yaml": ASK}
    return load(files, roles=None, held=None)


class Inbox:
    """Takes files in as what their ids say, one time under another name."""

    async def take(
        self, project: str, conversation: str, files: Sequence[SharedFile], *, by: str = ""
    ) -> tuple[FileReceipt, ...]:
        assert (project, conversation) == ("SCHOOL-1", "web:local:room")
        return tuple(self._taken(file) for file in files)

    def _taken(self, file: SharedFile) -> FileReceipt:
        if file.id == "locked":
            return FileReceipt(shown=file.name, problem="locked")
        return FileReceipt(shown=file.name, name=f"kept.{file.id}", kind=file.id)


def sent(kind: str) -> SharedFile:
    return SharedFile(platform="web", id=kind, name=f"my.{kind}")


async def asked(*attached: str, kinds: str = "") -> Walk:
    state = AgentState(attachments=tuple(Attachment(name=name) for name in attached))
    run = new_run(playbook(kinds), message="claim costs", state=state)
    frames = (run.frames[0], PromptFrame(skill="ask"))
    shelf: Any = Shelf()
    run = run.model_copy(update={"frames": frames})
    walk = Walk(playbook(kinds), run, library=Library(files=shelf), files=Inbox())
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


async def test_a_file_that_the_form_brings_is_taken_in_and_kept_by_its_name() -> None:
    walk = await asked()
    await walk.answer("submit", {"receipt": "my.pdf"}, receipt=sent("pdf"))
    assert walk.run.state.data["receipt"] == "kept.pdf"
    assert walk.run.status == "completed"


async def test_one_that_cannot_be_taken_is_asked_for_again() -> None:
    walk = await asked()
    await walk.answer("submit", {"receipt": "my.locked"}, receipt=sent("locked"))
    assert walk.card.problems == ("my.locked: is protected by a password, not taken.",)
    assert "receipt" not in walk.run.state.data


async def test_a_kind_that_the_field_does_not_take_is_told() -> None:
    walk = await asked(kinds="png, jpg")
    wanted = "Receipt: Please send a file of one of these kinds: png, jpg"
    await walk.answer("submit", {"receipt": "my.pdf"}, receipt=sent("pdf"))
    assert walk.card.problems == (wanted,)
    await walk.answer("submit", {"receipt": "taxi.pdf"})
    assert walk.card.problems == (wanted,)
    await walk.answer("submit", {"receipt": "my.png"}, receipt=sent("png"))
    assert walk.run.state.data["receipt"] == "kept.png"


def test_files_of_a_request_go_to_a_run_whose_form_asks_for_one() -> None:
    run = with_request_context(new_run(playbook()), playbook(), (), files=("taxi.pdf",))
    assert [each.name for each in run.state.attachments] == ["taxi.pdf"]
