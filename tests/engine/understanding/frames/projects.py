"""Projects as the router knows them, and what people ask of them: those that ship, and two more."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml

from bot.definitions.loader import DEFAULT_TALK, load_definitions
from bot.wiring.connections import load_connections
from cards.model import Lang, Principal
from engine.frames.intents import Intent
from engine.playbooks.model import PlaybookFile
from engine.text.entities import fold
from engine.text.language import detect_language
from engine.tools.model import Tool
from engine.understanding.context import RouteContext
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.learned.lessons import first_word
from engine.understanding.learned.table import RouteTable
from engine.understanding.learned.talk import Talk
from engine.understanding.router.chain import route
from tests.fakes.settings import make_settings

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
COOKBOOK = sorted(path for path in (ROOT / "examples" / "cookbook").iterdir() if path.is_dir())
BOTH = ("en", "zh")
TODAY = date(2026, 11, 23)
TAUGHT = 10
"""So many examples of each request, in each language, has a project that nothing was tuned on."""

T = TypeVar("T")
EACH = 4
"""So many examples of a request, or questions to a tool, are tried in each language."""

SECRETS = ("EXPENSES_TOKEN", "STOCK_PASSWORD", "WORKSHOP_TOKEN")


@dataclass(frozen=True, slots=True)
class Request:
    """A way to ask for a request of a project, and its group (`playbook/request`)."""

    text: str
    group: str


@dataclass(frozen=True, slots=True)
class Domain:
    """A project as the router knows it, and what people ask it for, by language.

    `requests` are by group; a question comes with the tool that answers it. `spoken` is the context
    of each language, which keeps what rules have read of a text for whoever asks again.
    """

    name: str
    context: RouteContext
    spoken: Mapping[Lang, RouteContext]
    requests: Mapping[str, Mapping[str, Sequence[Request]]]
    questions: Mapping[str, Sequence[tuple[str, str]]]


def read_context(folder: Path) -> RouteContext:
    """What the router knows of a project folder, or of the samples' own."""
    wired = folder / "connections.yaml"
    inside = folder / "playbooks"
    settings = make_settings(
        playbooks=inside if inside.is_dir() else folder,
        people=folder / "people.yaml",
        connections=wired if wired.exists() else None,
    )
    with pytest.MonkeyPatch.context() as patch:
        for secret in SECRETS:
            patch.setenv(secret, "sample")
        made = load_definitions(settings, load_connections(settings).toolbox)
    return _context(made.route_table(), made.tools)


def read_unseen(name: str, count: int, langs: Sequence[str] = BOTH) -> RouteContext:
    """What the router knows of a domain by so many examples of each work, in some languages."""
    domain = yaml.safe_load((HERE / "domains" / f"{name}.yaml").read_text("utf-8"))
    entities = {
        each["id"]: {"name": each["title"], "pattern": each["pattern"]} for each in domain["things"]
    }
    return know_works([_playbook(work, entities, count, langs) for work in domain["works"]])


def know_works(playbooks: Sequence[Mapping[str, Any]]) -> RouteContext:
    """What the router knows of playbooks as their files have them, and of nothing else."""
    read = map(PlaybookFile.model_validate, playbooks)
    talk = Talk.model_validate(yaml.safe_load(DEFAULT_TALK.read_text("utf-8")))
    return _context(RouteTable({each.id: each for each in read}, (), talk), ())


def held_out(name: str, count: int, langs: Sequence[str] = BOTH) -> tuple[Request, ...]:
    """The examples of the domain that are not among the first so many."""
    domain = yaml.safe_load((HERE / "domains" / f"{name}.yaml").read_text("utf-8"))
    return tuple(
        Request(text, f"{work['id']}/{work['id']}")
        for work in domain["works"]
        for lang in langs
        for text in work["examples"][lang][count:]
    )


def _context(table: RouteTable, tools: tuple[Tool[Any], ...]) -> RouteContext:
    return RouteContext(
        table=table,
        entities=table.entities,
        tools=tools,
        open_cards=(),
        principal=Principal(id="ana", name="Ana"),
        today=TODAY,
        recent=(),
        lang="en",
        sections=table.sections,
    )


