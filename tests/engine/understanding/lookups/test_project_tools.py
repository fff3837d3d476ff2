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


UNIFORMS = """\
description: Uniforms in the store
reads: {connection: store, query: SELECT 1}
arguments:
  size: {label: {zh: 尺码, en: Size}, type: choice, options: [S, M, L, XL, A]}
result: many
columns:
  number: {label: {zh: 编号, en: Number}}
cues: [uniforms, free, 制服]
examples: [which uniforms are free in size M, which uniforms are free in L, 有哪些 M 码的制服]
"""


@table(
    ("text", "size"),
    [
        ("which uniforms are free in size M", "M"),
        ("which uniforms are free in size m?", "M"),
        ("which uniforms are free in L", "L"),
        ("which uniforms are free in XL?", "XL"),
        ("which uniforms are free in size A", "A"),
        ("有哪些 S 码的制服", "S"),
        ("list free uniforms", None),
        ("show the uniforms", None),
        ("is a uniform free? which uniforms", None),
    ],
)
def test_an_option_is_a_word_of_its_own(text: str, size: str | None) -> None:
    tool = connect_tool(
        "uniforms", build(ToolDefinition, read_yaml(UNIFORMS, file="t.yaml")), Garage(), "STORE"
    )
    found = find(text, [tool], today=TODAY, entities=WAREHOUSE)
    assert (found[0].arguments if found else {}).get("size") == size


def test_a_model_sees_nothing_of_what_look_ups_go_by() -> None:
    told = str(TOOL.input_schema())
    assert "option_words" not in told
    assert "'entity'" not in told
    assert "'said'" not in told
    assert "'customer'" in told
