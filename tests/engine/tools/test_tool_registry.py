import json
import re
from typing import Any

import pytest

from engine.errors import ToolFailed, ToolRetry
from engine.toolbox.toolbox import Toolbox
from engine.tools.model import Tool, ToolContext
from engine.tools.registry import READONLY, TOOLS, call
from tests.fakes.study import sample_study, study_toolbox
from tests.fakes.tables import table

NAMES = {
    "knowledge__search",
    "memory__search",
    "memory__remember",
    "file__list",
    "file__get_info",
    "file__parse",
    "file__search",
    "element__extract",
    "state__read",
    "project__add",
}
SAMPLE = tuple(t for t in sample_study().tools if t.readonly and t.for_questions)
WRITES = {"memory__remember", "project__add"}
OF_RUNS = {"state__read"}


def test_every_tool_is_found_by_its_name() -> None:
    assert {known.name for known in TOOLS} == NAMES
    assert all(Toolbox().find(known.name) is known for known in TOOLS)


def test_only_this_one_writes() -> None:
    assert {known.name for known in TOOLS if not known.readonly} == WRITES
    assert {known.name for known in READONLY} == NAMES - WRITES - OF_RUNS


def test_names_are_ones_that_models_take() -> None:
    assert [name for name in NAMES if not re.fullmatch(r"[a-z_]{1,64}", name)] == []


def test_unknown_tool_is_told_with_the_known_ones() -> None:
    with pytest.raises(ToolFailed, match="no tool 'drop_tables'; there are knowledge__search, "):
        Toolbox().find("drop_tables")


@table("known", [*TOOLS, *SAMPLE], ids=lambda t: t.name)
def test_schema_describes_every_argument(known: Tool[Any]) -> None:
    schema = json.loads(json.dumps(known.arguments.model_json_schema()))
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert all(shape["description"] for shape in schema["properties"].values())
    assert len(known.description) > 80


ASKED = [each for each in (*READONLY, *SAMPLE) if each.cues or each.examples]
"""Those that look-ups find; the others are for models alone."""


@table("known", ASKED, ids=lambda t: t.name)
def test_readonly_tool_has_examples_in_both_languages(known: Tool[Any]) -> None:
    assert len(known.examples) == len(set(known.examples)) >= 20
    chinese = [e for e in known.examples if re.search("[\u4e00-\u9fff]", e)]
    assert 8 <= len(chinese) <= len(known.examples) - 8
    if "subject_id" in known.needs:
        assert all(re.search(r"\bP0\d\d(?!\d)", e) for e in known.examples)


@pytest.mark.parametrize("known", [*READONLY, *SAMPLE], ids=lambda t: t.name)
async def test_arguments_implied_by_cues_are_valid(known: Tool[Any], ctx: ToolContext) -> None:
    entities = {"subject_id": "P003", "name": "notes.txt"}
    for cue, implied in known.cues.items():
        assert cue == cue.lower().strip() != ""
        given = {n: entities[n] for n in known.needs} | dict(implied)
        if "query" in known.arguments.model_fields:
            given.setdefault("query", cue)
        result = await call(known, given, ctx)
        assert json.loads(json.dumps(result)) == result
        assert known.tell(result, "zh") != known.tell(result, "en")


@pytest.mark.parametrize(
    ("name", "arguments", "hint"),
    [
        ("read_clinical_data", {}, r"^Wrong arguments subject_id\. subject_id: Field required$"),
        ("read_clinical_data", {"subject_id": 3}, r"^Wrong arguments subject_id\. "),
        ("read_clinical_data", {"subject_id": "P003; --"}, r"subject_id: "),
        (
            "read_clinical_data",
            {"subject_id": "P003", "field": "bmi"},
            r"^Wrong arguments field\. ",
        ),
        (
            "read_clinical_data",
            {"subject_id": "P003", "visit_date": "yesterday"},
            r"visit_date: should be a date like 2026-01-31, not 'yesterday'$",
        ),
        (
            "read_clinical_data",
            {"subject_id": "P003", "visit_date": 1700000000},
            "visit_date: should be text",
        ),
        (
            "read_clinical_data",
            {"subject_id": "P003", "visit_date": "2026-02-30"},
            "visit_date: ",
        ),
        (
            "check_visit_window",
            {"subject_id": "P003", "when": "x"},
            r"^Wrong arguments when\. when: ",
        ),
        ("search_protocol", {"query": "x" * 20_001}, r"query: "),
        ("get_project_stats", {"arm": "A"}, r"^Wrong arguments arm\. "),
        ("search_protocol", {"query": object()}, r"^Wrong arguments: they are no JSON object"),
    ],
)
async def test_wrong_arguments_are_named(
    name: str, arguments: dict[str, Any], hint: str, ctx: ToolContext
) -> None:
    with pytest.raises(ToolRetry, match=hint):
        await call(study_toolbox().find(name), arguments, ctx)


async def test_hint_stays_short_and_names_every_fault(ctx: ToolContext) -> None:
    with pytest.raises(ToolRetry) as caught:
        await call(study_toolbox().find("record_visit"), {"s" * 5000: "secret" * 500}, ctx)
    hint = str(caught.value)
    assert len(hint) <= 200
    assert "secret" not in hint
    for name in ("subject_id", "visit_date", "ecog", "weight_kg", "systolic", "diastolic"):
        assert name in hint
