import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest
from pydantic import TypeAdapter

from bot.dev.describing import LineLabel
from bot.wiring.platforms import PLATFORMS
from cards.deciding.decision import Reason as RefusedFor
from cards.deciding.handover import Reason as NotHandedFor
from cards.model import CardKind, CardStatus, Lang, LapsedVote
from cards.showing.view import PartState
from cards.texts import COMPLETE, SpokenLang, lang_of_tag, languages, say, texts_of
from cards.translation import translate_text
from engine.frames.intents import IntentKind, IntentNote
from engine.frames.job_graph import JobState
from engine.frames.llm_plan import DropKind, FaultKind
from engine.frames.outcome import NodeResult
from engine.frames.state import ENDED, Run
from engine.playbooks.drawing.layout import Mark
from engine.playbooks.drawing.model import DetailKey, NodeKind
from engine.playbooks.end_kinds import RunEnd
from engine.ports.inbox_files import Refusal
from engine.ports.library import Problem
from engine.react.prompts import ReActReason
from engine.rules.operators import FailureCode, Kind
from engine.rules.soft import UnsureReason
from engine.sop.ends import MODEL, RULES, SIGNOFF
from engine.text.template import CONTEXT_NAMES
from engine.tool_plan.responses import JSON_TYPES
from engine.understanding.grammar.reading import MARKS
from engine.understanding.router.chain import STRATEGIES
from tests.fakes.tables import table
from tests.fakes.third_language import spoken

ROOT = Path(__file__).parents[2]
ROOMS = ("bot", "adapters", "engine", "cards")
CATALOGUE = ROOT / "cards" / "texts"
OF_ROOMS = sorted((ROOT / "adapters").glob("*/texts.py"))
IDEOGRAPH = "\u4e00-\u9fff"
FULL_WIDTH = "\u3000-\u303f\uff01-\uff60"
TEMPLATES = ROOT / "bot" / "pages" / "templates"
IN_TEMPLATE = re.compile(r'"(pages\.[a-z_.]+)"')
# Patterns, word lists, and the example questions of tools: what people say, never what they read.
LISTENING = [
    *(ROOT / "engine" / room for room in ("text", "understanding", "tools")),
    ROOT / "engine" / "frames" / "shared_files.py",
    ROOT / "engine" / "playbooks" / "entity.py",
    ROOT / "adapters" / "knowledge" / "words.py",
]
SAME_IN_BOTH = {"place.slack", "place.telegram", "tool.recorded", "tool.refused"}
SAME_IN_BOTH.add("model.limit.reached")  # the sentence of the limit
SAME_IN_BOTH.add("language.name")  # in English, as our prompts are
KEYS = set(texts_of("en"))
ZH, EN = texts_of("zh"), texts_of("en")

RUN_STATES = get_args(Run.model_fields["status"].annotation)
ASKABLE = {*get_args(RefusedFor), "cancelled", "superseded"}
# What `say` is given as an f-string: the part before the brace, and every value it takes.
LAPSED = set(get_args(LapsedVote.model_fields["why"].annotation))
COMPOSED = {
    "audit.lapsed.": LAPSED,
    "audit.result.": set(get_args(RefusedFor))
    | {"decided", "vote", "form", "invalid", "kept", "about_another"}
    | {"repeated", "handed_over", "edited", "unchanged", "not_delegable", "no_seat"},
    "card.": set(get_args(CardStatus)) - {"open", "told", "decided"},
    "choose.note.": set(get_args(IntentNote)) - {"", "not_possible"},
    "dev.judge.": {RULES, MODEL, SIGNOFF},
    "dev.kind.": set(get_args(IntentKind)),
    "dev.label.": set(get_args(LineLabel)),
    "dev.result.": set(get_args(NodeResult)),
    "dev.strategy.": {name for name, _ in STRATEGIES} | {"files"},
    "files.": set(get_args(Problem)) - {""},
    "graph.detail.": set(get_args(DetailKey)),
    "graph.kind.": set(get_args(NodeKind)) - {"skill", "sop_node"},
    "handover.": set(get_args(NotHandedFor)),
    "graph.mark.": set(get_args(Mark)),
    "inbox.": (set(get_args(Problem)) | set(get_args(Refusal))) - {""},
    "jobs.state.": set(get_args(JobState)),
    "model.limit.": {"person", "project", "all"},
    "place.": set(PLATFORMS),
    "plan.fault.": set(get_args(FaultKind)),
    "plan.type.": set(JSON_TYPES),
    "plan.why.": set(get_args(DropKind)),
    "react.": set(get_args(ReActReason)) - {"answered", "last_answer"},
    "react.last.": {"tools_failed", "tokens", "iterations"},
    "refused.": ASKABLE,
    "rule.kind.": set(get_args(Kind)),
    "rule.why.": set(get_args(FailureCode)),
    "end.": set(get_args(RunEnd)),
    "soft.unsure.": set(get_args(UnsureReason)) - {""},
    "state.": set(RUN_STATES) - set(ENDED),
    "terminal.kind.": set(get_args(CardKind)) | {"run"},
    "terminal.state.": set(get_args(PartState)),
    "named.": set(CONTEXT_NAMES),
    "vote.lapsed.": LAPSED,
    "why.mark.": set(MARKS) - {"reason"},
}
COMPOSED_KEYS = {start + end for start, ends in COMPOSED.items() for end in ends}


