import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

from bot.wiring.platforms import PLATFORMS
from cards.deciding.decision import Reason as RefusedFor
from cards.deciding.handover import Reason as NotHandedFor
from cards.model import CardKind, CardStatus, Lapsed
from cards.showing.view import PartState
from cards.texts import TEXTS, merged, say
from engine.frames.job_graph import JobState
from engine.frames.llm_plan import DropKind
from engine.frames.state import ENDED, Run
from engine.playbooks.drawing.layout import Mark
from engine.playbooks.drawing.model import DetailKey, NodeKind
from engine.playbooks.end_kinds import RunEnd
from engine.ports.inbox_files import Refusal
from engine.ports.library import Problem
from engine.react.texts import Reason as EndedFor
from engine.rules.operators import FailureCode, Kind
from engine.rules.soft import Unsure
from engine.tools.study.read_clinical_data import MEASURED

ROOT = Path(__file__).parents[2]
ROOMS = ("bot", "adapters", "engine", "cards")
CATALOGUE = ROOT / "cards" / "texts"
IDEOGRAPH = "\u4e00-\u9fff"
FULL_WIDTH = "\u3000-\u303f\uff01-\uff60"
TEMPLATES = ROOT / "bot" / "pages" / "templates"
IN_TEMPLATE = re.compile(r'"(pages\.[a-z_.]+)"')
SAME_IN_BOTH = {"place.slack", "place.telegram", "tool.field.ecog", "tool.recorded"}

RUN_STATES = get_args(Run.model_fields["status"].annotation)
ASKABLE = {*get_args(RefusedFor), "cancelled", "superseded"}
# What `say` is given as an f-string: the part before the brace, and every value it takes.
LAPSED = set(get_args(Lapsed.model_fields["why"].annotation))
COMPOSED = {
    "audit.lapsed.": LAPSED,
    "audit.result.": set(get_args(RefusedFor))
    | {"decided", "vote", "form", "invalid", "kept", "about_another"}
    | {"repeated", "handed_over", "edited", "unchanged", "not_delegable", "no_seat"},
    "card.": set(get_args(CardStatus)) - {"open", "told", "decided"},
    "files.": set(get_args(Problem)) - {""},
    "graph.detail.": set(get_args(DetailKey)),
    "graph.kind.": set(get_args(NodeKind)) - {"skill", "sop_node"},
    "handover.": set(get_args(NotHandedFor)),
    "graph.mark.": set(get_args(Mark)),
    "inbox.": (set(get_args(Problem)) | set(get_args(Refusal))) - {""},
    "jobs.state.": set(get_args(JobState)),
    "place.": set(PLATFORMS),
    "plan.why.": set(get_args(DropKind)),
    "react.": set(get_args(EndedFor)) - {"answered"},
    "refused.": ASKABLE,
    "rule.kind.": set(get_args(Kind)),
    "rule.why.": set(get_args(FailureCode)),
    "end.": set(get_args(RunEnd)),
    "soft.unsure.": set(get_args(Unsure)) - {""},
    "state.": set(RUN_STATES) - set(ENDED),
    "terminal.kind.": set(get_args(CardKind)),
    "terminal.state.": set(get_args(PartState)),
    "tool.field.": set(MEASURED),
    "vote.lapsed.": LAPSED,
}
COMPOSED_KEYS = {start + end for start, ends in COMPOSED.items() for end in ends}


def sources() -> Iterator[ast.AST]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if CATALOGUE not in path.parents or path.name == "__init__.py":
                yield ast.parse(path.read_text(encoding="utf-8"), str(path))


def nodes() -> Iterator[ast.AST]:
    return (node for tree in sources() for node in ast.walk(tree))


def keys_asked_for() -> Iterator[ast.expr]:
    """The first argument of every call that takes a key; both branches of a conditional one."""
    for node in nodes():
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
            continue
        if node.func.id in ("say", "ToolFailed", "ToolReported", "ToolUnsure"):
            key = node.args[0]
            yield from (key.body, key.orelse) if isinstance(key, ast.IfExp) else (key,)


def keys_in_templates() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in TEMPLATES.glob("*.html"))
    return {key for text in texts for key in IN_TEMPLATE.findall(text)}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_key_has_a_sentence_in_both_languages() -> None:
    assert [key for key, (zh, en) in TEXTS.items() if not zh.strip() or not en.strip()] == []


def test_both_languages_have_the_same_named_placeholders() -> None:
    different = [key for key, (zh, en) in TEXTS.items() if placeholders(zh) != placeholders(en)]
    assert different == []
    names = {name for pair in TEXTS.values() for text in pair for name in placeholders(text)}
    assert [name for name in names if not name.isidentifier()] == []


def test_every_key_asked_for_is_in_the_catalogue() -> None:
    asked = [key.value for key in keys_asked_for() if isinstance(key, ast.Constant)]
    assert len(asked) > 100
    assert [key for key in asked if key not in TEXTS] == []
    assert keys_in_templates() - set(TEXTS) == set()


def test_every_composed_key_is_in_the_catalogue() -> None:
    starts = {
        key.values[0].value
        for key in keys_asked_for()
        if isinstance(key, ast.JoinedStr) and isinstance(key.values[0], ast.Constant)
    }
    assert starts == set(COMPOSED)
    assert COMPOSED_KEYS - set(TEXTS) == set()


def test_every_key_is_used() -> None:
    literals = {node.value for node in nodes() if isinstance(node, ast.Constant)}
    assert set(TEXTS) - literals - COMPOSED_KEYS - keys_in_templates() == set()


def test_chinese_is_chinese() -> None:
    chinese = re.compile(f"[{IDEOGRAPH}{FULL_WIDTH}]")
    plain = {key for key, (zh, _) in TEXTS.items() if not chinese.search(zh)}
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
    assert [key for key, (zh, _) in TEXTS.items() if re.search(wrong, zh)] == []


def test_english_has_no_chinese_in_it() -> None:
    chinese = re.compile(f"[{IDEOGRAPH}{FULL_WIDTH}]")
    assert [key for key, (_, en) in TEXTS.items() if chinese.search(en)] == []


def test_no_other_file_tells_people_anything_in_chinese() -> None:
    """Sentences end in Chinese punctuation; words that the bot only listens for do not."""
    sentence = re.compile(f"[{IDEOGRAPH}}}][。；：，！]$|「{{|[（]{{")
    told = [
        node.value
        for node in nodes()
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and sentence.search(node.value)
    ]
    assert told == []


def test_key_in_two_tables_is_refused() -> None:
    with pytest.raises(ValueError, match=r"twice: a\.b$"):
        merged({"a.a": ("甲", "a"), "a.b": ("乙", "b")}, {"a.b": ("丙", "c")})


def test_values_are_filled_in_as_they_are() -> None:
    assert say("card.reason", "zh", reason="{n}（见 {0}）") == "理由：{n}（见 {0}）"
    assert say("card.reason", "en", reason="see {0}") == "Reason: see {0}"
