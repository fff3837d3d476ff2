"""`signoff upgrade-folder`: a folder of earlier versions, as it is written today."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import TypeAdapter, ValidationError

from adapters.filesystem import read_text
from bot.definitions.loader import try_load_legacy
from bot.project import PROJECT_FILE
from bot.setting_rules import ZoneName
from cards.frozen import Frozen
from cards.texts import COMPLETE
from engine.errors import DefinitionError
from engine.playbooks.legacy import Legacy
from engine.playbooks.records import Batch, Over
from engine.yaml.source import Problems, read_yaml

_SKILLS: Final = ("skills/*.yaml", "*/skills/*.yaml", "playbooks/*/skills/*.yaml")
_LINE: Final = 10_000


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file's text as it is, "" for one that is not there, and as it would be."""

    path: Path
    before: str
    after: str

    def diff(self) -> str:
        """The change as a unified diff."""
        name = str(self.path)
        lines = (self.before.splitlines(keepends=True), self.after.splitlines(keepends=True))
        return "".join(difflib.unified_diff(*lines, name if self.before else "/dev/null", name))


def upgrade_folder(folder: Path, *, zone: str, write: bool) -> int:
    """Print what would change, and with `write` change it; 1 where something is left to write.

    Raises DefinitionError for a folder without playbooks, or when nothing says its time `zone`.
    """
    changes = list(find_changes(folder, zone))
    for change in changes:
        print(change.diff(), end="")
        if write:
            change.path.write_text(change.after, encoding="utf-8")
    if not changes:
        print("nothing to change")
    return 1 if changes and not write else 0


def find_changes(folder: Path, zone: str) -> Iterator[FileChange]:
    """What is not as it is written today. Raises DefinitionError."""
    roots = [each for each in (folder, folder / "playbooks") if any(each.glob("*/playbook.yaml"))]
    if not roots:
        raise DefinitionError(f"{folder}: there is no playbook in it")
    project = folder / PROJECT_FILE
    if not project.exists():
        _check_zone(zone)
        text = f"languages: [{', '.join(COMPLETE)}]\ntimezone: {zone}\n"
        yield FileChange(project, "", text)
    problems = Problems()
    legacy = try_load_legacy(roots[0], problems)
    problems.raise_if_any()
    for path in sorted(each for pattern in _SKILLS for each in folder.glob(pattern)):
        before = read_text(path)
        after = upgrade_skill_text(before, legacy, str(path))
        if after != before:
            yield FileChange(path, before, after)


def _check_zone(zone: str) -> None:
    try:
        TypeAdapter(ZoneName).validate_python(zone)
    except ValidationError as error:
        told = f"--timezone: should be an IANA time zone, as in Europe/Berlin, not {zone!r}"
        raise DefinitionError(told) from error


def upgrade_skill_text(text: str, legacy: Legacy, file: str) -> str:
    """The text of a skill with its lists of records as they are named today; all else stays."""
    given = read_yaml(text, file=file).data
    wanted = legacy.upgrade_skill(given)
    if wanted == given:
        return text
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    try:
        spans = sorted(_changed_spans(root, given, wanted))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, (error.title, *first["loc"])))
        raise DefinitionError(f"{file}: {where}: {first['msg']}") from error
    for start, end, plain in reversed(spans):
        tail = text[start:end][len(text[start:end].rstrip()) :]
        text = f"{text[:start]}{plain}{tail}{text[end:]}"
    return text


def _changed_spans(root: Any, given: Any, wanted: Any) -> Iterator[tuple[int, int, str]]:
    """Where lists of records stand that change, and what stands there then."""
    sop, was, now = _child(root, "sop"), given["sop"], wanted["sop"]
    if was.get("batch") != now.get("batch"):
        yield _replaced(_child(sop, "batch"), Batch.model_validate(now["batch"]))
    for name, node in (now.get("nodes") or {}).items():
        if node != was["nodes"][name]:
            place = _child(_child(_child(sop, "nodes"), name), "over")
            yield _replaced(place, Over.model_validate(node["over"]))


def _replaced(node: Any, value: Frozen) -> tuple[int, int, str]:
    plain = yaml.safe_dump(
        value.model_dump(mode="json", by_alias=True, exclude_defaults=True),
        default_flow_style=True,
        allow_unicode=True,
        sort_keys=False,
        width=_LINE,
    )
    return node.start_mark.index, node.end_mark.index, plain.strip()


def _child(node: Any, name: str) -> Any:
    return next(value for key, value in node.value if key.value == name)
