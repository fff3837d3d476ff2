"""What a model thinks aloud is taken out of what it says, in one piece or in many."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.text.thoughts import ThoughtFilter, without_thoughts
from tests.fakes.tables import table
from tests.fakes.tries import tries


@table(
    ("text", "said"),
    [
        ("Yes.", "Yes."),
        ("<think>hm</think>Yes.", "Yes."),
        (" \n<Thinking>\nhm\n</THINKING>\n\nYes.", "Yes."),
        ("Yes, <think>or no?</think>it is.", "Yes, it is."),
        ("<think>a</think>Yes. <reasoning>b</reasoning><thought>c</thought>No.", "Yes. No."),
        ("<think>a <thinking> b</think>Yes.", "Yes."),
        ("Yes. <think>and now", "Yes. "),
        ("<think>for ever", ""),
        ("It began before.</think>\nYes.", "Yes."),
        ("The tag `<think>` opens it, `</think>` ends it.", None),
        ("a < b, and <thin> is no tag", None),
        ('{"a": "<think>hm</think>yes"}', '{"a": "yes"}'),
        ('{"a": "<think> is a tag"}', None),
        ('{"a": "</think> is a tag"}', None),
    ],
)
def test_a_thought_is_no_part_of_what_is_said(text: str, said: str | None) -> None:
    assert without_thoughts(text) == (text if said is None else said)


PIECES = ["<think>", "</think>", "<Thinking>", "</thinking>", "`", "<", "</", "yes ", "hm ", "th"]


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.integers(1, 9))
@example(["<", "<think>"], 1)
@example(["`", "`", "<think>"], 1)
@settings(max_examples=tries(50))
def test_pieces_say_the_same_as_the_whole(parts: list[str], step: int) -> None:
    text = "".join(parts)
    whole, pieces = ThoughtFilter(), ThoughtFilter()
    whole.feed(text)
    for at in range(0, len(text), step):
        pieces.feed(text[at : at + step])
    assert pieces.end() == whole.end()


@pytest.mark.parametrize("step", [1, 3, 7])
def test_no_letter_of_a_thought_is_ever_in_the_text(step: int) -> None:
    text = "First. <think>SECRET < b</think>Then <thought>SECRET</thought>more."
    kept = ThoughtFilter()
    for at in range(0, len(text), step):
        kept.feed(text[at : at + step])
        assert "S" not in kept.text
        assert "<" not in kept.text
    assert kept.end() == "First. Then more."
