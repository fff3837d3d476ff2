"""Rules between the calls of a plan: order, exclusion, at most so many, only with."""

import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from engine.frames.llm_plan import DroppedStep
from engine.rules.call_rules import CallRule
from engine.tool_plan.planning.llm_planner import LLMPlanner
from engine.tool_plan.planning.prompts import PlanRequest
from engine.tool_plan.responses import dropped_text
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.tables import table

TOOLS = {name: {"description": name} for name in ("check", "reserve", "pay", "refund")}
ORDER = {"order": ["check", "reserve", "pay"]}
EITHER = {"exclusive": ["pay", "refund"]}
TWICE = {"at_most": 2, "of": ["pay", "refund"]}
CHECKED = {"tool": "pay", "only_with": ["check", "reserve"]}


@table(
    ("rule", "calls", "broken_at"),
    [
        (ORDER, "check reserve pay", None),
        (ORDER, "check pay pay", None),
        (ORDER, "refund pay", None),
        (ORDER, "check pay reserve", 2),
        (ORDER, "pay refund check", 2),
        (EITHER, "check pay pay", None),
        (EITHER, "pay check refund", 2),
        (TWICE, "pay check refund", None),
        (TWICE, "pay refund pay", 2),
        (CHECKED, "pay reserve check", None),
        (CHECKED, "check reserve", None),
        (CHECKED, "check pay", 1),
    ],
)
def test_a_rule_says_which_call_breaks_it(
    rule: dict[str, Any], calls: str, broken_at: int | None
) -> None:
    assert CallRule.model_validate(rule).broken_at(calls.split()) == broken_at


@table(
    "rule",
    [
        {},
        {"order": ["pay"]},
        {"exclusive": ["pay"]},
        {"at_most": 2},
        {"of": ["pay"]},
        {"at_most": 0, "of": ["pay"]},
        {"tool": "pay"},
        {"only_with": ["pay"]},
        {**ORDER, **EITHER},
    ],
)
def test_what_is_no_rule_is_refused(rule: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CallRule.model_validate(rule)


def plan(*calls: str) -> str:
    steps: list[dict[str, Any]] = [{"type": "tool", "name": c, "arguments": {}} for c in calls]
    return json.dumps([*steps, {"type": "reply", "text": "ok"}])


REQUEST = PlanRequest("You plan.", "pay", rules=(CallRule.model_validate(CHECKED),))


async def test_a_plan_that_breaks_a_rule_goes_back_with_it() -> None:
    model = ScriptedModel([plan("check", "pay"), plan("check", "reserve", "pay")])
    draft = await LLMPlanner(model).draft(REQUEST, TOOLS)
    assert [step.tool for step in draft.steps] == ["check", "reserve", "pay", ""]
    told = "pay only with: check, reserve"
    assert told in model.requests[0].messages[0].content
    assert told in model.requests[1].messages[-1].content


async def test_nothing_of_a_plan_that_stays_against_a_rule_is_done() -> None:
    draft = await LLMPlanner(ScriptedModel([plan("check", "pay")] * 3)).draft(REQUEST, TOOLS)
    assert ([step.tool for step in draft.steps], draft.sound) == ([""], False)
    assert [(d.kind, d.name) for d in draft.dropped] == [("rule", "pay")]


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (ORDER, "必须按此顺序调用"),
        (EITHER, "只能调用其中一个"),
        ({"at_most": 2, "of": ["pay"]}, "最多调用 2 次：pay"),
        (CHECKED, "pay 必须与以下工具同时调用：check"),
    ],
)
def test_people_read_a_rule_in_their_language(rule: dict[str, Any], told: str) -> None:
    broken = CallRule.model_validate(rule)
    step = DroppedStep(number=1, kind="rule", name="pay", detail=str(broken), rule=broken)
    text = dropped_text((step,), "zh")
    assert told in text
    assert str(broken) not in text


async def test_what_was_called_before_counts_too() -> None:
    done = replace(REQUEST, called=("check", "reserve"), earlier=(1, 2))
    draft = await LLMPlanner(ScriptedModel([plan("pay")])).draft(done, TOOLS)
    assert [step.tool for step in draft.steps] == ["pay", ""]
