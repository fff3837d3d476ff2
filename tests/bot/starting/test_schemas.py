"""The JSON Schemas of a folder's files take what the service takes, and refuse what it refuses."""

import json
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from jsonschema import Draft7Validator

from bot.starting.file_kinds import FILE_KINDS, kind_of
from bot.starting.init import InitOptions, make_folder
from bot.starting.schemas import add_schema_line, schema_of, update_folder
from engine.errors import DefinitionError
from engine.yaml.source import read_yaml
from tests.bot.signoff_process import ROOT
from tests.fakes.garage import FILES, write_project
from tests.fakes.tables import table

KINDS = {kind.name: kind for kind in FILE_KINDS}
COOKBOOK = ROOT / "examples" / "cookbook"
FOLDERS = (ROOT / "examples" / "expenses", ROOT / "examples" / "leave", ROOT / "playbooks")


def faults(kind: str, text: str) -> list[str]:
    """What the schema of that kind says of a file."""
    data = read_yaml(text, file="x").data
    return [fault.message for fault in Draft7Validator(schema_of(KINDS[kind])).iter_errors(data)]


def files_of(folder: Path) -> dict[str, str]:
    """The texts of a folder's files by their place; each is of a kind that is known."""
    paths = sorted(p for p in folder.rglob("*.yaml") if ".signoff" not in p.parts)
    return {p.relative_to(folder).as_posix(): p.read_text("utf-8") for p in paths}


def check_files(folder: Path) -> None:
    files = files_of(folder)
    assert files, folder
    for place, text in files.items():
        kind = kind_of(PurePosixPath(place))
        if "playbooks" not in place.split("/") and kind is None and folder.parent == COOKBOOK:
            continue  # a document that a connection names
        assert kind is not None, place
        assert faults(kind.name, text) == [], place


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_file_of_the_samples_is_as_its_schema_says(folder: Path) -> None:
    check_files(folder)


def test_so_are_the_cookbook_the_garage_and_what_is_made(tmp_path: Path) -> None:
    for folder in COOKBOOK.iterdir():
        check_files(folder)
    make_folder(InitOptions(tmp_path / "made", asks=False, zone="UTC"))
    for folder in (tmp_path / "made", write_project(tmp_path / "garage")):
        check_files(folder)
    assert KINDS["skill"] == kind_of(PurePosixPath("skills/ask.yaml"))


@table("kind", KINDS)
def test_a_schema_is_one_and_says_what_its_keys_are(kind: str) -> None:
    schema = schema_of(KINDS[kind])
    Draft7Validator.check_schema(schema)
    assert "description" in json.dumps(schema)


TEST = """
- test: a hoist is booked
  given: {{now: 2026-03-02T09:00}}
  steps:
    - {{{0}}}
"""
RIGHT_STEPS = (
    "bo: hi, expect: {reply: hello, card: {to: bo, values: {bay: 3}}}",
    "bo: {tap: approve}, expect: {called: [{book: {bay: 3}}], votes: 1 of 2, refused: false}",
    "after: 2d, expect: nothing",
)


@pytest.mark.parametrize("step", RIGHT_STEPS)
def test_a_step_of_a_test_is_as_its_schema_says(step: str) -> None:
    assert faults("tests", TEST.format(step)) == []


