from bot.definitions.projects import shared_project
from engine.projects import ProjectBook
from tests.fakes.tables import table

PAIRS = (
    ("slack:T1:C2", "MATTER-7"),
    ("slack:T1", "FIRM"),
    ("slack:T1:C2:17.5", "THREAD"),
    ("web", "WEB"),
)


@table(
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
    book = ProjectBook(projects={}, bound=dict(PAIRS), default="SAMPLE")
    assert book.of(conversation) == project


def test_conversations_are_of_the_only_project() -> None:
    assert shared_project(["DESK"], []) == "DESK"
    assert shared_project(["DESK", "DESK"], []) == "DESK"
    assert shared_project(["DESK", "GARAGE"], []) == ""