def _playbook(
    work: Mapping[str, Any], entities: Mapping[str, Any], count: int, langs: Sequence[str]
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
        "data_fields": {each["name"]: _leaf(each) for each in work["fields"]},
    }


def _leaf(field: Mapping[str, Any]) -> dict[str, Any]:
    choice = {"type": "choice", "options": field.get("choices")} if "choices" in field else {}
    return {"label": field["label"], **choice}


UNSEEN = ("beekeepers", "streetlights")
PROJECTS: Mapping[str, Callable[[], RouteContext]] = {
    "samples": partial(read_context, ROOT / "playbooks"),
    "expenses": partial(read_context, ROOT / "examples" / "expenses"),
    "leave": partial(read_context, ROOT / "examples" / "leave"),
    **{name: partial(read_unseen, name, TAUGHT) for name in UNSEEN},
}
"""The samples, the project folders of `examples/`, and two of domains that nothing was tuned on."""

EVERY = PROJECTS | {f"cookbook/{path.name}": partial(read_context, path) for path in COOKBOOK}
"""These, and each answer of the cookbook."""


async def read_domain(name: str) -> Domain:
    """A project, with those of its examples, bare of politeness, that are surely understood."""
    context = EVERY[name]()
    requests: dict[str, dict[str, list[Request]]] = {"en": {}, "zh": {}}
    questions: dict[str, list[tuple[str, str]]] = {"en": [], "zh": []}
    for group, request in context.requests:
        for example in _shuffled(request.examples):
            text = _bare(example, context)
            known = requests[language(text)].get(group, ())
            if (
                len(known) < EACH
                and _is_plain(text, context)
                and _asks_for(await surely(text, context), group)
            ):
                requests[language(text)].setdefault(group, []).append(Request(text, group))
    for tool in context.tools:
        for example in _shuffled(tool.examples)[: 2 * EACH]:
            text = example.rstrip("?？。.") + ("？" if language(example) == "zh" else "?")
            found = await surely(text, context)
            if found and found.lookup and found.lookup.tool == tool.name:
                questions[language(text)].append((text, tool.name))
    spoken = {lang: replace(context, lang=lang) for lang in BOTH}
    return Domain(name, context, spoken, requests, questions)


def choose(every: Sequence[T], *reasons: str) -> T:
    """One of them, always the same for the same reasons."""
    digest = sha256("\n".join(reasons).encode()).digest()
    return every[int.from_bytes(digest[:6], "big") % len(every)]


def _shuffled(texts: Sequence[str]) -> Sequence[str]:
    return sorted(texts, key=lambda text: sha256(text.encode()).digest())


async def surely(text: str, context: RouteContext) -> Intent | None:
    """The one intent of a text that rules and examples are sure of."""
    routed = await route(text, replace(context, lang=detect_language(text)), None)
    (first, *more) = routed.intents
    return first if first.sure and not more else None


def language(text: str) -> str:
    """`zh` with a Chinese character, else `en`."""
    return "zh" if re.search(r"[\u3400-\u9fff]", text) else "en"


_NOT_PLAIN = {
    "en": re.compile(r"[?.!,]|please|pls|for me|thanks|^(?:can|could|would|i|we|my)\b"),
    "zh": re.compile(
        r"[?？。！!，,吗]|^(?:请|麻烦|帮|我|能|需要|现在|来|开始)|[吧了]$|麻烦|帮|请|一下$"
    ),
}
"""What says of an example that it is no bare imperative, around which a sentence may stand."""


def _bare(example: str, context: RouteContext) -> str:
    core = GRAMMAR.core(level(context.mark(example)))
    return example[core.start : core.end]


def _is_plain(text: str, context: RouteContext) -> bool:
    lang, said = language(text), fold(text)
    if _NOT_PLAIN[lang].search(said):
        return False
    if lang == "en":
        return first_word(said) in context.table.request_verbs
    return context.table.begins_request(said)


def _asks_for(intent: Intent | None, name: str) -> bool:
    return bool(
        intent and (intent.kind, f"{intent.playbook}/{intent.request}") == ("workflow", name)
    )
