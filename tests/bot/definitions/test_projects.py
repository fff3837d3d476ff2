from bot.definitions.projects import project_finder, shared_project
from engine.playbooks.model import Playbook
from tests.fakes.desk import desk as desk_playbook
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
    assert project_finder(PAIRS, default=lambda: "SAMPLE")(conversation) == project


def test_conversations_are_of_the_only_project() -> None:
    desk, hoists = (playbook_of(name) for name in ("DESK", "GARAGE"))
    assert shared_project([]) == ""
    assert shared_project([desk]) == "DESK"
    assert shared_project([desk, desk]) == "DESK"
    assert shared_project([desk, hoists]) == ""


def playbook_of(project: str) -> Playbook:
    plain = desk_playbook()
    update = {"project": project}
    return plain.model_copy(update={"definition": plain.definition.model_copy(update=update)})
