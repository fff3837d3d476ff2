"""Projects of domains that nothing here was tuned on, with as many examples as one likes."""

from datetime import date
from pathlib import Path
from typing import Any

import yaml

from bot.definitions.loader import DEFAULT_TALK
from cards.model import Principal
from engine.playbooks.model import PlaybookFile
from engine.understanding.context import RouteContext
from engine.understanding.learned.table import RouteTable
from engine.understanding.learned.talk import Talk
from tests.engine.understanding.frames.frames import Request

DOMAINS = Path(__file__).parent / "domains"
NAMES = ("beekeepers", "streetlights")
BOTH = ("en", "zh")


def read_unseen(name: str, count: int, langs: tuple[str, ...] = BOTH) -> RouteContext:
    """What the router knows of a domain by so many examples of each work, in some languages."""
    domain = yaml.safe_load((DOMAINS / f"{name}.yaml").read_text("utf-8"))
    entities = {
        each["id"]: {"name": each["title"], "pattern": each["pattern"]} for each in domain["things"]
    }
    playbooks = {
        work["id"]: PlaybookFile.model_validate(_playbook(work, entities, count, langs))
        for work in domain["works"]
    }
    talk = Talk.model_validate(yaml.safe_load(DEFAULT_TALK.read_text("utf-8")))
    table = RouteTable(playbooks, (), talk)
    return RouteContext(
        table=table,
        entities=table.entities,
        tools=(),
        open_cards=(),
        principal=Principal(id="ana", name="Ana"),
        today=date(2026, 11, 23),
        recent=(),
        lang="en",
    )


def held_out(name: str, count: int, langs: tuple[str, ...] = BOTH) -> tuple[Request, ...]:
    """The examples of the domain that are not among the first so many."""
    domain = yaml.safe_load((DOMAINS / f"{name}.yaml").read_text("utf-8"))
    return tuple(
        Request(text, f"{work['id']}/{work['id']}")
        for work in domain["works"]
        for lang in langs
        for text in work["examples"][lang][count:]
    )


def _playbook(
    work: dict[str, Any], entities: dict[str, Any], count: int, langs: tuple[str, ...]
) -> dict[str, Any]:
    examples = [text for lang in langs for text in work["examples"][lang][:count]]
    phase = {"name": work["title"], "goal": work["title"], "allowed_skills": ["s"]}
    return {
        "id": work["id"],
        "name": work["title"],
        "project": "P",
        "entities": entities,
        "requests": [{"id": work["id"], "name": work["title"], "examples": examples}],
        "phases": [{"id": "p", **phase}],
    }
