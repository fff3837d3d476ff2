"""Documents of playbooks are checked like the rest of what defines a service."""

from pathlib import Path

import pytest

from bot.operate.start_check import check_definitions
from bot.operate.validation import find_problems
from bot.settings import Settings
from engine.errors import DefinitionError
from tests.fakes.settings import make_settings


@pytest.fixture
def settings(playbooks: Path, tmp_path: Path) -> Settings:
    people, data = playbooks / "people.yaml", tmp_path / "data"
    return make_settings(playbooks=playbooks, people=people, data_dir=data)


def test_the_documents_of_the_sample_are_well(settings: Settings) -> None:
    assert find_problems(settings) == []


def test_a_faulty_document_is_told_and_prevents_the_start(
    playbooks: Path, settings: Settings
) -> None:
    file = playbooks / "clinical_qc" / "documents" / "faulty.md"
    file.write_text("no title")
    told = f"{file}:1: should begin with a line '# TITLE'"
    assert find_problems(settings) == [told]
    with pytest.raises(DefinitionError) as caught:
        check_definitions(settings)
    assert list(caught.value.problems) == [told]
