"""The planner as a program uses it: prompts, tools, shapes of its input (spec 004 §4, §5, §9)."""

from typing import Any

import pytest

from engine.errors import ModelUnavailable
from engine.frames.llm_plan import DroppedStep
from engine.text.language import detect_language
from engine.tool_plan.planning.json_array import coerce_json_array, cut_answer, strip_code_fences
from engine.tool_plan.planning.llm_planner import LLMPlanner
from engine.tool_plan.planning.prompts import PlanRequest
from engine.tool_plan.planning.schemas import cast_arguments
from engine.tool_plan.planning.steps import validate_steps
from engine.tool_plan.responses import dropped_text
from engine.tools import registry
from engine.tools.top_tools import OfferedTools, top_k_tools
from tests.engine.tool_plan.planner_tools import CALC, DONE, GOOD, TOOLS
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.study import Study
from tests.fakes.tables import table

PLAN = [
    {"type": "tool", "name": "calc", "arguments": {"expr": "1+1"}},
    {"type": "reply", "text": "ok"},
]


async def test_a_plan_is_a_list_of_mcp_steps() -> None:
    model = ScriptedModel([GOOD])
    assert await LLMPlanner(model).plan("You are a clerk.", "What is 1+1?", TOOLS) == PLAN
    (request,) = model.requests
    assert "You are a clerk." in request.messages[0].content
    assert request.messages[1].content == "What is 1+1?"
    assert '"name": "calc"' in request.messages[0].content
    assert '"expr"' in request.messages[0].content
    assert "at most 6" in request.messages[0].content
    assert request.tools == (), "a plan is text; nothing can be called while it is made"


class Listing:
    """A registry."""

    def describe(self) -> dict[str, dict[str, Any]]:
        return TOOLS


@pytest.mark.parametrize(
    "data",
    [
        ("You plan.", "1+1", TOOLS),
        ("You plan.", "1+1", Listing()),
        {"profile_prompt": "You plan.", "user_query": "1+1", "tools": TOOLS},
        {"profile_system_prompt": "You plan.", "user_query": "1+1", "registry": Listing()},
        {"profile_prompt": "You plan.", "user_query": "1+1", "tools": Listing(), "topk": 2},
    ],
)
async def test_it_is_executed_with_a_tuple_or_a_dict(data: Any) -> None:
    assert await LLMPlanner(ScriptedModel([GOOD])).execute(data) == PLAN


LISTED = [
    {"name": name, "description": tool["description"], "inputSchema": tool.get("input_schema", {})}
    for name, tool in TOOLS.items()
]
SHAPE = {"type": "object", "properties": {"value": {"type": "number"}}}


@pytest.mark.parametrize("tools", [LISTED, {"tools": LISTED}])
async def test_tools_may_come_as_mcp_lists_them(tools: Any) -> None:
    answers = '[{"type": "tool", "name": "calc", "arguments": {}}, {"type": "reply", "text": "ok"}]'
    model = ScriptedModel([answers])
    draft = await LLMPlanner(model).draft(PlanRequest("p", "1+1"), tools)
    # Its schema is known, for an argument is missing.
    assert [str(each) for each in draft.dropped] == ["step 1 (calc): missing: expr"]
    assert '"expr"' in model.requests[0].messages[0].content


async def test_the_prompt_says_what_a_result_looks_like() -> None:
    model = ScriptedModel([GOOD, GOOD])
    listed = [{**LISTED[1], "outputSchema": SHAPE}]
    await LLMPlanner(model).draft(PlanRequest("p", "1+1"), listed)
    assert '"result": {"type": "object", "properties": {"value"' in model.requests[0].text
    await LLMPlanner(model).draft(PlanRequest("p", "list"), OfferedTools(Study().tools))
    own = model.requests[1].text
    assert '"result": {"found": "boolean", "subject_id": "text"' in own
    assert '"result": {"rows": [{' in own


async def test_a_dict_may_have_its_own_number_of_tools() -> None:
    data = {"profile_prompt": "p", "user_query": "arithmetic", "tools": TOOLS, "topk": 1}
    model = ScriptedModel([GOOD])
    await LLMPlanner(model).execute(data)
    told = model.requests[0].messages[0].content
    assert '"calc"' in told
    assert '"search"' not in told


