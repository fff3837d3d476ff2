"""Every rule of the grammar is needed: without it, its own frames are read otherwise."""

import pytest

from engine.understanding.grammar.reading import GRAMMAR, MARKS, SIGNS, TABLES, Grammar, level
from engine.understanding.grammar.rule import Rule
from tests.fakes.tables import table

WORK = {0: "record today's visit", 1: "录入今天的访视"}
RULES = [
    (number, place, each) for number, rules in enumerate(TABLES) for place, each in enumerate(rules)
]
FRAMES = [(number, place, frame) for number, place, each in RULES for frame in each.frames]

Reading = tuple[str, bool, frozenset[str], str]


def read(grammar: Grammar, text: str) -> Reading:
    """What a text is about, if as a favour, what holds it back, its signs, what it says it asks."""
    said = level(text)
    core = grammar.core(said)
    about = said[core.start : core.end]
    signs = (role for role in SIGNS if grammar.says(role, said))
    asked = grammar.asked(said)
    held = frozenset((*(mark.role for mark in grammar.marks(about)), *signs))
    return about, core.favour, held, said[asked.start : asked.end] if asked else ""


def without(number: int, place: int) -> Grammar:
    """The grammar without one rule."""
    left: list[Rule] = []
    for at, rules in enumerate(TABLES):
        left += [rule for n, rule in enumerate(rules) if (at, n) != (number, place)]
    return Grammar(left)


@table(("number", "place", "frame"), FRAMES)
def test_no_rule_can_be_left_out(number: int, place: int, frame: str) -> None:
    text = frame.replace("{x}", WORK[number])
    assert read(without(number, place), text) != read(GRAMMAR, text)


@table(("number", "place", "rule"), RULES)
def test_a_rule_that_takes_politeness_away_leaves_the_work(
    number: int, place: int, rule: Rule
) -> None:
    polite = [frame for frame in rule.frames if rule.role not in (*MARKS, *SIGNS, "inquiry")]
    for frame in polite:
        about, favour, held, _ = read(GRAMMAR, frame.replace("{x}", WORK[number]))
        assert about == level(WORK[number])
        assert not {*held} - {*SIGNS}
        assert favour == (rule.role in ("favour", "tag"))


@table(("number", "place", "rule"), [each for each in RULES if each[2].role == "inquiry"])
def test_what_says_that_it_asks_leaves_what_it_asks(number: int, place: int, rule: Rule) -> None:
    for frame in rule.frames:
        said = level(frame.replace("{x}", WORK[number]))
        assert read(GRAMMAR, said)[3] == level(WORK[number])
        assert not GRAMMAR.is_prelude(said)
        assert GRAMMAR.is_prelude(level(frame.replace("{x}", "")))


@table(("number", "place", "rule"), RULES)
def test_a_rule_that_marks_is_read_in_its_frame(number: int, place: int, rule: Rule) -> None:
    assert rule.frames
    for frame in rule.frames if rule.role in (*MARKS, *SIGNS) else ():
        assert rule.role in read(GRAMMAR, frame.replace("{x}", WORK[number]))[2]


@pytest.mark.parametrize("text", ["", " ", "?", "谢谢", "thanks", "…", "①Ⅳ㎏"])
def test_places_in_what_is_leveled_are_places_in_the_text(text: str) -> None:
    assert len(level(text)) == len(text)
    core = GRAMMAR.core(level(text))
    assert 0 <= core.start <= core.end <= len(text)


@table(
    ("parts", "left"),
    [
        ("hey team, when you get a chance", ""),
        ("麻烦, 谢谢", ""),
        ("hey team, on the big stage", "on the big stage"),
        ("for the demo, thanks a lot", "for the demo"),
    ],
)
def test_what_is_only_politeness_is_nothing_that_was_left_over(parts: str, left: str) -> None:
    assert GRAMMAR.without_politeness(parts) == left
