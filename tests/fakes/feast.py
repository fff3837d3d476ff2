"""The project folder of a caterer: feasts whose guests, menu and orders belong together."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.fakes.folders import write_files

PEOPLE: dict[str, list[dict[str, Any]]] = {
    "roles": [{"id": "planner", "en": "planner"}, {"id": "chef", "en": "chef"}],
    "people": [
        {"id": "ida", "name": "Ida", "web": "ida", "roles": ["planner"], "label": "planner"},
        {"id": "otto", "name": "Otto", "web": "otto", "roles": ["planner"], "label": "planner"},
        {"id": "rosa", "name": "Rosa", "web": "rosa", "roles": ["chef"], "label": "chef"},
    ],
}
SETTINGS = {"languages": ["en"], "timezone": "Europe/Berlin", "project": "KITCHEN"}


def _ask(name: str, *fields: str, **more: object) -> dict[str, object]:
    return {
        "id": f"ask-{name}",
        "name": f"Ask for {name}",
        "description": f"Asks for {name}",
        "category": "intake",
        "kind": "prompt",
        "provides": [*fields, *more.get("sets", {})],  # type: ignore[misc]
        "ask": {"title": name.capitalize(), "text": f"The {name}?", "fields": list(fields)},
        **more,
    }


def _phase(name: str, fields: list[str], skill: str, **more: object) -> dict[str, object]:
    return {
        "id": name,
        "name": name.capitalize(),
        "goal": f"The {name} is known",
        "allowed_skills": [skill],
        "checkpoints": fields,
        **more,
    }


def feast(case: object) -> dict[str, object]:
    """The playbook's file, with that case."""
    return {
        "id": "feast",
        "name": "Feast",
        "project": "KITCHEN",
        "case": case,
        "cues": ["count", "settle", "choose", "draft", "write"],
        "entities": {"feast": {"pattern": "F-[0-9]{1,4}", "name": "Feast"}},
        "requests": [
            {
                "id": "guests",
                "name": "Count the guests",
                "phases": ["guests"],
                "examples": ["count the guests", "settle the guests", "fix the number of guests"],
            },
            {
                "id": "menu",
                "name": "Choose the menu",
                "phases": ["guests", "menu"],
                "examples": ["choose the menu", "settle the menu", "choose the menu for F-1"],
            },
            {
                "id": "invitation",
                "name": "Write an invitation",
                "phases": ["guests", "menu", "invitation"],
                "examples": ["write an invitation", "draft an invitation for F-1"],
            },
            {
                "id": "shopping",
                "name": "Add to the shopping",
                "phases": ["shopping"],
                "examples": ["add to the shopping", "plan the shopping", "write the shopping"],
            },
        ],
        "decision_fields": ["release"],
        "data_fields": {
            "feast": {"label": "Feast", "type": "entity", "entity": "feast"},
            "guests": {"label": "Guests", "type": "integer", "minimum": 1, "maximum": 900},
            "hall": {"label": "Hall"},
            "menu": {"label": "Menu", "type": "choice", "options": ["fish", "meat", "garden"]},
            "words": {"label": "Words of the invitation", "multiline": True},
            "shopping": {
                "label": "Shopping",
                "type": "list",
                "columns": {
                    "item": {"label": "Item"},
                    "pieces": {"label": "Pieces", "type": "integer"},
                },
            },
        },
        "phases": [
            _phase("guests", ["feast", "guests", "hall"], "ask-guests"),
            _phase("menu", ["menu"], "ask-menu", depends_on=["guests"]),
            _phase(
                "invitation",
                ["words"],
                "ask-words",
                gate_field="decisions.release",
                gate_value="approved",
            )
            | {"allowed_skills": ["ask-words", "release"]},
            _phase("shopping", ["feast", "shopping"], "ask-shopping"),
        ],
    }


RELEASE = {
    "id": "release",
    "name": "Release",
    "description": "The chef releases the invitation",
    "category": "review",
    "kind": "sop",
    "provides": ["decisions.release"],
    "requires": [{"field": "words", "check": "not_empty"}],
    "sop": {
        "start_node": "release",
        "nodes": {
            "release": {
                "type": "human_review",
                "title": "Please release the invitation",
                "review": {"roles": ["chef"]},
                "presents": ["feast", "guests", "hall", "menu", "words"],
                "decision": "release",
                "on_approve": "end_good",
                "on_reject": "end_bad",
            }
        },
        "outcomes": {
            "end_good": {"decisions.release": "approved"},
            "end_bad": {"decisions.release": "rejected"},
        },
    },
}
BY_FEAST = {"of": "feast", "own": ["words", "decisions.release"], "rows": {"shopping": "item"}}
BY_ROOM = {**BY_FEAST, "of": "conversation"}


def _sync(to: str) -> dict[str, object]:
    return {"sync": {"to": to, "fields": ["guests", "menu"]}} if to else {}


def write_feast(
    folder: Path,
    case: object = BY_FEAST,
    *,
    sync: str = "",
    accounts: Mapping[str, str] | None = None,
) -> Path:
    """Write it, with that case; guests and menu are sent to the address of `sync`.

    `accounts` are further lines of people.yaml, by person.
    """
    people = [
        {**each, **yaml.safe_load((accounts or {}).get(str(each["id"]), "{}"))}
        for each in PEOPLE["people"]
    ]
    skills = (
        _ask("guests", "feast", "guests", "hall"),
        _ask("menu", "menu"),
        _ask("words", "words"),
        _ask("shopping", "feast", "shopping"),
        RELEASE,
    )
    home = "playbooks/feast"
    files: dict[str, object] = {
        "people.yaml": {**PEOPLE, "people": people},
        "signoff.yaml": SETTINGS,
        f"{home}/playbook.yaml": {**feast(case), **_sync(sync)},
        **{f"{home}/skills/{skill['id']}.yaml": skill for skill in skills},
    }
    texts = {name: yaml.safe_dump(data, sort_keys=False) for name, data in files.items()}
    return write_files(folder, texts)