@pytest.mark.parametrize("lacking", ["profile_prompt", "user_query", "tools"])
async def test_a_dict_without_what_is_needed_is_an_error(lacking: str) -> None:
    data = {"profile_prompt": "p", "user_query": "q", "tools": TOOLS}
    del data[lacking]
    with pytest.raises(ValueError, match="give profile_prompt, user_query, and tools or registry"):
        await LLMPlanner(ScriptedModel([GOOD])).execute(data)


async def test_a_tool_beyond_the_best_is_unknown_to_the_plan() -> None:
    request = PlanRequest("p", "search papers")
    draft = await LLMPlanner(ScriptedModel([GOOD]), topk_tools=1).draft(request, TOOLS)
    assert [step.text for step in draft.steps] == ["ok"]
    assert str(draft.dropped[0]) == "step 1 (calc): unknown: known here: search"


async def test_a_model_that_is_away_is_an_error() -> None:
    with pytest.raises(ModelUnavailable):
        await LLMPlanner(ScriptedModel([])).plan("p", "q", TOOLS)


@pytest.mark.parametrize(
    ("query", "told"), [("算一下", "（计划不可用）"), ("sum", "(No plan could")]
)
async def test_what_is_left_of_nothing_is_said_in_the_persons_language(
    query: str, told: str
) -> None:
    (step,) = await LLMPlanner(ScriptedModel(["[1]"])).plan("p", query, TOOLS)
    assert step["type"] == "reply"
    assert told in step["text"]
    assert detect_language(step["text"]) == detect_language(query)


@pytest.mark.parametrize("limit", [2, 3, 6, 20])
async def test_a_plan_is_never_longer_and_ends_with_a_reply(limit: int) -> None:
    model = ScriptedModel([f"[{', '.join([CALC] * 12)}]"])
    steps = await LLMPlanner(model, max_steps=limit).plan("p", "q", TOOLS)
    assert len(steps) == min(limit, 13)
    assert [step["type"] for step in steps[-2:]] == ["tool", "reply"]


async def test_steps_are_numbered_on_and_may_refer_to_earlier_results() -> None:
    search = '{"type": "tool", "name": "search", "arguments": {"query": "$steps.2.x"}}'
    model = ScriptedModel([f"[{search}, {DONE}]"])
    request = PlanRequest("p", "q", known="<data>x</data>", earlier=(1, 2))
    draft = await LLMPlanner(model).draft(request, TOOLS)
    assert [step.number for step in draft.steps] == [3, 4]
    assert draft.dropped == ()
    assert "numbered from 3" in model.requests[0].messages[0].content
    assert model.requests[0].messages[1].content == "q\n\n<data>x</data>"


def test_with_somebody_to_ask_a_step_that_only_lacks_simple_arguments_stays() -> None:
    call = {"type": "tool", "name": "search", "arguments": {"limit": 3}}
    draft = validate_steps([call], TOOLS, ask=True)
    assert [(step.missing, step.arguments) for step in draft.steps] == [(("query",), {"limit": 3})]
    listed = {"type": "array", "items": {"type": "string"}}
    schema = {"type": "object", "properties": {"ids": listed}, "required": ["ids"]}
    tool = {"many": {"description": "", "input_schema": schema}}
    draft = validate_steps([{"type": "tool", "name": "many", "arguments": {}}], tool, ask=True)
    assert draft.steps == (), "nobody fills a list into a form's line"


@table(
    "schema",
    [
        None,
        "nonsense",
        {},
        {"type": "no such type"},
        {"properties": 5, "required": "query"},
        {"properties": {"query": {"$ref": "#/nowhere"}}},
        {"properties": {"query": {"$ref": "http://127.0.0.1:9/elsewhere"}}},
        {"properties": {"query": {"pattern": "(a+)+$"}}},
        {"$defs": {"a": {"$ref": "#/$defs/a"}}, "properties": {"query": {"$ref": "#/$defs/a"}}},
    ],
)
def test_a_schema_that_is_none_leaves_the_check_to_the_tool(schema: Any) -> None:
    call = {"type": "tool", "name": "odd", "arguments": {"query": "a" * 40 + "!"}}
    draft = validate_steps([call], {"odd": {"description": "", "input_schema": schema}})
    assert len(draft.steps) == 1


