"""People: one voter with several accounts, strangers without roles, faults by line."""

from pathlib import Path

import pytest

from bot.people import load_people
from cards.model import Review
from engine.errors import DefinitionError
from engine.events import Actor

TEXT = """\
roles:
  - {id: reviewer, zh: 审核员, en: reviewer}
people:
  - {id: ana, name: Ana, web: ana, slack: ["T1:U1"], telegram: ["77"], roles: [reviewer]}
  - {id: bo, name: Bo, web: bo}
"""


def test_every_account_of_a_person_is_the_same_voter(tmp_path: Path) -> None:
    people = load_people(_written(tmp_path))
    actors = [
        Actor(platform="slack", workspace="T1", user="U1"),
        Actor(platform="telegram", workspace="5", user="77"),
        Actor(platform="web", workspace="local", user="ana"),
    ]
    assert {people.principal(actor).id for actor in actors} == {"ana"}


def test_the_same_user_id_of_another_workspace_is_a_stranger(tmp_path: Path) -> None:
    people = load_people(_written(tmp_path))
    stranger = people.principal(Actor(platform="slack", workspace="T2", user="U1", name="X"))
    assert (stranger.id, stranger.roles) == ("slack:T2:U1", ())


def test_homes_are_on_connected_platforms_only(tmp_path: Path) -> None:
    people, review = load_people(_written(tmp_path)), Review(roles=("reviewer",))
    assert people.homes(review) == []
    assert people.connected(["slack"]).homes(review) == ["slack:T1:U1"]
    everywhere = people.connected(["web", "slack", "telegram:5"])
    assert everywhere.homes(review) == ["web:local:main", "slack:T1:U1", "telegram:5:77"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("id: bo", "id: ana", "people.1.id: person 'ana' is listed twice"),
        ("web: bo", "web: ana", "people.1: web:local:ana belongs to 'ana' already"),
        (
            "roles: [reviewer]",
            "roles: [boss]",
            "people.0.roles.0: there is no role 'boss' in this file",
        ),
    ],
)
def test_faults_are_named_where_they_stand(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    with pytest.raises(DefinitionError) as caught:
        load_people(_written(tmp_path, TEXT.replace(old, new)))
    assert [p.split(": ", 1)[1] for p in caught.value.problems] == [problem]


def test_a_missing_file_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="SIGNOFF_PEOPLE"):
        load_people(tmp_path / "nobody.yaml")


def _written(tmp_path: Path, text: str = TEXT) -> Path:
    path = tmp_path / "people.yaml"
    path.write_text(text)
    return path