@dataclass(frozen=True)
class Read:
    """What the tests look for in a file: its calls that take a key, its values, its sentences."""

    path: Path
    keys: tuple[ast.expr, ...]
    literals: tuple[object, ...]
    told: tuple[str, ...]
    """Its texts without those that are documentation."""


@cache
def every_file() -> tuple[Read, ...]:
    """Every file of the rooms, parsed once for all tests."""
    paths = (path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")))
    return tuple(_read(path) for path in paths)


def _read(path: Path) -> Read:
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"), str(path))))
    documented = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    constants = [node for node in nodes if isinstance(node, ast.Constant)]
    told = [c.value for c in constants if isinstance(c.value, str) and id(c) not in documented]
    literals = tuple(constant.value for constant in constants)
    return Read(path, tuple(_keys_asked_for(nodes)), literals, tuple(told))


def _keys_asked_for(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """The first argument of every call that takes a key; both branches of a conditional one."""
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
            continue
        if node.func.id in ("say", "ToolFailed", "ToolReported", "ToolUnsure"):
            key = node.args[0]
            yield from (key.body, key.orelse) if isinstance(key, ast.IfExp) else (key,)


def sources() -> Iterator[Read]:
    """The files that are no catalogue of texts."""
    for each in every_file():
        catalogue = CATALOGUE in each.path.parents or each.path in OF_ROOMS
        if not catalogue or each.path.name == "__init__.py":
            yield each


def keys_asked_for() -> Iterator[ast.expr]:
    return (key for each in sources() for key in each.keys)


def literals() -> Iterator[object]:
    return (literal for each in sources() for literal in each.literals)


def keys_in_templates() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in TEMPLATES.glob("*.html"))
    return {key for text in texts for key in IN_TEMPLATE.findall(text)}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("lang", COMPLETE)
def test_every_key_has_a_sentence_in_both_languages(lang: str) -> None:
    assert set(texts_of(lang)) == KEYS


@pytest.mark.parametrize("lang", languages())
def test_every_language_has_the_same_keys_and_named_placeholders(lang: str) -> None:
    texts = texts_of(lang)
    assert {"language.name", "pages.language.own"} <= set(texts) <= KEYS
    assert [key for key, text in texts.items() if not text.strip()] == []
    assert [key for key in texts if placeholders(texts[key]) != placeholders(EN[key])] == []
    names = {name for text in texts.values() for name in placeholders(text)}
    assert [name for name in names if not name.isidentifier()] == []


@pytest.mark.parametrize("lang", languages())
def test_a_languages_name_is_one_that_can_be_stored(lang: str) -> None:
    assert TypeAdapter(Lang).validate_python(lang) == lang


def test_every_key_asked_for_is_in_the_catalogue() -> None:
    asked = [key.value for key in keys_asked_for() if isinstance(key, ast.Constant)]
    assert len(asked) > 100
    assert [key for key in asked if key not in KEYS] == []
    assert keys_in_templates() - KEYS == set()


def test_every_composed_key_is_in_the_catalogue() -> None:
    starts = {
        key.values[0].value
        for key in keys_asked_for()
        if isinstance(key, ast.JoinedStr) and isinstance(key.values[0], ast.Constant)
    }
    assert starts == set(COMPOSED)
    assert set() == COMPOSED_KEYS - KEYS


def test_every_key_is_used() -> None:
    assert KEYS - set(literals()) - COMPOSED_KEYS - keys_in_templates() == set()


def test_chinese_is_chinese() -> None:
    chinese = re.compile(f"[{IDEOGRAPH}{FULL_WIDTH}]")
    plain = {key for key, zh in ZH.items() if not chinese.search(zh)}
    assert plain == SAME_IN_BOTH


@pytest.mark.parametrize(
    "wrong",
    [
        f"[{IDEOGRAPH}{FULL_WIDTH}}}][,;:?!()]",
        f"[,;:?!()][{IDEOGRAPH}{FULL_WIDTH}{{]",
        r"[，。；：？！（）、] | [，。；：？！（）、]",
        "[“”]",
    ],
)
def test_chinese_punctuation_is_full_width(wrong: str) -> None:
    assert [key for key, zh in ZH.items() if re.search(wrong, zh)] == []


def test_english_has_no_chinese_in_it() -> None:
    chinese = re.compile(f"[{IDEOGRAPH}{FULL_WIDTH}]")
    assert [key for key, en in EN.items() if chinese.search(en)] == []


def test_chinese_stands_elsewhere_only_where_it_is_understood() -> None:
    listening = (*LISTENING, CATALOGUE, *OF_ROOMS)
    told = [
        (str(read.path.relative_to(ROOT)), text)
        for read in every_file()
        if not any(read.path == each or each in read.path.parents for each in listening)
        for text in read.told
        if re.search(f"[{IDEOGRAPH}]{{2}}", text)
    ]
    assert told == []


def test_no_other_file_tells_people_anything_in_chinese() -> None:
    """Sentences end in Chinese punctuation; words that the bot only listens for do not."""
    sentence = re.compile(f"[{IDEOGRAPH}}}][。；：，！]$|「{{|[（]{{")
    told = [text for text in literals() if isinstance(text, str) and sentence.search(text)]
    assert told == []


def test_key_in_two_files_of_a_language_is_refused(tmp_path: Path) -> None:
    files = {"fr/card.py": "{'a.a': 'a', 'a.b': 'b'}", "fr/reply.py": "{'a.c': 'c', 'a.a': 'd'}"}
    tables = {name: f"TEXTS = {table}" for name, table in files.items()}
    with (
        spoken(tmp_path, {"fr/__init__.py": "", **tables}),
        pytest.raises(ValueError, match=r"twice: a\.a$"),
    ):
        texts_of("fr")


def test_a_third_language_is_a_file(tmp_path: Path) -> None:
    assert "fr" not in languages()
    with spoken(tmp_path):
        assert languages() == ("zh", "en", "fr")
        assert say("card.reason", "fr", reason="trop tôt") == "Raison : trop tôt"
        assert lang_of_tag("fr-CH, en;q=0.8") == "fr"
        assert TypeAdapter(SpokenLang).validate_python("fr") == "fr"
        assert translate_text("提交", "zh", "fr") == "Envoyer"
    assert lang_of_tag("fr-CH, en;q=0.8") == "en"
    with pytest.raises(ValueError, match="should be 'zh' or 'en'"):
        TypeAdapter(SpokenLang).validate_python("fr")


def test_what_a_language_does_not_have_is_said_in_english(tmp_path: Path) -> None:
    english = say("state.running", "en")
    with spoken(tmp_path):
        assert say("state.running", "fr") == english
    # A run of somebody whose language is gone goes on.
    assert TypeAdapter(Lang).validate_json('"fr"') == "fr"
    assert say("state.running", "fr") == english


@pytest.mark.parametrize("tag", ["zh", "zh-CN,zh;q=0.9", "ZH_TW.UTF-8", " zh-hans"])
def test_tags_are_read_up_to_the_language(tag: str) -> None:
    assert lang_of_tag(tag) == "zh"


@table("tag", ["", "C.UTF-8", "en-GB", "*", "xx", "中文"])
def test_any_other_tag_is_english(tag: str) -> None:
    assert lang_of_tag(tag) == "en"


def test_values_are_filled_in_as_they_are() -> None:
    assert say("card.reason", "zh", reason="{n}（见 {0}）") == "理由：{n}（见 {0}）"
    assert say("card.reason", "en", reason="see {0}") == "Reason: see {0}"
