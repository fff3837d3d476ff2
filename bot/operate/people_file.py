"""`signoff people add` and `import`: entries of people.yaml, written beside what stands there."""

import csv
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adapters.filesystem import read_text
from bot.people.directory import load_people
from bot.people.edit import Values, add_person, change_person
from bot.people.file import Rules, parse_people
from bot.settings import Settings
from engine.errors import DefinitionError
from engine.yaml.faults import suggestion

READ_AGAIN: Final = "running web and worker processes with this file read it again within 4 s"
_TEXTS: Final = ("id", "name", "web", "email", "language", "zone", "manager")
_SEPARATORS: Final = re.compile(r"[;\s]+")


@dataclass(frozen=True, slots=True)
class PersonChange:
    """What becomes of a person: added, or given these values in place of the old ones."""

    person: str
    values: Values
    is_new: bool
    before: Mapping[str, object]

    def apply(self, text: str) -> str:
        """The text of people.yaml with it."""
        if self.is_new:
            return add_person(text, self.values)
        return change_person(text, self.person, self.values)

    def __str__(self) -> str:
        if self.is_new:
            return f"add {self.person} ({self.values['name']})"
        old = {key: _shown(self.before.get(key, "")) for key in self.values}
        parts = (f"{key}: {old[key]} -> {_shown(value)}" for key, value in self.values.items())
        return f"change {self.person}: {'; '.join(parts)}"


def add_to_file(settings: Settings, values: Values) -> int:
    """Write one more person into people.yaml. Raises DefinitionError for one that does not fit."""
    people = load_people(settings.people, settings.accounts)
    person = str(values["id"])
    if any(each.id == person for each in people.people):
        raise DefinitionError(f"{person}: is in {settings.people} already")
    text = add_person(read_text(settings.people), values)
    write_people(settings.people, text, settings.accounts)
    print(f"{person}: added to {settings.people}")
    print(READ_AGAIN)
    return 0


def import_into_file(settings: Settings, table: Path, *, dry_run: bool) -> int:
    """Print what a table of people changes, and unless `dry_run` write it.

    Raises DefinitionError with every problem of the table, or of the file as it would be.
    """
    load_people(settings.people, settings.accounts)
    rows = list(_read_table(table, settings.accounts))
    changes = list(_find_changes(settings, rows))
    text = read_text(settings.people)
    for change in changes:
        text = change.apply(text)
    # What would not be accepted is not shown as if it were.
    parse_people(text, str(settings.people), settings.accounts)
    for change in changes:
        print(change)
    print(f"{len(rows) - len(changes)} as they are")
    if changes and not dry_run:
        write_people(settings.people, text, settings.accounts)
        print(f"{settings.people}: written; {READ_AGAIN}")
    return 0


def write_people(path: Path, text: str, rules: Rules) -> None:
    """Put a text in the file's place, once it is right. Raises DefinitionError."""
    parse_people(text, str(path), rules)
    target = path.resolve()
    old = target.read_bytes()
    ending = b"\r\n" if b"\r\n" in old else b"\n"
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".people-", delete=False) as file:
        file.write(text.encode().replace(b"\n", ending))
        file.flush()
        os.fsync(file.fileno())
    os.chmod(file.name, target.stat().st_mode & 0o777)
    os.replace(file.name, target)


def _read_table(table: Path, rules: Rules) -> Iterator[Values]:
    """Yield the values of each line, without empty cells."""
    try:
        text = read_text(table, "utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{table}: cannot be read as a CSV file in UTF-8: {error}") from error
    head = text.partition("\n")[0]
    reader = csv.DictReader(text.splitlines(), delimiter=";" if ";" in head else ",")
    lists = ("roles", *(name for name in rules if rules[name].form))
    columns = [name.strip() for name in reader.fieldnames or ()]
    _check_columns(table, columns, (*_TEXTS, *lists))
    faults: list[str] = []
    seen: set[str] = set()
    for row in reader:
        at = f"{table}:{reader.line_num}"
        cells = {(k or "").strip(): (v or "").strip() for k, v in row.items() if k is not None}
        if None in row or not cells.get("id"):
            faults.append(f"{at}: " + ("has too many cells" if None in row else "has no id"))
            continue
        if cells["id"] in seen:
            faults.append(f"{at}: {cells['id']} stands twice")
        seen.add(cells["id"])
        yield {
            key: [part for part in _SEPARATORS.split(value) if part] if key in lists else value
            for key, value in cells.items()
            if value
        }
    if faults:
        raise DefinitionError(*faults)


def _check_columns(table: Path, columns: Sequence[str], known: Sequence[str]) -> None:
    faults = []
    for name in columns:
        if name not in known:
            hint = suggestion(name, set(known))
            faults.append(f"{table}:1: {name!r} is no column; {hint or ', '.join(known)}")
    if "id" not in columns:
        faults.append(f"{table}:1: there is no column 'id'; the first line names the columns")
    if len(set(columns)) < len(columns):
        faults.append(f"{table}:1: a column stands twice")
    if faults:
        raise DefinitionError(*faults)


def _find_changes(settings: Settings, rows: Sequence[Values]) -> Iterator[PersonChange]:
    people = load_people(settings.people, settings.accounts)
    known = {person.id: person.model_dump(mode="json") for person in people.people}
    faults = [f"{row['id']}: has no name" for row in rows if row["id"] not in known | _named(row)]
    if faults:
        raise DefinitionError(*faults)
    for row in rows:
        person = str(row["id"])
        before = known.get(person)
        if before is None:
            yield PersonChange(person, row, True, {})
            continue
        new = {key: value for key, value in row.items() if value != before.get(key)}
        if new:
            yield PersonChange(person, new, False, before)


def _named(row: Values) -> dict[str, object]:
    return {str(row["id"]): row} if row.get("name") else {}


def _shown(value: object) -> str:
    if isinstance(value, str) or value is None:
        return value or "nothing"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) and value else "nothing"
