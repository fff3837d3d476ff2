"""The schema that a model is asked to keep, over the shipped litigation playbook (spec 003)."""

from pathlib import Path

import pytest

from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.skills.output import Output, read_output, schema_of
from tests.fakes.model_checks import violations

FOLDER = Path(__file__).parents[3] / "playbooks" / "litigation_civil_prosecution"


@pytest.fixture(scope="module")
def playbook() -> Playbook:
    paths = [FOLDER / "playbook.yaml", *(FOLDER / "skills").glob("*.yaml")]
    texts = {str(path): path.read_text("utf-8") for path in paths}
    return load(texts, roles=None, held=None)


def test_every_skill_of_a_model_has_a_schema_that_a_strict_server_takes(
    playbook: Playbook,
) -> None:
    skills = [skill for skill in playbook.skills.values() if skill.system_prompt]
    assert len(skills) == 13
    for skill in skills:
        schema = schema_of(skill, playbook.definition)
        form = {"name": "answer", "schema": schema, "strict": True}
        messages = [{"role": "user", "content": "x"}]
        body = {
            "model": "m",
            "messages": messages,
            "response_format": {"type": "json_schema", "json_schema": form},
        }
        assert list(violations(body)) == []
        asked = schema["properties"]["control"]["properties"]["questions"]["items"]
        assert asked["properties"]["field"]["enum"]


def test_null_leaves_a_field_out(playbook: Playbook) -> None:
    skill = playbook.skills["evidence-analysis"]
    text = """{"response": "", "profile": {}, "data": {"evidence_gaps": null, "evidence_list":
    [{"name": "a", "type": null, "proves": null, "status": null}]},
    "control": {"action": "continue", "review_type": null, "questions": []}}"""
    read = read_output(text, skill, playbook.definition)
    assert isinstance(read, Output)
    assert list(read.data) == ["evidence_list"]
