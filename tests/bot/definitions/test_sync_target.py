"""Where a playbook sends its runs' changes is checked before the service starts."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.definitions.loader import load_definitions
from bot.operate.validation import find_problems
from bot.wiring.connections import load_connections
from engine.errors import DefinitionError
from tests.fakes.settings import make_settings


def syncing(playbooks: Path, to: str) -> Path:
    main = playbooks / "clinical_qc" / "playbook.yaml"
    text = main.read_text(encoding="utf-8").rstrip()
    main.write_text(f"{text}\n\nsync:\n  to: {to}\n  fields: [ecog]\n", encoding="utf-8")
    return main


def loaded(playbooks: Path, secret: str | None = None) -> list[str]:
    settings = make_settings(
        playbooks=playbooks,
        people=playbooks / "people.yaml",
        sync_secret=SecretStr(secret) if secret else None,
    )
    try:
        load_definitions(settings, load_connections(settings).toolbox)
    except DefinitionError as error:
        return list(error.problems)
    return []


@pytest.mark.parametrize("to", ["ftp://record.example.com/x", "https://a:b@record.example.com/"])
def test_a_target_that_is_no_address_is_told_where_it_stands(playbooks: Path, to: str) -> None:
    main = syncing(playbooks, to)
    line = main.read_text(encoding="utf-8").splitlines().index(f"  to: {to}") + 1
    (told,) = find_problems(make_settings(playbooks=playbooks, people=playbooks / "people.yaml"))
    assert told.startswith(f"{main}:{line}: sync.to: should be sample or an address; ")
    assert loaded(playbooks, "secret") == [told]


def test_an_address_needs_a_secret_and_the_sample_none(playbooks: Path) -> None:
    main = syncing(playbooks, "https://record.example.com/changes")
    assert loaded(playbooks, "secret") == []
    assert loaded(playbooks) == [
        "SIGNOFF_SYNC_SECRET: is needed, since playbook 'clinical_qc' sends changes to"
        " https://record.example.com/changes"
    ]
    text = main.read_text(encoding="utf-8")
    main.write_text(text.replace("https://record.example.com/changes", "sample"), encoding="utf-8")
    assert loaded(playbooks) == []
