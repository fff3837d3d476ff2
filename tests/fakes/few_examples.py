"""Playbooks with few examples, for what takes the longer the more of them there are."""

import re
import shutil
from pathlib import Path

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"
EACH = 40
"""So many examples of each list stay: some of them look like those of another."""


def few_examples(folder: Path) -> dict[str, str]:
    """The shipped playbook of clinical data in the folder, as variables name it."""
    copy = Path(shutil.copytree(PLAYBOOKS / "clinical_qc", folder / "few" / "clinical_qc"))
    for path in (copy / "playbook.yaml", shutil.copy(PLAYBOOKS / "talk.yaml", copy.parent)):
        text = Path(path).read_text(encoding="utf-8")
        Path(path).write_text(_shortened(text), encoding="utf-8")
    for name in ("connections.yaml", "signoff.yaml"):
        shutil.copy(PLAYBOOKS / name, copy.parent)
    return {
        "SIGNOFF_PLAYBOOKS": str(copy.parent),
        "SIGNOFF_PEOPLE": str(PLAYBOOKS / "people.yaml"),
    }


def _shortened(text: str) -> str:
    """The first lines of each list of examples (of texts only) in YAML."""
    return re.sub(
        rf"((?:^ *- (?!id:).*\n){{{EACH}}})(?:^ *- (?!id:).*\n)+", r"\1", text, flags=re.M
    )
