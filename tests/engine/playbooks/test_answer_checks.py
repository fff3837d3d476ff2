"""What is wrong with a playbook's answers is told when it is loaded, where it stands."""

import re

import pytest

from engine.errors import DefinitionError
from engine.playbooks.answer import MAX_ANSWERS
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from tests.engine.playbooks.answer_cases import CASES, ELSEWHERE
from tests.fakes.garage import FILES
from tests.fakes.garage_answers import ANSWERS, ENGLISH_ANSWERS
from tests.fakes.tables import table

FILE = "hoists/answers.yaml"
REST = {name: text for name, text in FILES.items() if name.startswith("hoists/")}
DOCUMENTS = {
    "rules.en.md": ("", "Waste", "Test drives"),
    "rules.zh.md": ("", "废弃物"),
    "rules.md": ("Waste",),
    "faulty.md": None,
}


def loaded(answers: str, languages: tuple[str, ...] = ("en", "zh")) -> Playbook:
    return load(
        {**REST, FILE: answers},
        roles=("mechanic", "foreman"),
        held=None,
        languages=languages,
        documents=DOCUMENTS,
    )


def test_sound_answers_are_part_of_the_playbook_and_its_digest() -> None:
    playbook = loaded(ANSWERS)
    assert list(playbook.answers) == ["hours", "oil", "spare", "safe"]
    assert len(playbook.answers["hours"].questions) == 5
    assert Playbook.model_validate_json(playbook.model_dump_json()) == playbook
    assert loaded(ANSWERS.replace("8 to 18", "9 to 18")).digest != playbook.digest
    assert list(loaded(ENGLISH_ANSWERS, ("en",)).answers) == ["hours", "oil"]
    assert loaded("").answers == {}


def test_a_playbook_that_was_stored_without_answers_has_none() -> None:
    stored = loaded("").model_dump()
    del stored["answers"]
    assert Playbook.model_validate(stored).answers == {}


@table(("old", "new", "told"), CASES)
def test_each_fault_is_told_with_its_place(old: str, new: str, told: str) -> None:
    assert old in ANSWERS
    languages = ("en", "zh", "ja") if "ja" in told else ("en", "zh")
    with pytest.raises(DefinitionError) as caught:
        loaded(ANSWERS.replace(old, new), languages)
    problems = [p for p in caught.value.problems if re.match(r"hoists/answers\.yaml:\d+: ", p)]
    assert any(told in problem for problem in problems), caught.value.problems


def test_what_is_no_list_of_answers_and_what_is_too_long_is_told() -> None:
    many = "".join(f"a{n}: {{examples: [is it {n}], text: x}}\n" for n in range(MAX_ANSWERS + 1))
    long = f"a: {{examples: [x y], text: {'x' * 4001}}}\n"
    for answers, told in zip(("- hours\n", many, long), ELSEWHERE, strict=True):
        with pytest.raises(DefinitionError, match=re.escape(told)):
            loaded(answers)


def test_a_document_with_faults_of_its_own_is_no_fault_of_the_answer() -> None:
    assert loaded("a: {examples: [is it so], document: {file: faulty.md, heading: X}}").answers


def test_no_tool_of_a_playbook_takes_the_name_of_what_finds_answers() -> None:
    tools = REST["hoists/tools.yaml"].replace("list_hoists:", "answers__find:")
    with pytest.raises(DefinitionError, match="there is a tool 'answers__find' already"):
        load({**REST, "hoists/tools.yaml": tools}, roles=None, held=None, tools={})
