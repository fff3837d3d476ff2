"""What the examples of a request give its forms, in a couriers' folder."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.operate.routing import lint_examples
from tests.fakes.settings import make_settings

PEOPLE = """\
roles: [{id: rider, name: Rider}]
people:
  - {id: ida, name: Ida, roles: [rider], web: ida}
  - {id: tom, name: Tom, roles: [rider], web: tom}
"""
PLAYBOOK = """\
id: ride
name: Book a ride
project: P-1
cues: [book, ride]
entities:
  van: {name: Van, pattern: 'V-[0-9]{3}'}
requests:
  - id: ride
    name: Book a ride
    examples: [EXAMPLES]
data_fields:
  van: {label: Van, type: entity, entity: van, identity: true}
  driver: {label: Driver, type: person, cues: [driven by]}
  day: {label: Day, type: date}
  load: {label: Load, cues: [LOAD], required: false}
phases:
  - id: details
    name: Details
    goal: It is known
    allowed_skills: [ask]
    checkpoints: [van]
"""
ASK = """\
id: ask
name: Details
description: Asks what is missing
category: intake
kind: prompt
provides: [van, driver, day, load]
ask:
  title: The ride
  text: 'Which van, and when?'
  fields: [van, driver, day, load]
"""
PLAIN = "book V-101 on 3 May, driven by Ida"


def make_folder(tmp_path: Path, *, examples: str, load: str = "carrying") -> Path:
    folder = tmp_path / "rides"
    (folder / "playbooks" / "ride" / "skills").mkdir(parents=True)
    (folder / "signoff.yaml").write_text("languages: [en]\ntimezone: UTC\n", "utf-8")
    (folder / "people.yaml").write_text(PEOPLE, "utf-8")
    playbook = PLAYBOOK.replace("EXAMPLES", examples).replace("LOAD", load)
    (folder / "playbooks" / "ride" / "playbook.yaml").write_text(playbook, "utf-8")
    (folder / "playbooks" / "ride" / "skills" / "ask.yaml").write_text(ASK, "utf-8")
    return folder


Told = Callable[[Path], tuple[list[str], list[dict[str, str]]]]


@pytest.fixture
def told_of(capsys: pytest.CaptureFixture[str]) -> Told:
    """The lines about forms, and the same as data."""

    def told(folder: Path) -> tuple[list[str], list[dict[str, str]]]:
        settings = make_settings(playbooks=folder / "playbooks", people=folder / "people.yaml")
        assert lint_examples(settings, only="ride") == 0
        lines = capsys.readouterr().out.splitlines()
        assert lint_examples(settings, only="ride", as_json=True) == 0
        listed = json.loads(capsys.readouterr().out)
        of_forms = [line for line in lines if "cue '" in line or "fills nothing" in line]
        return of_forms, [each for each in listed if "cue" in each]

    return told


def test_a_short_cue_that_swallows_its_neighbours_is_told(told_of: Told, tmp_path: Path) -> None:
    swallowed = "book a ride for V-102 on 4 May"
    folder = make_folder(tmp_path, examples=f"{PLAIN!r}, '{swallowed}'", load="for, carrying")
    lines, listed = told_of(folder)
    assert lines == [
        f"ride/ride: load takes 'V-102' by its cue 'for' of {swallowed!r}: "
        "what follows a cue is taken to the end of its clause; take another cue, or none"
    ]
    assert listed == [
        {
            "group": "ride/ride",
            "text": swallowed,
            "field": "load",
            "took": "V-102",
            "cue": "for",
            "unused": "",
        }
    ]


def test_a_text_that_has_the_id_of_another_field_is_told(told_of: Told, tmp_path: Path) -> None:
    crowded = "book a ride carrying V-103 crates"
    folder = make_folder(tmp_path, examples=f"{PLAIN!r}, '{crowded}'")
    lines, listed = told_of(folder)
    assert [each["field"] for each in listed] == ["load"]
    assert len(lines) == 1


def test_an_example_that_fills_nothing_although_it_has_values_is_told(
    told_of: Told,
    tmp_path: Path,
) -> None:
    two = "book V-101 and V-102"
    folder = make_folder(tmp_path, examples=f"{PLAIN!r}, '{two}'")
    lines, listed = told_of(folder)
    assert [line.partition(" fills")[0] for line in lines] == [f"ride/ride: {two!r}"]
    assert [each["text"] for each in listed] == [two]


@pytest.mark.parametrize(
    "examples",
    [f"{PLAIN!r}", f"{PLAIN!r}, 'I need a ride', 'book a van, driven by V-102 on 4 May'"],
)
def test_nothing_is_told_where_values_reach_the_form(
    told_of: Told, tmp_path: Path, examples: str
) -> None:
    folder = make_folder(tmp_path, examples=examples)
    assert told_of(folder) == ([], [])
