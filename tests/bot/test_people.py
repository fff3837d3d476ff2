"""People: one voter with several accounts, strangers without roles, faults by line."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.people.directory import load_people as load
from cards.model import Review
from engine.errors import DefinitionError
from engine.events import Actor
from engine.ports.accounts import AccountRules
from tests.fakes.settings import load_people

TEXT = """\
roles:
  - {id: reviewer, zh: 审核员, en: reviewer}
people:
  - {id: ana, name: Ana, web: ana, slack: ["T1:U1"], telegram: ["77"], roles: [reviewer]}
  - {id: bo, name: Bo, web: bo}
"""
ZONE = "is no time zone; write an IANA name as in Europe/Berlin"
ACCOUNT = "is no Slack account; write TEAM:USER as in T0EXAMPLE1:U0EXAMPLE1"
NUMBER = 'is no Telegram user id; write the number, as in "100000001"; a user name can change hands'
GROUP = "is no Slack user group; write TEAM:GROUP as in T0EXAMPLE1:S0EXAMPLE1"
TO = "people.1.delegate.person"


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
    assert people.reviewer_homes(review) == []
    assert replace(people, platforms=["slack"]).reviewer_homes(review) == ["slack:T1:U1"]
    everywhere = replace(people, platforms=["web", "slack", "telegram:5"])
    assert everywhere.reviewer_homes(review) == ["web:local:main", "slack:T1:U1", "telegram:5:77"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("id: bo", "id: ana", "people.1.id: person 'ana' is listed twice"),
        ("web: bo", "web: ana", "people.1: web:local:ana belongs to 'ana' already"),
        (
            "roles: [reviewer]",
            "roles: [boss]",
            "people.0.roles.0: there is no role 'boss' in this file; known here: reviewer",
        ),
        (
            "roles: [reviewer]",
            "roles: [reviwer]",
            "people.0.roles.0: there is no role 'reviwer' in this file; did you mean 'reviewer'?",
        ),
        ("web: bo", "zone: Berlin", f"people.1.zone: {ZONE}"),
        ('"T1:U1"', '"U1"', f"people.0.slack.0: {ACCOUNT}"),
        ('"T1:U1"', '"T1:@ana"', f"people.0.slack.0: {ACCOUNT}"),
        ('"77"', '"@ana"', f"people.0.telegram.0: {NUMBER}"),
        ("web: bo", "delegate: {person: bo}", f"{TO}: nobody can delegate to themselves"),
        ("web: bo", "manager: bo", "people.1.manager: nobody is their own manager"),
        (
            "web: bo",
            "manager: anna",
            "people.1.manager: there is no person 'anna' in this file; did you mean 'ana'?",
        ),
        (
            "web: bo",
            "delegate: {person: anna}",
            f"{TO}: there is no person 'anna' in this file; did you mean 'ana'?",
        ),
        (
            "web: bo",
            "delegate: {person: ana, until: tomorrow}",
            "people.1.delegate.until: should be a date like 2026-01-31, not 'tomorrow'",
        ),
        ("en: reviewer}", "en: reviewer, slack_group: S1}", f"roles.0.slack_group: {GROUP}"),
    ],
)
def test_faults_are_named_where_they_stand(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    with pytest.raises(DefinitionError) as caught:
        load_people(_written(tmp_path, TEXT.replace(old, new)))
    assert [p.split(": ", 1)[1] for p in caught.value.problems] == [problem]


def test_a_circle_of_delegates_is_told_once(tmp_path: Path) -> None:
    people = "".join(
        f"  - {{id: {one}, name: X, delegate: {{person: {other}}}}}\n"
        for one, other in (("a", "b"), ("b", "c"), ("c", "b"), ("d", "d2"), ("d2", "d"))
    )
    with pytest.raises(DefinitionError) as caught:
        load_people(_written(tmp_path, f"roles: []\npeople:\n{people}"))
    told = [problem.split(": ", 2)[2] for problem in caught.value.problems]
    assert told == ["delegates in a circle: b -> c -> b", "delegates in a circle: d -> d2 -> d"]


def test_a_delegate_with_a_last_day_is_read(tmp_path: Path) -> None:
    text = TEXT.replace("web: bo", "delegate: {person: ana, until: 2026-12-31}")
    (_, bo) = load_people(_written(tmp_path, text)).people
    assert bo.delegate is not None
    assert (bo.delegate.person, str(bo.delegate.until)) == ("ana", "2026-12-31")


GROUPS = """\
roles:
  - {id: reviewer, zh: 审核员, en: reviewer, slack_group: "T1:S1"}
  - {id: crc, zh: 协调员, en: coordinator}