WRONG: dict[str, tuple[str, ...]] = {
    "signoff": (
        "timezone: UTC\nlanguage: [en]\n",
        "languages: [en]\n",
        "timezone: UTC\nlanguages: en\n",
    ),
    "people": (
        "roles: []\npeople: [{id: a, name: A, slak: []}]\n",
        "roles: []\npeople: [{id: a}]\n",
        "roles: [{id: r}]\npeople: []\n",
        "roles: []\npeople: [{id: a, name: A, telegram: '1'}]\n",
    ),
    "connections": (
        "erp: {kind: htpp, address: 'https://erp.example.com'}\n",
        "erp: {address: 'https://erp.example.com'}\n",
        "erp: {kind: http, adress: 'https://erp.example.com'}\n",
        "erp: {kind: http, address: 'https://erp.example.com', auth: {bearer: secret}}\n",
        "lists: {kind: sql, file: 3}\n",
    ),
    "mcp": ("servers: [{name: a, comand: b}]\n", "servers: [{name: 'a b', command: b}]\n"),
    "playbook": (
        FILES["hoists/playbook.yaml"].replace("cues:", "cue:", 1),
        FILES["hoists/playbook.yaml"].replace("type: date", "type: day"),
        FILES["hoists/playbook.yaml"].replace("identity: true", "identity: maybe"),
        FILES["hoists/playbook.yaml"].replace("checkpoints: [bay, day]", "checkpoints: bay"),
    ),
    "skill": (
        FILES["hoists/skills/approve-booking.yaml"].replace("human_review", "human_reveiw"),
        FILES["hoists/skills/approve-booking.yaml"].replace("kind: sop", "kind: sopp"),
        FILES["hoists/skills/approve-booking.yaml"].replace(
            "[foreman]", "[foreman], deadline: soon"
        ),
        FILES["hoists/skills/ask-booking.yaml"].replace("fields:", "field:"),
    ),
    "tools": (
        FILES["hoists/tools.yaml"].replace("sql:", "sqll:", 1),
        FILES["hoists/tools.yaml"].replace("result: many", "result: several"),
        FILES["hoists/tools.yaml"].replace("find_hoist:", "Find-Hoist:"),
    ),
    "answers": ("a: {text: x}\n", "a: {examples: [x], txt: y}\n"),
    "tests": (
        TEST.format("bo: {taps: approve}"),
        TEST.format("bo: hi, expect: {crad: {}}"),
        TEST.format("bo: hi, expect: {end: dnoe}"),
        TEST.format("bo: hi, expect: {card: {to: 3}}"),
        TEST.format("after: 2d, expect: nothin"),
        TEST.format("after: soon"),
        TEST.format("bo: hi").replace("steps", "step"),
        TEST.format("bo: hi").replace("now", "nov"),
        TEST.format("bo: hi").replace("- test", "- tset"),
        "given: {}\ntest: []\n",
    ),
    "talk": ("smalltalk: [hi]\nquestions: [x]\n",),
    "legacy": ("over: {a: {tools: x}}\n",),
}


@table(("kind", "text"), [(kind, text) for kind, texts in WRONG.items() for text in texts])
def test_what_is_wrong_is_refused(kind: str, text: str) -> None:
    assert faults(kind, text) != []


def test_each_kind_has_a_file_that_is_refused() -> None:
    assert WRONG.keys() == KINDS.keys()


def test_a_file_names_its_schema_once_and_where_it_is() -> None:
    place = "playbooks/hoists/skills/ask.yaml"
    once = add_schema_line(place, "id: ask\n")
    assert once == "# yaml-language-server: $schema=../../../.signoff/schema/skill.json\nid: ask\n"
    assert add_schema_line(place, once) == once
    assert add_schema_line("notes.yaml", "a: 1\n") == "a: 1\n"
    assert add_schema_line("README.md", "# x\n") == "# x\n"


def test_a_folder_of_before_gets_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DefinitionError, match="is no project folder"):
        update_folder(tmp_path)
    project = write_project(tmp_path / "garage")
    before = files_of(project)
    assert update_folder(project) == 0
    assert files_of(project) == before
    assert f"{len(before)} files do not name theirs" in capsys.readouterr().out
    update_folder(project, lines=True)
    for place, text in files_of(project).items():
        first, rest = text.split("\n", 1)
        named = first.removeprefix("# yaml-language-server: $schema=")
        assert json.loads((project / place).parent.joinpath(named).read_text("utf-8"))["$schema"]
        assert rest == before[place]


def keys_without_words(schema: dict[str, Any]) -> set[str]:
    """`Model.key` of every key that says nothing of itself."""
    models = {**schema.get("$defs", {}), schema.get("title", ""): schema}
    return {
        f"{name}.{key}"
        for name, model in models.items()
        for key, told in model.get("properties", {}).items()
        if "description" not in told
    }