def test_fences_are_taken_away_and_arrays_found() -> None:
    assert strip_code_fences(f"```json\n{GOOD}\n```") == GOOD
    assert strip_code_fences(GOOD) == GOOD
    assert coerce_json_array(f"The plan:\n{GOOD}\nGood.") == PLAN
    assert coerce_json_array("no plan") is None
    assert len(cut_answer("x" * 5000)) == 2000


OURS = (*Study().tools, *registry.TOOLS)
MANY = {tool.name: tool for tool in OURS}


@table(
    ("query", "first"),
    [
        ("查一下 P003 的 ECOG", "read_clinical_data"),
        ("把这条约定记到项目记忆里，看看项目记忆", "memory__search"),
        ("这个研究现在有多少受试者", "get_project_stats"),
        ("方案里对化疗间隔有什么规定", "search_protocol"),
        ("项目里有哪些文件", "file__list"),
        ("what was the blood pressure of P004", "read_clinical_data"),
        ("which files are there", "file__list"),
        ("remember one thing for the project", "memory__remember"),
        ("how many subjects are enrolled in the study", "get_project_stats"),
        ("is the visit of P002 inside its window", "check_visit_window"),
    ],
)
def test_the_tool_that_fits_comes_first_in_both_languages(query: str, first: str) -> None:
    chosen = top_k_tools(query, OfferedTools(OURS).describe())
    assert len(chosen) == 6
    assert next(iter(chosen)) == first


def test_fewer_tools_than_wanted_are_all_offered_and_order_breaks_ties() -> None:
    assert list(top_k_tools("xyz", TOOLS)) == list(TOOLS)
    assert list(top_k_tools("xyz", TOOLS, 2)) == ["search", "calc"]
    assert list(top_k_tools("xyz", TOOLS, 0)) == ["search"]
    assert top_k_tools("xyz", {}) == {}


def test_no_tool_that_writes_is_left_out_for_one_that_reads() -> None:
    tools = {**TOOLS, "keep": {"description": "Stores it.", "writes": True}}
    assert list(top_k_tools("search papers", tools, 2)) == ["search", "keep"]
    assert set(OfferedTools(OURS).describe()) == set(MANY)


def test_letters_in_a_row_find_a_tool_whose_words_nobody_says() -> None:
    tools = {"甲": {"description": "受试者用药记录查询"}, "乙": {"description": "计算访视窗口"}}
    assert next(iter(top_k_tools("查一下合并用药记录", tools))) == "甲"
    assert next(iter(top_k_tools("访视窗口多大", tools))) == "乙"


@table(
    ("value", "schema", "taken"),
    [
        ("3", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, 3),
        ("3.5", {"type": ["number", "null"]}, 3.5),
        (7, {"oneOf": [{"type": "null"}, {"type": "string"}]}, "7"),
        ("3", {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "3"),
        ("[1]", {"anyOf": [{"type": "array", "items": {"type": "integer"}}]}, [1]),
        ("03", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "03"),
        (True, {"anyOf": [{"type": "integer"}, {"type": "null"}]}, True),
    ],
)
def test_a_value_is_cast_without_loss_where_one_of_several_types_is_asked_for(
    value: Any, schema: Any, taken: Any
) -> None:
    made = cast_arguments({"properties": {"n": schema}}, {"n": value})["n"]
    assert (made, type(made)) == (taken, type(taken))


@table(
    ("arguments", "zh", "en"),
    [
        (
            {"query": 1.5, "limit": True},
            "limit：true 不是整数",
            "limit: true is not a whole number",
        ),
        ({"query": "x", "limit": 0}, "limit：0 小于最小值 1", "limit: 0 is less than 1"),
        (
            {"query": "x", "kind": "blog"},
            "'blog' 不在可选值之内",
            "'blog' is none of review, trial",
        ),
        ({"query": {"a": 1}}, "{…} 不是文本", "{…} is not a text"),
    ],
)
def test_people_read_what_is_wrong_with_an_argument_in_their_language(
    arguments: Any, zh: str, en: str
) -> None:
    call = {"type": "tool", "name": "search", "arguments": arguments}
    stored = [each.model_dump_json() for each in validate_steps([call], TOOLS).dropped]
    dropped = [DroppedStep.model_validate_json(each) for each in stored]
    assert zh in dropped_text(dropped, "zh").replace("\\", "")
    assert en in dropped_text(dropped, "en").replace("\\", "")
    assert "is not of type" not in dropped_text(dropped, "en")
