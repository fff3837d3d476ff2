"""Whose a conversation is, what serves a project, and where a run belongs."""

import pytest

from engine.ports.projects import Project
from engine.projects import NO_PROJECTS, ProjectBook
from engine.text.language import LocalizedText


def project(name: str, *playbooks: str, removed: bool = False) -> Project:
    title = LocalizedText({"en": name.title(), "zh": "项目"})
    return Project(id=name, name=title, playbooks=playbooks, removed=removed)


LISTED = (project("yard"), project("mole", "dredge"), project("old", removed=True))
BOOK = ProjectBook(
    projects={each.id: each for each in LISTED},
    bound={"chat:T1": "yard", "chat:T1:C2": "mole"},
    default="office",
)


def test_the_longest_beginning_that_is_bound_says_whose_a_conversation_is() -> None:
    found = {
        place: BOOK.of(place)
        for place in ("chat:T1:C2", "chat:T1:C2:17", "chat:T1:C22", "chat:T1", "chat:T10:C2", "")
    }
    assert found == {
        "chat:T1:C2": "mole",
        "chat:T1:C2:17": "mole",
        "chat:T1:C22": "yard",
        "chat:T1": "yard",
        "chat:T10:C2": "office",
        "": "office",
    }
    assert BOOK.is_bound("chat:T1:C22")
    assert not BOOK.is_bound("chat:T10:C2")


def test_a_workspace_that_knows_of_no_other_has_a_project_of_its_own() -> None:
    book = ProjectBook(
        bound={"chat:T1": "yard"}, default="office", tenant=lambda c: f"own-{c[5:7]}"
    )
    assert [book.of(place) for place in ("chat:T1:C2", "chat:T2:C2")] == ["yard", "own-T2"]
    assert book.is_bound("chat:T2:C2")


@pytest.mark.parametrize(
    ("where", "playbook", "own", "belongs"),
    [
        ("chat:T1", "survey", "", "yard"),
        ("chat:T1:C2", "dredge", "", "mole"),
        # The project does not list it.
        ("chat:T1:C2", "survey", "", None),
        # It is of another project alone, and somebody said whose the place is.
        ("chat:T1:C2", "dredge", "yard", None),
        ("chat:T1", "survey", "yard", "yard"),
        # Nobody said whose the place is.
        ("chat:T9", "survey", "yard", "yard"),
        ("chat:T9", "survey", "", "office"),
        ("chat:T9", "survey", "mole", None),
    ],
)
def test_a_run_belongs_to_the_places_project_or_its_playbooks(
    where: str, playbook: str, own: str, belongs: str | None
) -> None:
    assert BOOK.run_project(where, playbook, own) == belongs


def test_where_no_project_is_known_everything_serves() -> None:
    assert NO_PROJECTS.of("chat:T1") == ""
    assert NO_PROJECTS.run_project("chat:T1", "survey", "") == ""
    assert NO_PROJECTS.run_project("chat:T1", "survey", "yard") == "yard"
    assert NO_PROJECTS.serves("", "survey", "yard")
    assert not NO_PROJECTS.serves("mole", "survey", "yard")


def test_what_was_removed_is_nobodys_choice_and_keeps_its_name() -> None:
    assert [each.id for each in BOOK.choices] == ["yard", "mole"]
    assert list(BOOK.runs_in("survey", "")) == ["yard"]
    assert list(BOOK.runs_in("dredge", "mole")) == ["mole"]
    assert (BOOK.name("old", "zh"), BOOK.name("else", "zh")) == ("项目", "else")
