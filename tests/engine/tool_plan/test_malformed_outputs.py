"""What a model may write in the place of a plan, and what becomes of it (spec 004 §6, §9)."""

import json

import pytest

from engine.tool_plan.planning.llm_planner import LLMPlanner, as_plan_step
from engine.tool_plan.planning.prompts import PlanRequest
from tests.engine.tool_plan.planner_tools import CALC, DONE, GOOD, TOOLS, short
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.tables import table

CALLS = "calc {'expr': '1+1'}"
OK = "> ok"
BOTH = [CALLS, OK]
END = "> The plan has been carried out."
NONE = ["> (No plan could be made for this.)"]


def call(arguments: str, name: str = '"search"') -> str:
    return f'{{"type": "tool", "name": {name}, "arguments": {arguments}}}'


def plan(*steps: str) -> str:
    return f"[{', '.join(steps)}]"


FAULTY = "step 1 (search)"

# The answer, the steps that come of it, and what is reported; nothing else is asked.
READ: dict[str, tuple[str, list[str], list[str]]] = {
    "bare": (GOOD, BOTH, []),
    "white space around it": (f"\n\n  {GOOD}\n", BOTH, []),
    "a fence": (f"```\n{GOOD}\n```", BOTH, []),
    "a fence with a language": (f"```json\n{GOOD}\n```", BOTH, []),
    "a fence on one line": (f"```{GOOD}```", BOTH, []),
    "a fence that never ends": (f"```json\n{GOOD}", BOTH, []),
    "a fence in prose": (f"Here it is:\n```json\n{GOOD}\n```\nGood luck!", BOTH, []),
    "two fences that say the same": (f"```\n{GOOD}\n```\nor\n```\n{GOOD}\n```", BOTH, []),
    "another fence before": (f"```\nsome code\n```\n```json\n{GOOD}\n```", BOTH, []),
    "prose before": (f"Sure. The plan: {GOOD}", BOTH, []),
    "prose after": (f"{GOOD} I hope this helps.", BOTH, []),
    "brackets in prose": (f"As in [1] and (see [2]): {GOOD} [3]", BOTH, []),
    "braces in prose": (f"With {{x}} and {{}} set: {GOOD}", BOTH, []),
    "an empty array in prose": (f"Not [] but {GOOD}", BOTH, []),
    "thoughts before": (f'<think>maybe [{{"type": "tool"}}]?</think>{GOOD}', BOTH, []),
    "an object of steps": (f'{{"steps": {GOOD}}}', BOTH, []),
    "an object of a plan": (f'Plan: {{"plan": {GOOD}}}', BOTH, []),
    "a lone step": (DONE, [OK], []),
    "a lone step in prose": (f"I would say {DONE}.", [OK], []),
    "the same plan twice": (f"{GOOD}\n{GOOD}", BOTH, []),
    "text with brackets in it": (
        plan(call('{"query": "a [b] {c}"}'), DONE),
        ["search {'query': 'a [b] {c}'}", OK],
        [],
    ),
    "text with a fence in it": (
        plan('{"type": "reply", "text": "```x```"}'),
        ["> ```x```"],
        [],
    ),
    "no step at all": ("[]", NONE, []),
    "no reply in the end": (plan(CALC), [CALLS, END], []),
    "a reply in the middle": (plan(DONE, CALC, DONE), [OK, CALLS, OK], []),
    "a reply before the last call": (plan(DONE, CALC), [OK, CALLS, END], []),
    # faulty steps
    "a number for a step": (plan("1", CALC, DONE), BOTH, ["step 1: object: 1"]),
    "a text for a step": (plan('"calc"', DONE), [OK], ["step 1: object: 'calc'"]),
    "null for a step": (plan("null", DONE), [OK], ["step 1: object: null"]),
    "a list for a step": (plan(GOOD, DONE), [OK], ["step 1: object: a list"]),
    "only texts": ('["calc", "ok"]', NONE, ["step 1: object: 'calc'", "step 2: object: 'ok'"]),
    "no type": (plan('{"name": "calc"}', DONE), [OK], ["step 1 (calc): type: null"]),
    "another type": (plan('{"type": "think"}', DONE), [OK], ["step 1: type: 'think'"]),
    "a type in capitals": (plan('{"type": "TOOL"}', DONE), [OK], ["step 1: type: 'TOOL'"]),
    "a type that is no text": (plan('{"type": ["tool"]}', DONE), [OK], ["step 1: type: a list"]),
    "an empty reply": (
        plan(CALC, '{"type": "reply", "text": " "}'),
        [CALLS, END],
        ["step 2: text"],
    ),
    "a reply without text": (plan(CALC, '{"type": "reply"}'), [CALLS, END], ["step 2: text"]),
    "a reply of a number": (plan('{"type": "reply", "text": 5}'), NONE, ["step 1: text"]),
    "no name": (plan('{"type": "tool", "arguments": {}}', DONE), [OK], ["step 1: name"]),
    "a blank name": (plan(call("{}", '" "'), DONE), [OK], ["step 1 ( ): name"]),
    "a name that is no text": (plan(call("{}", "7"), DONE), [OK], ["step 1: name"]),
    "a name with blanks around": (
        plan(call('{"query": "x"}', '" search "'), DONE),
        ["search {'query': 'x'}", OK],
        [],
    ),
    "an unknown tool": (
        plan(call("{}", '"serch"'), DONE),
        [OK],
        ["step 1 (serch): unknown: did you mean 'search'?"],
    ),
    "a tool with a long name": (
        plan(call("{}", json.dumps("x" * 200)), DONE),
        [OK],
        [f"step 1 ('{'x' * 60}'): unknown: known here: calc, search, today"],
    ),
    "no arguments": (
        plan('{"type": "tool", "name": "calc"}', DONE),
        [OK],
        ["step 1 (calc): arguments: null"],
    ),
    "arguments as text": (
        plan(call('"{\\"query\\": \\"x\\"}"'), DONE),
        ["search {'query': 'x'}", OK],
        [],
    ),
    "arguments as a list": (plan(call("[]"), DONE), [OK], [f"{FAULTY}: arguments: a list"]),
    "a required argument missing": (plan(call("{}"), DONE), [OK], [f"{FAULTY}: missing: query"]),
    "a required argument null": (
        plan(call('{"query": null}'), DONE),
        [OK],
        [f"{FAULTY}: missing: query"],
    ),
    "a required argument blank": (
        plan(call('{"query": "  "}'), DONE),
        [OK],
        [f"{FAULTY}: missing: query"],
    ),
    "another argument null": (
        plan(call('{"query": "x", "limit": null}'), DONE),
        ["search {'query': 'x'}", OK],
        [],
    ),
    "an argument nobody knows": (
        plan(call('{"query": "x", "extra": 1}'), DONE),
        ["search {'query': 'x', 'extra': 1}", OK],
        [],
    ),
    "a number for a text": (
        plan(call('{"query": 5}'), DONE),
        ["search {'query': '5'}", OK],
        [],
    ),
    "a text for a number": (
        plan(call('{"query": "x", "limit": "2"}'), DONE),
        ["search {'query': 'x', 'limit': 2}", OK],
        [],
    ),
    "a fraction that is none": (
        plan(call('{"query": "x", "limit": 2.0}'), DONE),
        ["search {'query': 'x', 'limit': 2}", OK],
        [],
    ),
    "an entry of a list as text": (
        plan(call('{"query": "x", "years": [2020, "2021"]}'), DONE),
        ["search {'query': 'x', 'years': [2020, 2021]}", OK],
        [],
    ),
    "a list as text": (
        plan(call('{"query": "x", "years": "[2020, 2021]"}'), DONE),
        ["search {'query': 'x', 'years': [2020, 2021]}", OK],
        [],
    ),
    "a key twice in a step": (
        plan('{"type": "tool", "name": "calc", "name": "search", "arguments": {}}', DONE),
        [OK],
        [f"{FAULTY}: twice: name"],
    ),
    "a key twice in the arguments": (
        plan(call('{"query": "x", "query": "y"}'), DONE),
        [OK],
        [f"{FAULTY}: twice: query"],
    ),
    "half a character": (
        plan(call('{"query": "\\ud800"}'), DONE),
        [OK],
        [f"{FAULTY}: storable"],
    ),
    "a NUL": (plan('{"type": "reply", "text": "a\\u0000b"}'), NONE, ["step 1: storable"]),
    # references
    "a reference to a result": (
        plan(CALC, call('{"query": "$steps.1.value"}'), DONE),
        [CALLS, "search {'query': '$steps.1.value'}", OK],
        [],
    ),
    "a reference where a number stands": (
        plan(CALC, call('{"query": "x", "limit": "$steps.1.value"}'), DONE),
        [CALLS, "search {'query': 'x', 'limit': '$steps.1.value'}", OK],
        [],
    ),
    "a reference to itself": (
        plan(call('{"query": "$steps.1.x"}'), DONE),
        [OK],
        [f"{FAULTY}: reference: $steps.1"],
    ),
    "a reference to what comes later": (
        plan(call('{"query": "$steps.2.x"}'), CALC, DONE),
        BOTH,
        [f"{FAULTY}: reference: $steps.2"],
    ),
    "a reference to a reply": (
        plan(DONE, call('{"query": "$steps.1.text"}'), DONE),
        [OK, OK],
        ["step 2 (search): reference: $steps.1"],
    ),
    "a reference to a step that was left out": (
        plan(call("{}"), call('{"query": "$steps.1.x"}'), DONE),
        [OK],
        [f"{FAULTY}: missing: query", "step 2 (search): reference: $steps.1"],
    ),
    "a reference of another form": (
        plan(CALC, call('{"query": "{{steps.1.value}}"}'), DONE),
        BOTH,
        ["step 2 (search): reference: $steps"],
    ),
    "a reference deep inside": (
        plan(call('{"query": "x", "extra": [{"a": "$steps.9"}]}'), DONE),
        [OK],
        [f"{FAULTY}: reference: $steps.9"],
    ),
    # too long
    "more calls than steps": (
        plan(*[CALC] * 8, DONE),
        [*[CALLS] * 5, END],
        [
            *(f"step {n} (calc): beyond" for n in (6, 7, 8)),
            "step 9: beyond",
        ],
    ),
    "just as many as steps": (plan(*[CALC] * 5, DONE), [*[CALLS] * 5, OK], []),
    "as many calls as steps": (
        plan(*[CALC] * 6),
        [*[CALLS] * 5, END],
        ["step 6 (calc): beyond"],
    ),
    "faulty ones do not count": (
        plan("1", "2", "3", *[CALC] * 5, DONE),
        [*[CALLS] * 5, OK],
        ["step 1: object: 1", "step 2: object: 2", "step 3: object: 3"],
    ),
    "all of it faulty": (
        plan("1", call("{}")),
        NONE,
        ["step 1: object: 1", "step 2 (search): missing: query"],
    ),
}

