"""Whatever libyaml is trusted with, PyYAML's own parser reads in the same way."""

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import DefinitionError
from engine.yaml import libyaml
from engine.yaml.source import MAX_DEPTH, read_yaml
from tests.bench.sample_playbooks import sample_playbook
from tests.fakes.tables import table

pytestmark = pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML has no libyaml here")

PIECES = [
    *"ab1:-?# \n\t[]{},&*!|>'\"%@\\`~<=.é\x85\xa0\u2028\ufeff\r",
    *("\n  ", "\n- ", "\n  - ", ": ", "- ", "? ", " #", "\n\n", "\n---", "\n...", "%YAML 1.2\n"),
    *("|\n ", ">\n  ", "|2-\n   ", '"\\\n', "\\n", "\\N", "\\_", "\\x41", "\\ud800", "\\U0001F600"),
    *("a: ", "b: ", "- a\n", "[a, b]", "{a: 1}", "'x'", '"y"', "''", "1.5", "null", "😀" * 1021),
]
SOUND = [
    *sample_playbook(1, phases=6, skills=8).values(),
    "a: |2-\n   x\n  y\n\nb: >+\n z\n\n  w\n\nc: 'x\n  y'\nd: \"x\\\n  y\"\n",
    "- - a\n  - b\n-\n- ? x\n  : y\n- {a: [b, c: d, {e}], 'f':g, \"h\": , i}\n",
    "--- \na:\n- b\n-\n- c:\n  d:\n\n  e:\n# x\n...\n",
]


@st.composite
def spoilt(draw: st.DrawFn) -> str:
    """A few lines of a sound file, with some pieces put in or taken out anywhere."""
    lines = draw(st.sampled_from(SOUND)).splitlines(keepends=True)
    begin = draw(st.integers(0, len(lines) - 1))
    text = "".join(lines[begin : begin + draw(st.integers(1, 12))])
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(PIECES)) + text[at + draw(st.integers(0, 2)) :]
    return text


def alone(text: str) -> object:
    """The data and the lines, or the problems, as PyYAML's own parser finds them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(libyaml, "_PARSER", None)
        try:
            source = read_yaml(text, file="f.yaml")
        except DefinitionError as error:
            return error.problems
        return source.data, sorted(source.lines.items(), key=repr)


@example("---")
@example("a: [b?c]")
@example("{a: b\n  c? d}")
@example("a: |#\n b")
@example("a: >-#\n b")
@example("a:\tb")
@example("a: b\n\ufeff c")
@example("\ufeffa: b")
@example("- b\n...\n\ufeff")
@example("a: b\r\n\r\nc: d\r")
@example("a: b\x85c: d")
@example("'': 1\nb: 2")
@example("a" * 1025 + ": 1")
@example("a: 1\n---\nb: 2")
@example("a: 1\na: 2")
@example("1: a")
@example("? [a]\n: b")
@example("a: *b")
@example("a: &b c")
@example("!a b: !c [d]")
@example("a: " + "[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH)
@example("a: \ud800")
@given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join) | spoilt() | st.text())
def test_what_libyaml_is_trusted_with_is_read_the_same_by_both(text: str) -> None:
    trusted = libyaml.parse(text, max_depth=MAX_DEPTH)
    if trusted is not None:
        data, lines = trusted
        # As text, 1 is neither 1.0 nor true, and the order of keys counts.
        assert repr((data, sorted(lines.items(), key=repr))) == repr(alone(text))


@table("text", SOUND)
def test_a_sound_file_is_read_by_libyaml(text: str) -> None:
    assert libyaml.parse(text, max_depth=MAX_DEPTH) is not None


def test_a_file_of_questions_is_read_by_libyaml() -> None:
    text = "examples:\n- could you record the visit?\n- {en: why not, zh: 为什么？}\n"
    assert libyaml.parse(text, max_depth=MAX_DEPTH) is not None