people:
  - {id: ana, name: Ana, slack: ["T1:U1"], telegram: ["77"], roles: [crc]}
  - {id: bo, name: Bo, slack: ["T1:U2"]}
"""


def test_members_of_a_slack_group_hold_its_role_wherever_they_tap(tmp_path: Path) -> None:
    found = {"T1:S1": frozenset({"T1:U1", "T1:U9"})}
    people = load_people(_written(tmp_path, GROUPS))
    people = replace(people, platforms=["slack"], members=found.__getitem__)
    ana = people.principal(Actor(platform="telegram", workspace="5", user="77"))
    assert (ana.id, ana.roles) == ("ana", ("crc", "reviewer"))
    stranger = people.principal(Actor(platform="slack", workspace="T1", user="U9", name="Xu"))
    assert (stranger.id, stranger.name, stranger.roles) == ("slack:T1:U9", "Xu", ("reviewer",))
    elsewhere = people.principal(Actor(platform="slack", workspace="T2", user="U9"))
    assert elsewhere.roles == ()
    assert [p.id for p in people.holders(["reviewer"])] == ["ana", "slack:T1:U9"]
    assert people.reviewer_homes(Review(roles=("reviewer",))) == ["slack:T1:U1", "slack:T1:U9"]
    # Taken out of the group: at once without the role.
    found["T1:S1"] = frozenset()
    assert people.principal(Actor(platform="slack", workspace="T1", user="U1")).roles == ("crc",)
    assert people.holders(["reviewer"]) == []


def test_without_resolved_members_a_group_gives_nobody_its_role(tmp_path: Path) -> None:
    people = load_people(_written(tmp_path, GROUPS))
    assert people.principal(Actor(platform="slack", workspace="T1", user="U1")).roles == ("crc",)
    # A gate with this role can be loaded all the same: members are known only when it runs.
    assert people.held_roles == {"crc", "reviewer"}


def test_a_missing_file_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="SIGNOFF_PEOPLE"):
        load_people(tmp_path / "nobody.yaml")


def _written(tmp_path: Path, text: str = TEXT) -> Path:
    path = tmp_path / "people.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("admit", "problem"),
    [
        ("{platforms: [slak]}", "admit.platforms.0: there is no platform 'slak'; did you mean"),
        ("{workspaces: [acme]}", "admit.workspaces.0: is no Slack workspace; write T0EXAMPLE1"),
        ("{roles: [revewer]}", "admit.roles.0: there is no role 'revewer' in this file; did"),
        ("{roles: [reviewer]}", "admit.roles.0: role 'reviewer' has no slack_group, so only"),
        ("{everybody: true}", "admit.everybody: "),
    ],
)
def test_what_an_admission_cannot_be_is_told_where_it_stands(
    tmp_path: Path, admit: str, problem: str
) -> None:
    path = tmp_path / "people.yaml"
    path.write_text(f"{TEXT}admit: {admit}\n")
    with pytest.raises(DefinitionError) as raised:
        load_people(path)
    (told,) = raised.value.problems
    assert problem in told


@pytest.mark.parametrize(
    ("admit", "shut_out"),
    [
        ("{}", ("lines",)),
        ("{platforms: [lines]}", ()),
        ("{workspaces: [T0EXAMPLE1]}", ("lines",)),
    ],
)
def test_platforms_on_which_nobody_may_ask_are_known(
    tmp_path: Path, admit: str, shut_out: tuple[str, ...]
) -> None:
    path = tmp_path / "people.yaml"
    path.write_text(f"{TEXT}admit: {admit}\n")
    forms = {"web": "", "slack": ".+", "telegram": ".+", "lines": ""}
    people = load(path, {name: AccountRules(name, form) for name, form in forms.items()})
    assert people.closed_platforms(["slack", "telegram", "web", "lines"]) == shut_out


def test_who_left_the_file_or_joined_it_is_who_they_are_today(tmp_path: Path) -> None:
    actor = Actor(platform="slack", workspace="T1", user="U1")
    ana = load_people(_written(tmp_path)).principal(actor)
    assert ana.roles == ("reviewer",)
    renamed = load_people(_written(tmp_path, TEXT.replace("id: ana", "id: anna")))
    assert renamed.refresh(ana).id == "anna"
    without = load_people(_written(tmp_path, TEXT.replace('slack: ["T1:U1"], ', "")))
    assert without.refresh(ana).ids >= {"ana", "slack:T1:U1"}
    stranger = without.principal(actor)
    assert (stranger.id, without.is_admitted(stranger)) == ("slack:T1:U1", False)
    assert load_people(_written(tmp_path)).refresh(stranger).id == "ana"
