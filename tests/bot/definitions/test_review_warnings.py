"""Reviews that are no fault, and may yet not be meant: `signoff validate` warns of them."""

import shutil
from pathlib import Path

import pytest

from bot.operate.validation import find_problems, find_warnings
from tests.conftest import ROOT
from tests.fakes.settings import make_settings

OLD = "review: {roles: [lead], may_edit: [hours]}"
AT = "sop.nodes.sign.review"


def warned(tmp_path: Path, review: str, leads: int = 2) -> list[str]:
    """What is warned of in the cookbook's folder with that review, and so many leads."""
    made = Path(shutil.copytree(ROOT / "examples" / "cookbook" / "correct", tmp_path / "bot"))
    skill = made / "playbooks" / "hours" / "skills" / "approve.yaml"
    text = skill.read_text("utf-8")
    assert OLD in text
    skill.write_text(text.replace(OLD, review), "utf-8")
    people = made / "people.yaml"
    lines = people.read_text("utf-8").split("roles: [lead]")
    kept = "roles: [lead]".join(lines[: leads + 1])
    people.write_text("roles: []".join((kept, *lines[leads + 1 :])), "utf-8")
    settings = make_settings(playbooks=made / "playbooks", people=people)
    assert find_problems(settings) == []
    return [told.partition(": ")[2] for told in find_warnings(settings)]


def test_two_who_may_decide_are_enough_to_edit(tmp_path: Path) -> None:
    assert warned(tmp_path, OLD) == []


def test_edit_is_never_offered_to_the_only_one_who_decides(tmp_path: Path) -> None:
    (told,) = warned(tmp_path, OLD, leads=1)
    assert told.startswith(f"{AT}.may_edit: is never offered: nobody but")


def test_without_four_eyes_the_only_one_approves_what_they_changed(tmp_path: Path) -> None:
    review = OLD.replace("}", ", four_eyes: false, hand_over: false}")
    assert warned(tmp_path, review, leads=1) == []


def test_without_four_eyes_a_seat_may_be_given_to_who_asked(tmp_path: Path) -> None:
    (told,) = warned(tmp_path, "review: {roles: [lead], four_eyes: false}")
    assert told.startswith(f"{AT}.four_eyes: lets whoever decides hand it over to who asked")


@pytest.mark.parametrize("said", ["true", "false"])
def test_whoever_says_so_means_it(tmp_path: Path, said: str) -> None:
    assert warned(tmp_path, f"review: {{roles: [lead], four_eyes: false, hand_over: {said}}}") == []
