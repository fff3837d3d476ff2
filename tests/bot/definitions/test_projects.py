import pytest

from bot.definitions.projects import project_finder

PAIRS = (
    ("slack:T1:C2", "MATTER-7"),
    ("slack:T1", "FIRM"),
    ("slack:T1:C2:17.5", "THREAD"),
    ("web", "WEB"),
)


@pytest.mark.parametrize(
    ("conversation", "project"),
    [
        ("slack:T1:C2", "MATTER-7"),
        ("slack:T1:C2:16.1", "MATTER-7"),
        ("slack:T1:C2:17.5", "THREAD"),
        ("slack:T1:C2:17.55", "MATTER-7"),
        ("slack:T1:C22", "FIRM"),
        ("slack:T11:C2", "SAMPLE"),
        ("telegram:1:2", "SAMPLE"),
        ("web:local:main", "WEB"),
        ("", "SAMPLE"),
    ],
)
def test_the_longest_beginning_up_to_a_colon_counts(conversation: str, project: str) -> None:
    assert project_finder(PAIRS, default=lambda: "SAMPLE")(conversation) == project
