"""`signoff people add` and `import`: people.yaml gets longer, and all else of it stays."""

from pathlib import Path

import pytest

from adapters.filesystem import read_text
from bot.people.edit import add_person, change_person, remove_person
from engine.errors import DefinitionError
from tests.bot.signoff_process import PLAYBOOKS, ended
from tests.fakes.settings import load_people
from tests.fakes.tables import table

TEXT = """\
# Who is who at the depot.
roles:
  - {id: clerk, zh: 文员, en: clerk}   # counts
  - {id: boss, zh: 主管, en: boss}

people:
  # The counter.
  - id: ana
    name: Ana        # since May
    slack: ["T0TRIAL:U0ANA"]
    roles: [clerk]

  - {id: bo, name: Bo, telegram: ["2002"], roles: [boss], manager: ana}
admit: {ask: Ana}
"""


def depot(folder: Path, text: str = TEXT) -> dict[str, str]:
    (folder / "people.yaml").write_text(text)
    return {"SIGNOFF_PEOPLE": str(folder / "people.yaml")}


def lines_gone(before: str, after: str) -> list[str]:
    return [line for line in before.splitlines() if line not in after.splitlines()]


async def test_a_person_is_added_and_nothing_else_changes(tmp_path: Path) -> None:
    settings = depot(tmp_path)
    words = ("--name", "Cy: the 3rd", "--role", "clerk", "--role", "boss", "--telegram", "3003")
    more = ("--slack", "T0TRIAL:U0CY", "--email", "cy@depot.example", "--zone", "Europe/Berlin")
    told = await ended(tmp_path, "people", "add", "cy", *words, *more, **settings)
    assert (told.status, told.err) == (0, "")
    after = (tmp_path / "people.yaml").read_text()
    assert lines_gone(TEXT, after) == []
    assert after.index("id: cy") > after.index("id: bo")
    cy = load_people(tmp_path / "people.yaml").people[2]
    assert (cy.id, cy.name, cy.roles) == ("cy", "Cy: the 3rd", ("clerk", "boss"))
    assert (cy.email, cy.zone) == ("cy@depot.example", "Europe/Berlin")
    assert cy.accounts_on("telegram") == ("3003",)
    assert cy.accounts_on("slack") == ("T0TRIAL:U0CY",)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("ana", "--name", "Ana"), "ana: is in"),
        (("cy", "--name", "Cy", "--role", "bos"), "did you mean 'boss'?"),
        (("cy", "--name", "Cy", "--slack", "T0TRIAL:U0ANA"), "belongs to 'ana' already"),
        (("cy", "--name", "Cy", "--telegram", "@cy"), "is no Telegram user id"),
        (("cy", "--name", "Cy", "--email", "cy"), "is no e-mail address"),
        (("cy", "--name", "Cy", "--manager", "an"), "there is no person 'an'"),
    ],
)
async def test_who_does_not_fit_is_refused_and_nothing_is_written(
    words: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    told = await ended(tmp_path, "people", "add", *words, **depot(tmp_path))
    assert told.status == 2
    assert why in told.err
    assert (tmp_path / "people.yaml").read_text() == TEXT


TABLE = """\
id,name,roles,telegram,email
ana,Ana,clerk;boss,,Ana@depot.example
bo,Bo,boss,2002,
cy,"Cy, the third",clerk,3003,cy@depot.example
"""


async def test_a_table_is_shown_first_and_then_imported(tmp_path: Path) -> None:
    settings = depot(tmp_path)
    (tmp_path / "staff.csv").write_text(TABLE)
    dry = await ended(tmp_path, "people", "import", "staff.csv", "--dry-run", **settings)
    shown = [
        "change ana: roles: clerk -> clerk, boss; email: nothing -> Ana@depot.example",
        "add cy (Cy, the third)",
        "1 as they are",
    ]
    assert (dry.status, dry.out.splitlines(), dry.err) == (0, shown, "")
    assert (tmp_path / "people.yaml").read_text() == TEXT
    told = await ended(tmp_path, "people", "import", "staff.csv", **settings)
    assert told.out.splitlines()[:3] == shown
    after = (tmp_path / "people.yaml").read_text()
    assert lines_gone(TEXT, after) == ["    roles: [clerk]"]
    ana, bo, cy = load_people(tmp_path / "people.yaml").people
    assert (ana.roles, ana.email, ana.accounts_on("slack")) == (
        ("clerk", "boss"),
        "Ana@depot.example",
        ("T0TRIAL:U0ANA",),
    )
    assert (bo.manager, cy.name) == ("ana", "Cy, the third")
    again = await ended(tmp_path, "people", "import", "staff.csv", **settings)
    assert again.out == "3 as they are\n"
    assert (tmp_path / "people.yaml").read_text() == after


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("id,nmae\ncy,Cy\n", "staff.csv:1: 'nmae' is no column; did you mean 'name'?"),
        ("name\nCy\n", "there is no column 'id'"),
        ("id,name\n,Cy\n", "staff.csv:2: has no id"),
        ("id,name\ncy,Cy\ncy,Cy\n", "staff.csv:3: cy stands twice"),
        ("id,roles\ncy,clerk\n", "cy: has no name"),
        ("id,name,roles\ncy,Cy,chief\n", "there is no role 'chief'"),
        ("id;name;telegram\ncy;Cy;2002\n", "telegram:2002 belongs to"),
    ],
)
async def test_a_table_with_a_fault_changes_nothing(table: str, why: str, tmp_path: Path) -> None:
    settings = depot(tmp_path)
    (tmp_path / "staff.csv").write_text(table)
    told = await ended(tmp_path, "people", "import", "staff.csv", **settings)
    assert (told.status, told.out) == (2, "")
    assert why in told.err
    assert (tmp_path / "people.yaml").read_text() == TEXT


@table(
    "text",
    [
        TEXT,
        TEXT.rstrip("\n"),
        TEXT.replace("\nadmit: {ask: Ana}\n", ""),
        "roles: []\npeople: []  # nobody yet\n",
        "roles: []\npeople: [{id: ana, name: Ana}, {id: bo, name: Bo}]\n",
        "roles: []\npeople:\n- id: ana\n  name: Ana\n  delegate:\n    person: bo\n- id: bo\n"
        "  name: |\n    Bo\n# the end\n",
    ],
)
def test_whoever_is_added_can_be_changed_and_taken_out(text: str) -> None:
    added = add_person(text, {"id": "cy", "name": "null", "roles": ["-x", "1:30"]})
    changed = change_person(added, "cy", {"name": "Cy #2", "zone": "Europe/Berlin"})
    changed = change_person(changed, "cy", {"roles": []})
    is_flow = "people: [" in text
    assert is_flow or lines_gone(text, changed) == []
    assert remove_person(changed, "cy").split() == text.split()


def test_the_only_person_can_go() -> None:
    text = "people:\n  - id: ana\n    name: Ana\n# done\nroles: []\n"
    assert remove_person(text, "ana") == "people: []\n# done\nroles: []\n"


def test_what_cannot_be_changed_without_harm_is_left_to_the_hand() -> None:
    text = "people:\n  - id: ana\n    roles:\n      - clerk  # on Mondays\n      - boss\n"
    with pytest.raises(DefinitionError, match="by hand"):
        change_person(text, "ana", {"roles": ["boss"]})


def test_the_sample_file_keeps_all_of_its_comments() -> None:
    text = read_text(PLAYBOOKS / "people.yaml")
    after = add_person(text, {"id": "sun", "name": "孙磊 / Sun Lei", "roles": ["crc"]})
    assert lines_gone(text, after) == []
    assert remove_person(after, "sun").split() == text.split()