# Arguments that say nothing of the type that is asked for: the model may mend them.
WRONG: dict[str, tuple[str, list[str], list[str]]] = {
    "yes for a number": (
        plan(call('{"query": "x", "limit": true}'), DONE),
        [OK],
        [f"{FAULTY}: schema: limit: True is not of type 'integer'"],
    ),
    "a number out of bounds": (
        plan(call('{"query": "x", "limit": 0}'), DONE),
        [OK],
        [f"{FAULTY}: schema: limit: 0 is less than the minimum of 1"],
    ),
    "none of the options": (
        plan(call('{"query": "x", "kind": "blog"}'), DONE),
        [OK],
        [f"{FAULTY}: schema: kind: 'blog' is not one of ['review', 'trial']"],
    ),
    "a text that is no number": (
        plan(call('{"query": "x", "limit": "02"}'), DONE),
        [OK],
        [f"{FAULTY}: schema: limit: '02' is not of type 'integer'"],
    ),
    "a wrong entry of a list": (
        plan(call('{"query": "x", "years": [2020, "last"]}'), DONE),
        [OK],
        [f"{FAULTY}: schema: years.1: 'last' is not of type 'integer'"],
    ),
}

DEEP = "[" * 100_000
# What cannot be read: the model is asked twice more, and then it is a reply as it stands.
UNREADABLE: dict[str, str] = {
    "prose": "I cannot help with that.",
    "two plans that differ": f"{GOOD} or {plan(DONE)}",
    "cut off": f'[{CALC}, {{"type": "rep',
    "single quotes": "[{'type': 'reply', 'text': 'ok'}]",
    "a comma too many": f"[{CALC},]",
    "a comment": f"[{CALC} // the sum\n]",
    "no JSON number": '[{"type": "reply", "text": NaN}]',
    "a number": "42",
    "a text": '"ok"',
    "null": "null",
    "an object of something else": '{"answer": "ok"}',
    "a citation": "See [1].",
    "nested without end": DEEP,
    "YAML": "- type: reply\n  text: ok",
    "XML": "<steps><reply>ok</reply></steps>",
}


