"""What is wrong with a playbook's own tools is told when it is loaded, where it stands."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from adapters.connections.http.connection import HttpConnection
from adapters.connections.http.model import HttpSettings
from adapters.connections.sql.model import SqlSettings
from adapters.connections.sql.sqlite import SqliteConnection
from engine.errors import DefinitionError
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.toolbox.toolbox import Toolbox
from tests.engine.playbooks.tool_cases import CASES, ELSEWHERE, TOOLS
from tests.fakes.garage import FILES
from tests.fakes.tables import table

GARAGE = HttpConnection("garage", HttpSettings(address="http://127.0.0.1:9"))
REST = {name: text for name, text in FILES.items() if name.startswith("hoists/")}


def loaded(tools: str, connections: Mapping[str, Any] | None = None) -> Playbook:
    files = {**REST, "hoists/tools.yaml": tools}
    known = {"garage": GARAGE} if connections is None else connections
    return load(files, roles=None, held=None, tools=Toolbox().facts, connections=known)


def test_sound_tools_are_part_of_the_playbook_and_its_digest(tmp_path: Path) -> None:
    settings = SqlSettings(file=Path("workshop.sqlite3"))
    known = {"workshop": SqliteConnection("workshop", settings, tmp_path, tmp_path)}
    tools = REST["hoists/tools.yaml"]
    playbook = loaded(tools, known)
    assert list(playbook.tools) == ["find_hoist", "list_hoists", "book_hoist"]
    assert Playbook.model_validate_json(playbook.model_dump_json()) == playbook
    assert loaded(tools.replace("Every hoist", "All"), known).digest != playbook.digest


@table(("old", "new", "told"), CASES)
def test_each_fault_is_told_with_its_place(old: str, new: str, told: str) -> None:
    assert old in TOOLS
    with pytest.raises(DefinitionError) as caught:
        loaded(TOOLS.replace(old, new, 1))
    problems = [p for p in caught.value.problems if p.startswith("hoists/tools.yaml:")]
    assert all(re.match(r"hoists/tools\.yaml:\d+: ", problem) for problem in problems)
    assert any(re.search(told, problem) for problem in problems), caught.value.problems


def test_what_is_no_mapping_and_a_connection_that_is_not_there_are_told() -> None:
    for tools, told in zip(("- find_hoist\n", TOOLS), ELSEWHERE, strict=True):
        with pytest.raises(DefinitionError, match=re.escape(told)):
            loaded(tools, {})


PRICED = """\
order:
  description: Orders something.
  writes: {connection: workshop, sql: "INSERT INTO orders (price) VALUES (:price)"}
  arguments:
    price: {label: {zh: 价格, en: Price}, type: money}
  refused_when:
    - finds: {connection: workshop, sql: "SELECT 1 FROM orders WHERE price = :price"}
      text: {zh: 已有, en: there}
"""


def test_money_in_a_statement_is_bound_by_its_parts(tmp_path: Path) -> None:
    settings = SqlSettings(file=Path("workshop.sqlite3"))
    known = {"workshop": SqliteConnection("workshop", settings, tmp_path, tmp_path)}
    with pytest.raises(DefinitionError) as caught:
        loaded(PRICED, known)
    fault = "sql: :price has several parts; write :price.value or :price.currency"
    told = [each for each in caught.value.problems if "several parts" in each]
    assert told == [
        f"hoists/tools.yaml:3: order.writes: {fault}",
        f"hoists/tools.yaml:7: order.refused_when.0.finds: {fault}",
    ]
    with pytest.raises(DefinitionError) as sound:
        loaded(
            PRICED.replace(":price)", ":price.value)").replace("= :price", "= :price.value"), known
        )
    assert not [each for each in sound.value.problems if "tools.yaml" in each]
