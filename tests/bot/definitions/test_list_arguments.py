"""A plan that gives a whole list to an argument of one value: nobody could do what was approved."""

import shutil
from pathlib import Path

from bot.operate.validation import find_problems
from tests.conftest import ROOT
from tests.fakes.settings import make_settings

OLD = "part: {label: Part, identity: true}"
LIST = "part: {label: Part, type: list, columns: {name: {label: Name}}}"


def test_a_list_for_a_text_is_told_when_the_folder_is_checked(tmp_path: Path) -> None:
    made = Path(shutil.copytree(ROOT / "examples" / "cookbook" / "write", tmp_path / "bot"))
    playbook = made / "playbooks" / "parts" / "playbook.yaml"
    text = playbook.read_text("utf-8")
    assert OLD in text
    playbook.write_text(text.replace(OLD, LIST), "utf-8")
    settings = make_settings(
        playbooks=made / "playbooks",
        people=made / "people.yaml",
        connections=made / "connections.yaml",
    )
    (told,) = find_problems(settings)
    fault = "is a list, and 'part' is of type text; for_each: part calls for each row"
    assert told.endswith(f"plan.calls.0.arguments.part: {fault}")
