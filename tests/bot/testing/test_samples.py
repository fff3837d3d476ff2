"""The samples' own tests pass, and reach all of them."""

import pytest

from bot.testing.reach import points_of, unreached
from tests.bot.testing.conftest import FolderPlayer, told
from tests.conftest import ROOT

UNREACHED: dict[str, set[str]] = {
    "examples/expenses": set(),
    "examples/leave": set(),
    "playbooks": {
        # A form takes an ECOG from 0 to 5 only, and asks for both parties, before a rule does.
        "rule visit-check ranges 2",
        "rule visit-review as_edited 1",
        "rule intake-check rules 1",
        "rule intake-check rules 2",
        # Both rules of that node only warn.
        "branch draft-review names on_fail",
        "skill matter-search",
    },
}
"""What the tests of a sample do not reach, by kind and names."""


@pytest.mark.parametrize("sample", UNREACHED)
async def test_the_tests_of_a_sample_pass_and_reach_it(
    sample: str, play_folder: FolderPlayer
) -> None:
    played = await play_folder(ROOT / sample)
    assert [each for each in played if not each.passed] == [], told(played)
    reached = {key for each in played for key in each.reached}
    assert play_folder.folder is not None
    points = points_of(play_folder.folder)
    missed = {line.split(": ", 1)[1] for line in unreached(points, reached)}
    assert missed == UNREACHED[sample]


def test_the_example_of_the_page_is_shipped() -> None:
    path = ROOT / "examples/expenses/playbooks/expenses/tests/claims.yaml"
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    assert f"```yaml\n{path.read_text(encoding='utf-8')}```" in page
