"""A model's output: every fault with its exact path, and nothing that the state could not keep."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.frames.state import AgentState, Patch
from engine.playbooks.leaf import MAX_ROWS, MAX_TEXT
from engine.runs.run_state import merge_patch, state_faults
from engine.skills.output import Output, read_output, schema_of
from engine.text.answer import AnswerFaults
from tests.fakes.matter import playbook
from tests.fakes.scripted_model import asks, output
from tests.fakes.tables import table
from tests.fakes.tries import tries

MATTER = playbook()
INTAKE = MATTER.skills["matter-intake"]
CAUSES = MATTER.skills["cause-recommendation"]
PLAN = MATTER.skills["work-plan"]
NOT_JSON = ("the answer is not one JSON object",)


def read(answer: Any, skill: Any = INTAKE) -> Output | AnswerFaults:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return read_output(text, skill, MATTER.definition)


def told(answer: Any) -> AnswerFaults:
    """The faults of an answer that has some."""
    found = read(answer)
    assert isinstance(found, AnswerFaults)
    return found


def of(**data: Any) -> dict[str, Any]:
    return output("fine", data=data)


def test_a_whole_output_is_taken_as_it_is() -> None:
    found = read(
        output(
            "fine",
            profile={"summary": "s"},
            data={
                "amount": 12.5,
                "people": 3,
                "filed_on": "2026-01-31",
                "urgent": False,
                "side": "plaintiff",
                "evidence": [{"name": "contract", "pages": 2, "kind": "paper"}, {"name": "x"}],
            },
        )
    )
    assert isinstance(found, Output)
    assert found.data["people"] == 3
    assert found.control.action == "continue"


def test_what_the_model_does_not_know_clears_nothing() -> None:
    found = read(output(profile={"summary": None}, data={"amount": None, "people": 2}))
    assert isinstance(found, Output)
    assert found.profile == {}
    assert found.data == {"people": 2}


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"response": "r", "control": {"action": "finish"}}\n```',
        'Here it is:\n{"response": "r", "control": {"action": "finish"}}\nI hope it helps.',
        '\ufeff {"response": "r", "control": {"action": "finish"}}',
    ],
)
def test_fences_and_sentences_around_the_object_do_no_harm(text: str) -> None:
    found = read(text)
    assert isinstance(found, Output)
    assert (found.response, found.control.action) == ("r", "finish")


@table(
    "text",
    [
        *("", "no", "[]", "null", "3", '"text"', "{", "}{", '{"a": 1} and {"b": 2}'),
        "{" * 200_000,
        '{"data": ' + "9" * 5000 + "}",
        '{"data":' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
)
def test_what_is_not_one_object_is_said_to_be_none(text: str) -> None:
    assert read(text) == NOT_JSON


@table("depth", [40, 150, 190, 220, 500, 900, 990, 1500, 5000])
def test_deep_nesting_is_a_fault_and_no_crash(depth: int) -> None:
    found = read('{"data": {"amount": ' + "[" * depth + "]" * depth + "}}")
    assert isinstance(found, AnswerFaults)
    assert found


@table(
    ("answer", "faults"),
    [
        (of(amount="5"), ["data.amount: should be a number, not '5'"]),
        (of(amount=True), ["data.amount: should be a number, not true"]),
        (of(amount=[1]), ["data.amount: should be a number, not a list"]),
        (of(people=2.5), ["data.people: should be a whole number, not 2.5"]),
        (of(people=False), ["data.people: should be a whole number, not false"]),
        (of(urgent="yes"), ["data.urgent: should be true or false, not 'yes'"]),
        (of(urgent=1), ["data.urgent: should be true or false, not 1"]),
        (
            of(filed_on="31.01.2026"),
            ["data.filed_on: should be a date like 2026-01-31, not '31.01.2026'"],
        ),
        (
            of(filed_on="2026-02-30"),
            ["data.filed_on: should be a date like 2026-01-31, not '2026-02-30'"],
        ),
        (of(side="judge"), ["data.side: should be one of plaintiff, defendant, not 'judge'"]),
        (of(side=["plaintiff"]), ["data.side: should be one of plaintiff, defendant, not a list"]),
        (of(evidence={}), ["data.evidence: should be a list, not a mapping"]),
        (of(evidence=["x"]), ["data.evidence.0: should be a mapping, not 'x'"]),
        (
            of(evidence=[{}, {"name": 1, "pages": "2", "kind": "film", "size": 3}]),
            [
                "data.evidence.1.size: unknown column",
                "data.evidence.1.name: should be text, not 1",
                "data.evidence.1.pages: should be a whole number, not '2'",
                "data.evidence.1.kind: should be one of paper, sound, not 'film'",
            ],
        ),
        (
            of(evidence=[{}] * (MAX_ROWS + 1)),
            [f"data.evidence: should have at most {MAX_ROWS} rows"],
        ),
        (
            output(profile={"summary": "x" * (MAX_TEXT + 1)}),
            [f"profile.summary: should be at most {MAX_TEXT} characters"],
        ),
        (
            output(profile={"sumary": "x"}),
            ["profile.sumary: unknown key; did you mean 'summary'?"],
        ),
        (
            of(causes=[]),
            [
                "data.causes: unknown key; known here: amount, evidence, filed_on, people, side,"
                " urgent"
            ],
        ),
        (output(decisions={"cause_confirmed": True}), ["decisions: unknown key"]),
        (output(response=3), ["response: should be text, not 3"]),
        (output(data=[]), ["data: should be a mapping, not a list"]),
        (
            {"control": {"action": "stop"}},
            ["control.action: should be 'continue', 'ask_user' or 'finish', not 'stop'"],
        ),
        ({"control": {"action": "ask_user"}}, ["control.review_type: is required with ask_user"]),
        (
            {"control": {"action": "ask_user", "review_type": "phase_done"}},
            ["control.review_type: should be 'clarify', 'confirm' or 'select', not 'phase_done'"],
        ),
        (asks("clarify"), ["control.questions: should have 1 to 10 questions"]),
        (asks("select"), ["control.questions: a select asks exactly one question"]),
        (asks("confirm"), ["control.review_type: this skill has nothing to confirm"]),
        (
            asks("clarify", *[{"field": "amount"}] * 11),
            ["control.questions: should have 1 to 10 questions"],
        ),
        (
            asks("clarify", {"field": "amuont"}),
            ["control.questions.0.field: is none of the skill's fields; did you mean 'amount'?"],
        ),
        (
            asks("clarify", {"field": "decisions.cause_confirmed"}),
            [
                "control.questions.0.field: is none of the skill's fields; known here: amount,"
                " evidence, filed_on, people, profile.summary, side, urgent"
            ],
        ),
        (
            asks("select", {"field": "side", "options": ["plaintiff"]}),
            ["control.questions.0.options: should have 2 to 10 entries"],
        ),
        (
            asks("clarify", {"field": "amount"}, {"field": "people"}, {"field": "amount"}),
            ["control.questions.2.field: is asked for twice"],
        ),
        (
            asks("clarify", {"field": "amount", "question": "x" * 501}),
            ["control.questions.0.question: should be at most 500 characters, without NUL"],
        ),
        (
            asks("clarify", {"question": "How much?"}),
            ["control.questions.0.field: is required"],
        ),
    ],
)
def test_every_fault_is_told_with_its_path(answer: Any, faults: list[str]) -> None:
    found = read(answer)
    assert isinstance(found, AnswerFaults)
    known = "known here: control, data, profile, response"
    told = [fault.removesuffix(f"; {known}") for fault in found]
    assert told == faults


def test_at_most_twenty_faults_are_told() -> None:
    assert len(told(of(evidence=["x"] * 50))) == 20


@table("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 400, "1e300"])
@table("field", ["amount", "people"])
def test_a_number_that_no_form_and_no_store_would_keep_is_a_fault(field: str, number: str) -> None:
    found = read(f'{{"data": {{"{field}": {number}}}}}')
    assert isinstance(found, AnswerFaults)
    (told,) = found
    no_number = f"{number} is no JSON number"
    assert told in (*NOT_JSON, no_number) or told.startswith(f"data.{field}: should be")


def test_a_key_that_stands_twice_is_a_fault_since_nobody_knows_which_is_meant() -> None:
    found = read('{"data": {"amount": 1, "amount": 2}}')
    assert found == ("key 'amount' stands twice in one object",)


@pytest.mark.parametrize("text", ["\\ud800", "\\udc00x", "\\u0000"])
def test_text_that_cannot_be_stored_is_a_fault(text: str) -> None:
    assert isinstance(read(f'{{"profile": {{"summary": "a{text}"}}}}'), AnswerFaults)
    assert isinstance(read(f'{{"response": "a{text}"}}'), AnswerFaults)


@table(
    ("question", "fault"),
    [
        ({"field": "amount", "options": ["many", "2"]}, "0: should be a number, not 'many'"),
        ({"field": "people", "options": ["2", "2.5"]}, "1: should be a whole number, not '2.5'"),
        (
            {"field": "side", "options": ["plaintiff", "judge"]},
            "1: should be one of plaintiff, defendant, not 'judge'",
        ),
        ({"field": "profile.summary", "options": ["a", " "]}, "1: should not be empty"),
        ({"field": "profile.summary", "options": ["a b", " a  b"]}, "1: stands twice"),
        ({"field": "profile.summary", "options": ["x" * 61, "b"]}, "0: should be at most 60"),
        ({"field": "urgent", "options": ["true", "false"]}, "a boolean cannot be chosen so"),
        (
            {"field": "evidence", "options": ["a", "b"]},
            "a list cannot be chosen so; ask for it with clarify",
        ),
    ],
)
def test_an_option_that_its_field_could_not_hold_is_sent_back(
    question: dict[str, Any], fault: str
) -> None:
    (found,) = told(asks("select", question))
    assert found.startswith("control.questions.0.options")
    assert fault in found


def test_options_that_fit_their_fields_are_taken() -> None:
    for field, options in (
        ("amount", ["1.5", "2"]),
        ("people", ["1", "2"]),
        ("side", ["plaintiff", "defendant"]),
        ("filed_on", ["2026-01-01", "2026-02-01"]),
        ("profile.summary", ["a", "b"]),
    ):
        found = read(asks("select", {"field": field, "question": "?", "options": options}))
        assert isinstance(found, Output), field


def test_the_card_of_the_playbook_answers_the_models_wish_to_ask() -> None:
    assert isinstance(read(asks("select"), CAUSES), Output)
    assert isinstance(read(asks("confirm"), PLAN), Output)
    assert isinstance(read(asks("confirm"), CAUSES), AnswerFaults)


# What JSON can hold, and things near to what is wanted.
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["plaintiff", "paper", "2026-01-31", "2026-02-30", "1", "ask_user"]),
    st.integers(min_value=10**14, max_value=10**400),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
ROW = st.dictionaries(st.sampled_from(["name", "pages", "kind", "x"]), SCALARS, max_size=3)
LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "amount": SCALARS | st.floats(allow_nan=False, width=16),
        "people": SCALARS | st.integers(0, 99),
        "filed_on": SCALARS,
        "urgent": SCALARS | st.booleans(),
        "side": SCALARS,
        "evidence": st.lists(ROW, max_size=3) | JSON,
        "other": JSON,
    },
)
QUESTION = st.fixed_dictionaries(
    {"field": st.sampled_from([*INTAKE.output_schema.paths, "cause"])},
    optional={"question": st.text(max_size=9), "options": st.lists(st.text(max_size=9))},
)
CONTROL = st.fixed_dictionaries(
    {},
    optional={
        "action": st.sampled_from(["continue", "ask_user", "finish", "x"]),
        "review_type": st.sampled_from(["clarify", "select", "confirm", None]),
        "questions": st.lists(QUESTION, max_size=3) | JSON,
    },
)
ANSWER = st.fixed_dictionaries(
    {},
    optional={
        "response": st.text(max_size=30) | JSON,
        "profile": st.fixed_dictionaries({}, optional={"summary": SCALARS}) | JSON,
        "data": LEAVES | JSON,
        "control": CONTROL | JSON,
        "decisions": JSON,
    },
)


@settings(max_examples=tries(150), deadline=None)
@given(ANSWER | JSON)
def test_no_answer_crashes_and_what_is_taken_always_fits_the_state(answer: Any) -> None:
    found = read(json.dumps(answer))
    assert isinstance(found, Output) or found
    if isinstance(found, AnswerFaults):
        return
    patch = Patch.model_validate({"by": "x", "profile": found.profile, "data": found.data})
    assert state_faults(patch.paths, MATTER) == []
    after = merge_patch(AgentState(), patch, MATTER, "en")
    assert AgentState.model_validate_json(after.stored()) == after
    after.stored().encode()
    for path in patch.paths:
        assert path in INTAKE.output_schema.paths


@settings(max_examples=tries(80), deadline=None)
@given(st.text(alphabet='{}[]",:\\ 0a\n`'))
def test_no_text_crashes(text: str) -> None:
    found = read(text)
    assert isinstance(found, Output) or found


def test_a_key_that_looks_like_a_place_is_an_unknown_key() -> None:
    (found,) = told({"[key]": None})
    assert found.startswith("[key]: unknown key")


@pytest.mark.parametrize("skill", MATTER.skills.values(), ids=lambda skill: skill.id)
def test_the_schema_is_one(skill: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(schema_of(skill, MATTER.definition))


@settings(max_examples=tries(80), deadline=None)
@given(ANSWER)
def test_what_the_schema_takes_is_typed_as_the_leaves_are(answer: Any) -> None:
    schema = schema_of(INTAKE, MATTER.definition)
    if jsonschema.Draft202012Validator(schema).is_valid(answer):
        found = read(answer)
        faults = found if isinstance(found, AnswerFaults) else ()
        assert [f for f in faults if "unknown" in f or "mapping" in f] == []


def filled_up(answer: Any, schema: dict[str, Any]) -> Any:
    """The answer with all that it leaves out, as servers want it that know no optional keys."""
    if isinstance(answer, list):
        return [filled_up(each, schema["items"]) for each in answer]
    if "object" not in schema["type"]:
        return answer
    empty = {"object": {}, "array": [], "string": ""}
    left = {
        name: None if "null" in of["type"] else empty[of["type"]]
        for name, of in schema["properties"].items()
    }
    return {
        name: filled_up(value, schema["properties"][name])
        for name, value in {**left, **answer}.items()
    }


@pytest.mark.parametrize(
    "answer",
    [
        output("r", profile={"summary": "s"}, data={"amount": 1.5, "people": 2, "urgent": True}),
        output("r", data={"evidence": [{"name": "n", "pages": 1, "kind": "paper"}]}),
        asks("clarify", {"field": "amount", "question": "How much?"}),
        asks("select", {"field": "side", "question": "?", "options": ["plaintiff", "defendant"]}),
    ],
)
def test_what_is_taken_is_what_the_schema_asks_for(answer: dict[str, Any]) -> None:
    assert isinstance(read(answer), Output)
    schema = schema_of(INTAKE, MATTER.definition)
    whole = filled_up(answer, schema)
    jsonschema.validate(whole, schema)
    assert read(whole) == read(answer)
