"""What a plan lacks of a project folder's tool is asked for by fields of the tool's own types."""

from collections.abc import Mapping

from pydantic import JsonValue

from engine.playbooks.tool import ToolDefinition
from engine.toolbox.connected import connect_tool
from engine.toolbox.toolbox import Toolbox
from engine.tools import registry
from engine.yaml.source import read_yaml
from tests.engine.tool_plan.test_planned_runs import REPLY, walk
from tests.fakes.building import build

BUDGET = """\
description: What is left of a budget
reads: {connection: books}
arguments:
  spent: {label: {zh: 已花, en: Spent}, type: money, currencies: [EUR, USD]}
  urgent: {label: {zh: 加急, en: Urgent}, type: boolean}
  mail: {label: {zh: 邮箱, en: Mail}, type: email}
"""


class Books:
    """Notes what it is asked."""

    keyed = False

    def __init__(self) -> None:
        self.asked: dict[str, JsonValue] = {}

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        self.asked = dict(values)
        return {"left": 3}


async def test_a_form_asks_by_the_types_of_the_tool() -> None:
    books = Books()
    definition = build(ToolDefinition, read_yaml(BUDGET, file="tools.yaml"))
    # In the place of a tool that the playbook names.
    tool = connect_tool("get_project_stats", definition, books, "")
    found = walk([{"type": "tool", "name": tool.name, "arguments": {}}, REPLY])
    every = (*found.records.tools, *registry.TOOLS)
    others = [each for each in every if each.name != tool.name]
    found.toolbox = Toolbox(own=[*others, tool])
    await found.start()
    fields = {field.name: field for field in found.card.choices[0].form}
    assert {name: field.type for name, field in fields.items()} == {
        "spent": "money",
        "urgent": "boolean",
        "mail": "email",
    }
    assert fields["spent"].currencies == ("EUR", "USD")
    typed = {"spent": "120.50 EUR", "urgent": "yes", "mail": "a@example.com"}
    await found.answer("submit", typed)
    money = {"value": 120.5, "currency": "EUR"}
    taken = {"spent": money, "urgent": True, "mail": "a@example.com"}
    assert books.asked.items() >= taken.items()
