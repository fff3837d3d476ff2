"""Files of a run: read to their end, joined while it goes on, counted as read when they were."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from adapters.files import SHARED, ProjectFiles, folder_of
from engine.frames.state import AgentState, Attachment
from engine.mail import FilesJoined
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.library import Library
from engine.ports.model import Completion, Message
from engine.runs.run_state import with_request_context
from engine.tools.model import RUN_ROOM
from tests.fakes.file_makers import png
from tests.fakes.scripted_model import ScriptedModel, asks, calls, output
from tests.fakes.walk import CONVERSATION, Walk, crashing, new_run

MAIN = """\
id: survey
name: {zh: 验船, en: Boat survey}
project: BOATS-1
cues: [survey]
requests:
  - {id: survey, name: {zh: 验船, en: Survey}, examples: [survey the boat]}
profile_fields:
  boat: {label: {zh: 船名, en: Boat}}
data_fields:
  papers: {label: {zh: 文件, en: Papers}, type: list, columns: {name: {label: Name}}}
  defects: {label: {zh: 缺陷, en: Defects}, type: list, columns: {what: {label: What}}}
phases:
  - id: look
    name: {zh: 查看, en: Look}
    goal: {zh: 列出缺陷, en: The defects are listed}
    allowed_skills: [sort, survey]
    checkpoints: [defects]
  - id: report
    name: {zh: 报告, en: Report}
    goal: {zh: 船名, en: The boat is named}
    allowed_skills: [name]
    checkpoints: [profile.boat]
"""
SKILL = """\
id: {id}
name: {{zh: 技能, en: {id}}}
description: {{zh: 技能, en: Does {id}}}
category: {category}
kind: prompt
system_prompt: |
  Do {id}.
output_schema:
  {output}
