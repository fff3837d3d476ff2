"""What `signoff validate` says of slips that beginners make: where it is, and what was meant."""

import shutil
from pathlib import Path

import pytest

from bot.project import project_variables
from bot.starting.init import InitOptions, make_folder
from engine.errors import DefinitionError
from tests.bot.starting.test_init import wrong_with
from tests.conftest import ROOT

MADE = "playbooks/book-a-pallet-in/"
ROOM, PARTS = "options/playbooks/room/", "write/playbooks/parts/"
SLIPS = (
    # file, what stands there, what somebody writes instead, line, what is told
    ("people.yaml", "roles: [reviewer]", "roles: [reveiwer]", "did you mean 'reviewer'?"),
    ("people.yaml", "web: robin", "wbe: robin", "wbe: unknown key; did you mean 'web'?"),
    ("people.yaml", "id: robin", "id: kim", "person 'kim' is listed twice"),
    ("people.yaml", "label: reviews}", "label: reviews", "a { is opened here and not closed by }"),
    ("connections.yaml", "kind: sheet", "kind: shet", "sheet; did you mean 'sheet'?"),
    (f"{MADE}tools.yaml", "{connection: book}", "{connection: bok}", "did you mean 'book'?"),
    (f"{MADE}tools.yaml", "result: many", "reslut: many", "did you mean 'result'?"),
    (f"{MADE}tools.yaml", "{requester}", "{requestor}", "project, requester, today, what"),
    (f"{MADE}tools.yaml", "type: date", "type: dat", "not 'dat'; did you mean 'date'?"),
    (f"{MADE}skills/record.yaml", "tool: add_", "tool: ad_", "did you mean 'add_request'?"),
    (f"{MADE}skills/record.yaml", "what: $what", "wat: $what", "did you mean 'what'?"),
    (f"{MADE}skills/record.yaml", "$needed_by", "$neded_by", "did you mean 'needed_by'?"),
    (f"{MADE}skills/record.yaml", "kind: tool_plan", "kind: toolplan", "mean 'tool_plan'?"),
    (f"{MADE}skills/record.yaml", "decision: first", "decision: frist", "did you mean 'first'?"),
    (f"{MADE}skills/record.yaml", "equals:", "equal:", "unknown check 'equal'; did you mean"),
    (f"{MADE}skills/record.yaml", "{profile.rec", "{profil.rec", "mean 'profile.recorded'?"),
    (f"{MADE}skills/approve.yaml", "deadline: 7d", "deadline: 7 dys", "a duration like 90s, 30m"),
    (f"{MADE}skills/approve.yaml", "type: human_", "type: humn_", "did you mean 'human_review'?"),
    (
        f"{MADE}skills/ask.yaml",
        "provides: [what, needed_by]",
        "provides: [what, needed]",
        "needed_",
    ),
    (f"{MADE}playbook.yaml", "allowed_skills: [ask]", "allowed_skills: ask", "should be a list"),
    (f"{MADE}playbook.yaml", "[ask]", "[aks]", "there is no skill 'aks'; did you mean 'ask'?"),
    (f"{MADE}playbook.yaml", "phases:", "phase:", "unknown key; did you mean 'phases'?"),
    (f"{MADE}playbook.yaml", "minimum: today", "minumum: today", "did you mean 'minimum'?"),
    (f"{MADE}playbook.yaml", "    name: Details", "\tname: Details", "a tab; indent with spaces"),
    (f"{MADE}playbook.yaml", "    name: Details", "   name: Details", "in the column where the"),
    (f"{MADE}playbook.yaml", "    name: Details", "     name: Details", "is indented deeper than"),
    (f"{MADE}playbook.yaml", "name: Details", "name：Details", "'name' stands a Chinese colon"),
    (f"{MADE}playbook.yaml", "project: ", "project：", "'project' stands a Chinese colon"),
    (f"{MADE}playbook.yaml", "name: Details", "name:Details", "after `name:` a space is missing"),
    (f"{MADE}playbook.yaml", "name: Details", "name: First: details", "has to stand in quotes"),
    (f"{MADE}playbook.yaml", "checkpoints: [what]", "checkpoints: [what", "not closed by ]"),
    (f"{MADE}answers.yaml", "text:", "txt:", "txt: unknown key; did you mean 'text'?"),
    (f"{MADE}tests/first.yaml", "tap: approve", "taps: approve", "did you mean 'tap'?"),
    (f"{MADE}tests/first.yaml", "reminded:", "remindd:", "did you mean 'reminded'?"),
    (f"{MADE}tests/first.yaml", "    - robin: {tap", "    - robn: {tap", "did you mean 'robin'?"),
    (f"{MADE}tests/first.yaml", "{add_request: {}}", "{ad_request: {}}", "mean 'add_request'?"),
    (
        f"{MADE}tests/first.yaml",
        "    - robin: {tap",
        "    - {robin: is it there?, expect: {reply: x}}\n    - robin: {tap",
        "a text with `?` at a word's end has to stand in quotes",
    ),
    (f"{ROOM}playbook.yaml", "tool: list_rooms", "tool: list_room", "did you mean 'list_rooms'?"),
    (f"{ROOM}playbook.yaml", "value: id", "value: ids", "no column 'ids'; did you mean 'id'?"),
    (f"{ROOM}playbook.yaml", "$building", "$bulding", "did you mean 'building'?"),
    (
        f"{PARTS}tools.yaml",
        ":pieces, :req",
        ":peces, :req",
        "there are :approver, :approvers, :case, :key, :part",
    ),
    (
        f"{PARTS}skills/issue.yaml",
        "decisions.parts, ch",
        "decision.parts, ch",
        "'decisions.parts'?",
    ),
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `signoff init` makes it, and two of the cookbook."""
    home = tmp_path_factory.mktemp("slips") / "made"
    make_folder(InitOptions(home, None, "Kim", "en", "UTC", "book a pallet in", asks=False))
    for name in ("options", "write"):
        shutil.copytree(ROOT / "examples" / "cookbook" / name, home.parent / name)
    return home.parent


@pytest.mark.parametrize(("file", "old", "new", "told"), SLIPS)
def test_a_slip_is_told_in_a_line_where_it_is(
    file: str, old: str, new: str, told: str, folders: Path
) -> None:
    path = folders / file
    if not file.startswith(("options", "write")):
        path = folders / "made" / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    try:
        problems = wrong_with(folders / path.relative_to(folders).parts[0])
    finally:
        path.write_text(text, encoding="utf-8")
    line = text[: text.index(old)].count("\n") + 1
    mine = [each for each in problems if told in each]
    assert mine, problems
    assert mine[0].startswith(f"{path}:")
    # What is wrong with a call of a tool is told where the call begins.
    assert 0 <= line - int(mine[0].removeprefix(f"{path}:").split(":")[0]) <= 4
    assert len(problems) <= 2, problems


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "languages: [en]\ntimezone: Europe/Berln\n",
            "not 'Europe/Berln'; did you mean 'Europe/Be",
        ),
        ("languages: [english]\ntimezone: UTC\n", ":1: languages: should be some of zh, en"),
        ("languages: [en]\ntime_zone: UTC\n", "did you mean 'timezone'?"),
        ("languages：[en]\ntimezone: UTC\n", ":1: not valid YAML: after 'languages' stands a Chin"),
    ],
)
def test_so_is_one_in_the_file_of_the_folder(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "signoff.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(DefinitionError) as caught:
        project_variables(tmp_path)
    assert told in str(caught.value)