async def drafted(*answers: str, repair: bool = True) -> tuple[list[str], list[str], ScriptedModel]:
    model = ScriptedModel(answers)
    draft = await LLMPlanner(model, enable_repair=repair).draft(
        PlanRequest("You plan.", "q"), TOOLS
    )
    steps = [short(as_plan_step(step)) for step in draft.steps]
    return steps, [str(each) for each in draft.dropped], model


def test_there_are_more_than_sixty() -> None:
    assert len(READ) + len(WRONG) + len(UNREADABLE) >= 60


@table("name", READ)
async def test_an_answer_becomes_these_steps_and_the_rest_is_reported(name: str) -> None:
    answer, steps, reports = READ[name]
    found, dropped, model = await drafted(*[answer] * 3)
    assert found == steps
    assert dropped == reports
    # What is only too long is cut; what is faulty goes back to the model first.
    assert len(model.requests) == (3 if any("beyond" not in each for each in reports) else 1)


@table(
    ("name", "told"),
    [
        ("an unknown tool", "step 1 (serch): there is no such tool; did you mean 'search'?"),
        (
            "a required argument missing",
            "step 1 (search): lacks the arguments query; it needs query",
        ),
        ("no name", 'step 1: names no tool: "name" is one of search, calc, today'),
        ("a reference to a reply", "step 2 (search): $steps.1 is no result of an earlier step"),
        ("an empty reply", 'step 2: is a reply whose "text" is empty'),
    ],
)
async def test_a_faulty_step_goes_back_with_what_would_do(name: str, told: str) -> None:
    found, dropped, model = await drafted(READ[name][0], GOOD)
    assert (found, dropped) == (BOTH, [])
    assert told in model.requests[1].messages[-1].content


