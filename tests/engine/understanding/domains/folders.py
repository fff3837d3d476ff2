"""Two project folders of domains that are no sample's, with what people ask of them."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from bot.definitions.loader import load_definitions
from bot.wiring.connections import load_connections
from engine.playbooks.model import Playbook
from engine.text.language import detect_language
from engine.understanding.context import RouteContext
from tests.engine.understanding.frames.projects import BOTH, Request, read_context
from tests.fakes.settings import make_settings

HERE = Path(__file__).parent
TUNED, UNSEEN = "clinic", "archive"
"""The rules were tuned on the one; the other was measured only."""


def read_folder(name: str, count: int, langs: Sequence[str] = BOTH) -> RouteContext:
    """What the router knows of a folder by so many examples of each request, in some languages."""
    with tempfile.TemporaryDirectory(prefix="signoff-domain-") as made:
        folder = Path(shutil.copytree(HERE / name, Path(made) / name))
        for path in folder.glob("playbooks/*/playbook.yaml"):
            playbook = yaml.safe_load(path.read_text("utf-8"))
            for request in playbook["requests"]:
                request["examples"] = [*_taught(request["examples"], count, langs)]
            path.write_text(yaml.safe_dump(playbook, allow_unicode=True), "utf-8")
        return read_context(folder)


def read_playbook(name: str, playbook: str) -> Playbook:
    """One playbook of a folder, as it is published."""
    folder = HERE / name
    wired = folder / "connections.yaml"
    settings = make_settings(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=wired if wired.exists() else None,
    )
    return load_definitions(settings, load_connections(settings).toolbox).playbooks[playbook]


def _taught(examples: Sequence[str], count: int, langs: Sequence[str]) -> Iterator[str]:
    for lang in langs:
        yield from [text for text in examples if detect_language(text) == lang][:count]


def asked_of(name: str, langs: Sequence[str] = BOTH) -> tuple[Request, ...]:
    """What people ask of it, in none of the words of an example."""
    asked: dict[str, dict[str, Any]] = yaml.safe_load(
        (HERE / name / "asked.yaml").read_text("utf-8")
    )
    return tuple(
        Request(text, group)
        for group, texts in asked.items()
        for lang in langs
        for text in texts[lang]
    )
