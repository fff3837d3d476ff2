"""A tool that a project folder describes answers without a model, by what its arguments say."""

from typing import Any

from pydantic import JsonValue

from engine.playbooks.tool import ToolDefinition
from engine.toolbox.connected import connect_tool
from engine.understanding.lookups.find import find
from engine.yaml.source import read_yaml
from tests.engine.understanding.lookups.warehouse import TODAY
from tests.fakes.building import build
from tests.fakes.entities import WAREHOUSE
from tests.fakes.tables import table

JOBS = """\
description: Jobs of a customer's cars
reads: {connection: garage, query: SELECT 1}
arguments:
  customer: {label: {zh: 客户, en: Customer}, type: entity, entity: customer}
  state:
    label: {zh: 进度, en: Progress}
    type: choice
    options: {waiting: {zh: 等配件, en: waiting for parts}, ready: {zh: 可取, en: ready}}
    required: false
  since: {label: {zh: 起, en: From}, type: date, required: false}
  until: {label: {zh: 止, en: To}, type: date, required: false}
result: many
columns:
  plate: {label: {zh: 车牌, en: Plate}}
  price: {label: {zh: 价格, en: Price}, type: number}
cues: [repairs, 维修]
examples: ["Which repairs does Acme have?", "Acme 的维修单"]
"""


async def call(values: Any, *, key: str = "") -> JsonValue:
    return []


class Garage:
    keyed = False

    async def __call__(self, values: Any, *, key: str = "") -> JsonValue:
        return await call(values, key=key)


TOOL = connect_tool(
    "jobs", build(ToolDefinition, read_yaml(JOBS, file="tools.yaml")), Garage(), "GARAGE"
)


@table(
    ("text", "arguments"),
    [
        ("repairs of Will and Sons", {"customer": "C4"}),
        ("plate and price of the repairs of Acme?", {"customer": "C2"}),
        ("which repairs of Acme are waiting for parts", {"customer": "C2", "state": "waiting"}),
        ("Acme 可取的维修单有哪些", {"customer": "C2", "state": "ready"}),
        (
            "华东电力 2026-11-01 以来的维修单",
            {"customer": "C3", "since": "2026-11-01"},
        ),
        ("which repairs of Acme have rust", None),
        ("repairs of Acme that cost 500", None),
        ("repairs", None),
    ],
)
def test_its_arguments_are_fields(text: str, arguments: dict[str, Any] | None) -> None:
    found = find(text, [TOOL], today=TODAY, entities=WAREHOUSE)
    assert (found[0].arguments if found else None) == arguments


def test_a_model_sees_nothing_of_what_look_ups_go_by() -> None:
    told = str(TOOL.input_schema())
    assert "option_words" not in told
    assert "'entity'" not in told
    assert "'said'" not in told
    assert "'customer'" in told
