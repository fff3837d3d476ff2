"""The JSON object of a model's answer: found whatever stands around it, never guessed."""

import json

import pytest

from cards.frozen import Frozen
from engine.text.answer import MORE_THAN_ONE, NOT_ONE, AnswerFaults, object_schema, read_answer
from tests.fakes.tables import table


class Person(Frozen):
    name: str
    age: int = 0


ANN = json.dumps({"name": "Ann", "age": 40})
FENCED = f"```json\n{ANN}\n```"


@table(
    "text",
    [
        ANN,
        json.dumps(json.loads(ANN), indent=2),
        FENCED,
        f"```\n{ANN}\n```",
        f"\ufeffHere it is: {ANN} Anything else?",
        f"As {{asked}} for, this is her:\n{FENCED}\nGood.",
        f"<think>Is it {{}}, or {ANN}?</think>{ANN}",
        f"<Thinking>\n{FENCED}\n</Thinking>\n{FENCED}",
        f'The "name" and the "age" are these:\n{FENCED}',
    ],
)
def test_an_object_is_found_whole_in_a_fence_in_prose_and_after_thoughts(text: str) -> None:
    assert read_answer(text, Person) == Person(name="Ann", age=40)


@pytest.mark.parametrize("words", ["<think>a</think>", "```\\nx {}\\n```", "{", "] ["])
def test_what_stands_inside_its_texts_is_left_alone(words: str) -> None:
    found = read_answer(f'{{"name": "{words}"}}', Person)
    assert found == Person(name=json.loads(f'"{words}"'))


@table(
    ("text", "fault"),
    [
        ("", NOT_ONE),
        ("Ann, 40", NOT_ONE),
        (ANN[:-1], NOT_ONE),
        (f"[{ANN}]", NOT_ONE),
        (f"{ANN} {ANN}", NOT_ONE),
        (f"<think>{ANN}</think> I do not know.", NOT_ONE),
        (f"{FENCED}\n{FENCED}", MORE_THAN_ONE),
        (f'It says {{"name": "Bob"}}. Mine:\n{FENCED}', MORE_THAN_ONE),
        ('{"name": "Ann", "name": "Bob"}', "key 'name' stands twice in one object"),
        ('{"name": "Ann", "age": NaN}', "NaN is no JSON number"),
        ('{"name": "Ann", "age": "old"}', "age: "),
        ('{"name": "Ann", "born": 1980}', "born: unknown key"),
        ('{"age": 40}', "name: is required"),
    ],
)
def test_what_is_not_one_fitting_object_is_told_with_its_faults(text: str, fault: str) -> None:
    found = read_answer(text, Person)
    assert isinstance(found, AnswerFaults)
    assert any(told.startswith(fault) for told in found), found


@pytest.mark.parametrize(("strict", "taken"), [(False, True), (True, False)])
def test_only_where_it_is_strict_a_value_of_another_type_is_a_fault(
    strict: bool, taken: bool
) -> None:
    found = read_answer('{"name": "Ann", "age": "40"}', Person, strict=strict)
    assert isinstance(found, Person) == taken


def test_at_most_twenty_faults_are_told() -> None:
    found = read_answer(json.dumps(dict.fromkeys(map(str, range(50)), 1)), Person)
    assert isinstance(found, AnswerFaults)
    assert len(found) == 20


def test_a_schema_wants_every_key_and_no_other() -> None:
    schema = object_schema({"name": {"type": "string"}})
    assert (schema["required"], schema["additionalProperties"]) == (["name"], False)
