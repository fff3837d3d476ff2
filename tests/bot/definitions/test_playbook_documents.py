"""Documents of playbooks are checked like the rest of what defines a service."""

from pathlib import Path

import pytest

from bot.operate.validation import check_definitions, validate
from bot.settings import Settings
from engine.errors import DefinitionError


def test_the_documents_of_the_sample_are_well(playbooks: Path) -> None:
    assert validate(playbooks, playbooks / "people.yaml") == []


def test_a_faulty_document_is_told_and_prevents_the_start(playbooks: Path, tmp_path: Path) -> None:
    file = playbooks / "clinical_qc" / "documents" / "faulty.md"
    file.write_text("no title")
    told = f"{file}:1: should begin with a line '# TITLE'"
    assert validate(playbooks, playbooks / "people.yaml") == [told]
    settings = Settings(
        _env_file=None,
        playbooks=playbooks,
        people=playbooks / "people.yaml",
        data_dir=tmp_path / "data",
    )
    with pytest.raises(DefinitionError) as caught:
        check_definitions(settings)
    assert list(caught.value.problems) == [told]
