"""The project folder of a choir: tours whose places, days and hotels belong together."""

from pathlib import Path
from typing import Any

import yaml

from tests.fakes.folders import write_files

PEOPLE: dict[str, list[dict[str, Any]]] = {
    "roles": [{"id": "treasurer", "en": "treasurer", "zh": "司库"}],
    "people": [
        {"id": "mia", "name": "Mia Lund", "web": "mia"},
        {"id": "jon", "name": "Jon Aas", "web": "jon"},
        {"id": "eva", "name": "Eva Dahl", "web": "eva", "roles": ["treasurer"]},
    ],
}


def _ask(name: str, title: dict[str, str], fields: list[str]) -> dict[str, object]:
    return {
        "id": f"ask-{name}",
        "name": title,
        "description": title,
        "category": "intake",
        "kind": "prompt",
        "provides": fields,
        "ask": {"title": title, "text": title, "fields": fields},
    }


def tour() -> dict[str, object]:
    """The playbook's file: a tour is planned, then its hotel is booked."""
    return {
        "id": "tour",
        "name": {"en": "Choir tour", "zh": "合唱团巡演"},
        "project": "CHOIR",
        "case": "conversation",
        "cues": ["plan", "book", "筹备", "预订"],
        "requests": [
            {
                "id": "plan",
                "name": {"en": "Plan a tour", "zh": "筹备巡演"},
                "phases": ["plan"],
                "examples": ["plan a tour", "plan our next tour", "筹备一次巡演"],
            },
            {
                "id": "hotel",
                "name": {"en": "Book the hotel", "zh": "预订酒店"},
                "phases": ["plan", "hotel"],
                "examples": ["book the hotel", "book a hotel for the choir", "预订酒店"],
            },
        ],
        "decision_fields": ["hotel"],
        "data_fields": {
            "city": {"label": {"en": "City", "zh": "城市"}},
            "hall": {"label": {"en": "Concert hall", "zh": "音乐厅"}},
            "singers": {"label": {"en": "Singers", "zh": "歌手人数"}, "type": "integer"},
            "day": {"label": {"en": "Day of the concert", "zh": "演出日期"}, "type": "date"},
            "hotel": {"label": {"en": "Hotel", "zh": "酒店"}},
            "price": {
                "label": {"en": "Price of a room", "zh": "房价"},
                "type": "money",
                "currencies": ["EUR"],
            },
        },
        "phases": [
            {
                "id": "plan",
                "name": {"en": "Plan", "zh": "计划"},
                "goal": {"en": "The concert is known", "zh": "演出已确定"},
                "allowed_skills": ["ask-plan"],
                "checkpoints": ["city", "hall", "singers", "day"],
            },
            {
                "id": "hotel",
                "name": {"en": "Hotel", "zh": "酒店"},
                "goal": {"en": "The hotel is approved", "zh": "酒店已批准"},
                "depends_on": ["plan"],
                "allowed_skills": ["ask-hotel", "approve"],
                "checkpoints": ["hotel", "price"],
                "gate_field": "decisions.hotel",
                "gate_value": "approved",
            },
        ],
    }


def skills() -> list[dict[str, object]]:
    """Two forms and a review."""
    return [
        _ask("plan", {"en": "The concert", "zh": "演出"}, ["city", "hall", "singers", "day"]),
        _ask("hotel", {"en": "The hotel", "zh": "酒店"}, ["hotel", "price"]),
        {
            "id": "approve",
            "name": {"en": "Approval", "zh": "审批"},
            "description": {"en": "The treasurer approves", "zh": "司库审批"},
            "category": "review",
            "kind": "sop",
            "requires": [{"field": "hotel", "check": "not_empty"}],
            "provides": ["decisions.hotel"],
            "sop": {
                "start_node": "sign",
                "nodes": {
                    "sign": {
                        "type": "human_review",
                        "title": {"en": "A hotel for the choir", "zh": "合唱团酒店"},
                        "review": {"roles": ["treasurer"]},
                        "presents": ["city", "hotel", "price"],
                        "decision": "hotel",
                        "on_approve": "end_approved",
                        "on_reject": "end_rejected",
                    }
                },
                "outcomes": {
                    "end_approved": {"decisions.hotel": "approved"},
                    "end_rejected": {"decisions.hotel": "rejected"},
                },
            },
        },
    ]


class _Plain(yaml.SafeDumper):
    """Without anchors, which no file of a folder may have."""

    def ignore_aliases(self, data: object) -> bool:
        """Everything is written out."""
        return True


def _text(data: object) -> str:
    return yaml.dump(data, Dumper=_Plain, allow_unicode=True)


def write_tour(folder: Path) -> Path:
    """A project folder that `start` can serve."""
    own = "playbooks/tour"
    files = {"people.yaml": PEOPLE, f"{own}/playbook.yaml": tour()}
    files |= {f"{own}/skills/{skill['id']}.yaml": skill for skill in skills()}
    return write_files(folder, {name: _text(data) for name, data in files.items()})
