"""By which words the forms of a request ask for a day, as its files say."""

from pathlib import Path

from bot.definitions.loader import load_definitions
from bot.wiring.connections import load_connections
from tests.fakes.settings import make_settings

PLAYBOOK = """\
id: garden
name: Garden
project: GREEN
cues: [rent, give]
requests:
  - {id: rent, name: Rent a bed, examples: [rent a bed, rent bed B-1 until Friday], phases: [out]}
  - {id: give, name: Give a bed up, examples: [give a bed up, give bed B-1 up], phases: [back]}
data_fields:
  bed: {label: Bed, cues: [bed]}
  last: {label: Last day, type: date, cues: [Until, till]}
profile_fields: {asked: {label: Asked}}
phases:
  - {id: out, name: Out, goal: known, allowed_skills: [rent],
    gate_field: profile.asked, gate_value: "yes"}
  - {id: back, name: Back, goal: known, allowed_skills: [give],
    gate_field: profile.asked, gate_value: "yes"}
"""
SKILL = """\
id: {id}
name: {id}
description: Asks
category: intake
kind: prompt
provides: [{fields}, profile.asked]
sets: {{profile.asked: "yes"}}
ask: {{title: Bed, text: Which, fields: [{fields}]}}
"""


def test_a_request_has_the_cues_of_the_days_that_its_own_forms_ask_for(tmp_path: Path) -> None:
    folder = tmp_path / "playbooks"
    skills = folder / "garden" / "skills"
    skills.mkdir(parents=True)
    (folder / "garden" / "playbook.yaml").write_text(PLAYBOOK, "utf-8")
    for id_, fields in (("rent", "bed, last"), ("give", "bed")):
        (skills / f"{id_}.yaml").write_text(SKILL.format(id=id_, fields=fields), "utf-8")
    people = tmp_path / "people.yaml"
    people.write_text("roles: []\npeople:\n  - {id: nina, name: Nina, web: nina}\n", "utf-8")
    (tmp_path / "signoff.yaml").write_text("languages: [en]\ntimezone: Europe/Berlin\n", "utf-8")
    settings = make_settings(playbooks=folder, people=people)
    table = load_definitions(settings, load_connections(settings).toolbox).route_table()
    assert table.day_cues == {
        "garden/rent": frozenset({"until", "till"}),
        "garden/give": frozenset(),
    }
