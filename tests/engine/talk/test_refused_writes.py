"""A write that a question may not do leads to the request that does it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.playbooks.load import load
from engine.talk.turn.answers import _leads_to

ROOT = Path(__file__).parents[3] / "playbooks" / "clinical_qc"


def shipped() -> Any:
    paths = [ROOT / "playbook.yaml", *(ROOT / "skills").glob("*.yaml")]
    texts = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in paths}
    return load(texts, roles=("crc", "reviewer"), held=("reviewer",))


@pytest.mark.parametrize(
    ("refused", "requests"),
    [
        (["record_visit"], ["visit-entry"]),
        (["memory__remember"], ["conclusion-note"]),
        (["delete_all"], []),
        ([], []),
    ],
)
def test_the_request_whose_skills_reach_the_tool_is_offered(
    refused: list[str], requests: list[str]
) -> None:
    services: Any = SimpleNamespace(playbooks={"clinical_qc": shipped()})
    assert [each.request for each in _leads_to(refused, services)] == requests
