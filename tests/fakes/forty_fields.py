"""A register whose members have ids such as 001-0023, and 40 fields in 6 forms each."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.fakes.folders import write_files

FORMS = ("intake", "history", "weights", "checks", "samples", "closing")
KINDS: tuple[dict[str, Any], ...] = (
    {"type": "text"},
    {"type": "integer", "minimum": 0, "maximum": 200},
    {"type": "number", "unit": "kg", "minimum": 0.5, "maximum": 900},
    {"type": "date", "maximum": "today"},
    {"type": "choice", "options": {"low": "Low", "high": "High"}},
    {"type": "boolean"},
    {"type": "time"},
)
GIVEN = ("fair", "12", "62.5", "2026-02-03", "High", "yes", "08:30")
"""What somebody types into a field of each kind."""
COUNT = 40
PEOPLE = "roles: []\npeople:\n  - {id: ida, name: Ida, web: ida}\n"
TOOLS = """\
find_member:
  description: A member of the register.
  reads: {connection: register, sql: "SELECT id, state FROM members WHERE id = :member"}
  arguments:
    member: {label: Member, type: entity, entity: member}
  columns: {id: {label: Member}, state: {label: State}}
  tell: "{id} is {state}."
  cues: [state]
  examples: [what is the state of 001-0023]
"""


def fields() -> dict[str, dict[str, Any]]:
    """The 40 fields by name, in their order; each form begins another one."""
    names = [f"{FORMS[n * len(FORMS) // COUNT]}_{n}" for n in range(COUNT)]
    return {
        name: {"label": f"Field {name}", **KINDS[n % len(KINDS)]} for n, name in enumerate(names)
    }


def of_form(form: str) -> dict[str, str]:
    """What somebody types into the fields of a form."""
    return {
        name: GIVEN[n % len(KINDS)]
        for n, name in enumerate(fields())
        if name.startswith(f"{form}_")
    }


def write_register(folder: Path) -> Path:
    """Write the folder, with its database."""
    book = "playbooks/register"
    asked = {f"{book}/skills/ask-{form}.yaml": json.dumps(_ask(form), indent=1) for form in FORMS}
    files = {
        "people.yaml": PEOPLE,
        "connections.yaml": "register: {kind: sql, file: register.sqlite3}\n",
        f"{book}/tools.yaml": TOOLS,
        f"{book}/playbook.yaml": json.dumps(_playbook(), indent=1),
    }
    write_files(folder, files | asked)
    with closing(sqlite3.connect(folder / "register.sqlite3")) as db:
        db.execute("CREATE TABLE members (id TEXT PRIMARY KEY, state TEXT)")
        db.execute("INSERT INTO members VALUES ('001-0023', 'active')")
        db.commit()
    return folder


def _playbook() -> dict[str, Any]:
    member = {"label": "Member", "entity": "member", "identity": True}
    return {
        "id": "register",
        "name": "Register",
        "project": "REGISTER",
        "cues": ["record", "register", "file"],
        "requests": [
            {
                "id": "record",
                "name": "Record a member",
                "examples": [
                    "record the member 001-0023",
                    "please record a member",
                    "register member 001-0023",
                    "record the data of 014-0002",
                ],
            }
        ],
        "entities": {"member": {"name": "Member", "pattern": "[0-9]{3}-[0-9]{4}"}},
        "data_fields": {"member": member, **fields()},
        "phases": [
            {
                "id": form,
                "name": form.title(),
                "goal": f"The form {form} is filled in",
                "allowed_skills": [f"ask-{form}"],
                "checkpoints": _asked(form),
            }
            for form in FORMS
        ],
    }


def _ask(form: str) -> dict[str, Any]:
    return {
        "id": f"ask-{form}",
        "name": form.title(),
        "description": f"Asks for the form {form}",
        "category": "intake",
        "kind": "prompt",
        "provides": _asked(form),
        "ask": {"title": f"Form {form}", "text": "Please fill this in.", "fields": _asked(form)},
    }


def _asked(form: str) -> list[str]:
    own = [*of_form(form)]
    return ["member", *own] if form == FORMS[0] else own