@table("name", WRONG)
async def test_a_value_that_cannot_be_cast_goes_back_with_its_fault(name: str) -> None:
    answer, _, reports = WRONG[name]
    found, dropped, model = await drafted(answer, GOOD)
    assert (found, dropped) == (BOTH, [])
    assert reports[0].replace("schema: ", "") in model.requests[1].messages[-1].content


@table("name", WRONG)
@pytest.mark.parametrize("tries", [1, 3])
async def test_what_stays_wrong_or_is_not_asked_again_is_left_out(name: str, tries: int) -> None:
    answer, steps, reports = WRONG[name]
    found, dropped, model = await drafted(*[answer] * tries, repair=tries == 3)
    assert (found, dropped, len(model.requests)) == (steps, reports, tries)


async def test_a_model_that_is_away_then_leaves_what_can_be_done() -> None:
    answer, steps, reports = WRONG["none of the options"]
    assert (await drafted(answer))[:2] == (steps, reports)


@table("name", UNREADABLE)
async def test_what_cannot_be_read_is_asked_for_once_more(name: str) -> None:
    steps, dropped, model = await drafted(UNREADABLE[name], GOOD)
    assert (steps, dropped) == (BOTH, [])
    assert len(model.requests) == 2


@table("name", UNREADABLE)
@table("repair", [True, False])
async def test_what_stays_unreadable_is_one_reply_cut_to_its_length(
    name: str, repair: bool
) -> None:
    answer = UNREADABLE[name]
    steps, dropped, model = await drafted(answer, answer, answer, repair=repair)
    assert steps == [f"> {answer[:2000]}"]
    assert dropped == []
    assert len(model.requests) == 1 + 2 * repair


@pytest.mark.parametrize("answer", ["", "   \n"])
async def test_an_answer_without_text_is_no_plan(answer: str) -> None:
    assert (await drafted(answer, answer, answer))[0] == NONE
    assert (await drafted(answer, "Sorry.", answer))[0] == ["> Sorry."]