tools: [file__list, file__parse, file__search]
{more}
"""
REPORT = "".join(f"Frame {n}: sound, no corrosion seen, thickness {n} mm.\n" for n in range(800))
"""More than 35,000 characters."""


def playbook(more: str = "reads: whole") -> Playbook:
    skills = {
        "sort": ("files", "data: [papers]", ""),
        "survey": ("survey", "data: [defects]", more),
        "name": ("report", "profile: [boat]", ""),
    }
    files = {
        f"skills/{id}.yaml": SKILL.format(id=id, category=category, output=out, more=more)
        for id, (category, out, more) in skills.items()
    }
    return load({"playbook.yaml": MAIN, **files}, roles=None, held=None)


SORTED = output("Sorted.", data={"papers": [{"name": "report.txt"}]})
DEFECTS = output("One.", data={"defects": [{"what": "keel"}]})
NAMED = output("Named.", profile={"boat": "Vega"})


@pytest.fixture
def shelf(tmp_path: Path) -> Callable[..., Path]:
    """Puts a file where one that was shared in that conversation is."""

    def put(name: str, content: str | bytes, conversation: str = CONVERSATION) -> Path:
        folder = tmp_path / "BOATS-1" / SHARED / folder_of(conversation)
        folder.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
        return tmp_path

    return put


class BySkill:
    """A model with a script for each skill."""

    def __init__(self, **scripts: Sequence[Any]) -> None:
        self.models = {skill: ScriptedModel(script) for skill, script in scripts.items()}

    async def complete(self, messages: Sequence[Message], **more: Any) -> Completion:
        """The next line of the script of the skill that asks."""
        skill = next(s for s in self.models if f"Do {s}." in messages[0].content)
        return await self.models[skill].complete(messages, **more)


def told_by(walk: Walk) -> str:
    assert isinstance(walk.model, BySkill)
    requests = [each for model in walk.model.models.values() for each in model.requests]
    return "\n".join(request.text for request in requests)


def walk(
    root: Path,
    *,
    files: tuple[str, ...] = (),
    state: AgentState | None = None,
    made: Playbook | None = None,
    **scripts: Sequence[Any],
) -> Walk:
    made = made or playbook()
    run = with_request_context(new_run(made), made, (), files=files)
    run = run.model_copy(update={"state": state}) if state else run
    model = BySkill(**{"name": [NAMED], **scripts})
    return Walk(made, run, model, library=Library(files=ProjectFiles(root)))


def parse(start: int | None = None, name: str = "report.txt") -> Completion:
    return calls(("file__parse", {"name": name} | ({} if start is None else {"from": start})))


def page_starts() -> list[int]:
    """Where each page of the report begins, as a model is told."""
    from engine.tools.files.file_parse import FRAME_CHARS, _page
    from engine.tools.files.project_file import FileText

    room, starts = RUN_ROOM - FRAME_CHARS - len("report.txt"), [0]
    while (following := _page(FileText(REPORT), starts[-1], room)["next"]) is not None:
        starts.append(following)
    return starts


async def test_a_report_of_35000_characters_is_read_to_its_end(shelf: Callable[..., Path]) -> None:
    root = shelf("report.txt", REPORT)
    assert len(REPORT) > 35_000
    others = page_starts()[1:]
    assert len(others) >= 3
    # It stops after the first page, twice, and is told where to read on.
    lines = [parse(), DEFECTS, parse(others[0]), DEFECTS, *map(parse, others[1:]), DEFECTS]
    made = walk(root, files=("report.txt",), sort=[parse(), SORTED], survey=lines)
    found = await made.start()
    assert found.run.status == "completed"
    assert [a.read for a in found.run.state.attachments] == [True]
    heard = told_by(found)
    assert f"report.txt (to character {others[0]} of {len(REPORT)})" in heard
    assert f"report.txt (to character {others[1]} of {len(REPORT)})" in heard
    assert "Frame 799: sound" in heard
    again = await crashing(
        walk(root, files=("report.txt",), sort=[parse(), SORTED], survey=lines)
    ).start()
    assert again.run == found.run


async def test_who_does_not_read_on_is_believed_and_people_are_told(
    shelf: Callable[..., Path],
) -> None:
    root = shelf("report.txt", REPORT)
    lines = [parse(), DEFECTS, DEFECTS, DEFECTS]
    found = await walk(root, files=("report.txt",), sort=[parse(), SORTED], survey=lines).start()
    assert found.run.status == "completed"
    (file,) = found.run.state.attachments
    assert (file.read, file.tried) == (False, True)
    told = [e for e in found.log if "report.txt (to character" in str(e.get("why"))]
    assert len(told) == 2


async def test_a_file_that_nobody_opened_is_not_read(shelf: Callable[..., Path]) -> None:
    root = shelf("report.txt", REPORT)
    shelf("photo.png", png())
    lines = [SORTED, parse(), SORTED, parse(name="photo.png"), SORTED]
    names = ("report.txt", "photo.png", "gone.txt")
    found = await walk(root, files=names, sort=lines, survey=[DEFECTS]).start()
    heard = told_by(found)
    assert "report.txt (not opened); photo.png (not opened); gone.txt (not opened)" in heard
    assert [(a.name, a.read, a.tried) for a in found.run.state.attachments] == [
        ("report.txt", False, True),
        ("photo.png", False, True),
        ("gone.txt", False, True),
    ]


async def test_what_cannot_be_read_keeps_nobody(shelf: Callable[..., Path]) -> None:
    root = shelf("photo.png", png())
    shelf("broken.pdf", b"%PDF-1.4 and no more")
    names = ("photo.png", "broken.pdf")
    both = calls(*(("file__parse", {"name": name}) for name in names))
    found = await walk(root, files=names, sort=[both, SORTED], survey=[both, DEFECTS]).start()
    assert found.run.status == "completed"
    assert [a.read for a in found.run.state.attachments] == [False, False]


async def test_a_file_that_comes_later_joins_the_run_and_is_read_like_the_first(
    shelf: Callable[..., Path],
) -> None:
    root = shelf("report.txt", "Frame 1: cracked.\n")
    shelf("later.txt", "Frame 2: cracked too.\n")
    question = asks("clarify", {"field": "defects", "question": "Which?"})
    later = parse(name="later.txt")
    found = await walk(
        root,
        files=("report.txt",),
        sort=[parse(), SORTED],
        survey=[parse(), question, later, output("Asked.")],
    ).start()
    before = found.run
    assert (before.status, before.frames[-1].kind) == ("suspended", "model")
    await found.tell(FilesJoined(names=("later.txt", "report.txt")))
    assert found.run.status == "suspended"
    assert found.run.waiting == before.waiting
    assert [a.name for a in found.run.state.attachments] == ["report.txt", "later.txt"]
    # It comes again, and changes nothing.
    steps = len(found.log)
    await found.tell(FilesJoined(names=("later.txt",)))
    assert len(found.log) == steps
    assert isinstance(found.model, BySkill)
    found.model.models["sort"] = ScriptedModel([later, SORTED])
    await found.answer("submit", {"defects": "keel"})
    assert found.run.status == "completed"
    # The one that had asked is told of it, and it is sorted before anything else is begun.
    survey, sort = found.model.models["survey"], found.model.models["sort"]
    assert "Files that have come since: <data>later.txt</data>" in survey.requests[-1].text
    assert "Frame 2: cracked too" in sort.requests[-1].text
    assert [(a.name, a.read) for a in found.run.state.attachments] == [
        ("report.txt", True),
        ("later.txt", True),
    ]


async def test_a_file_of_another_thread_is_read_by_whoever_knows_it(
    shelf: Callable[..., Path],
) -> None:
    root = shelf("report.txt", "Frame 9: cracked in another thread.\n", "web:local:other")
    shelf("secret.txt", "not for us", "web:local:other")
    state = AgentState(attachments=(Attachment(name="report.txt", place="web:local:other"),))
    listed = calls(("file__list", {}), ("file__parse", {"name": "secret.txt"}))
    search = calls(("file__search", {"query": "another thread"}))
    lines = [parse(), listed, search, SORTED]
    found = await walk(root, state=state, sort=lines, survey=[DEFECTS]).start()
    assert found.run.status == "completed"
    heard = told_by(found)
    assert "cracked in another thread" in heard
    assert '"total": 1' in heard
    assert "not for us" not in heard


async def test_a_skill_that_does_not_say_so_need_not_read_whole_files(
    shelf: Callable[..., Path],
) -> None:
    root = shelf("report.txt", REPORT)
    sort, survey = [parse(), SORTED], [parse(), DEFECTS]
    made = walk(root, files=("report.txt",), made=playbook(""), sort=sort, survey=survey)
    found = await made.start()
    assert found.run.status == "completed"
    assert "Not taken yet" not in told_by(found)
    assert [a.read for a in found.run.state.attachments] == [False]
