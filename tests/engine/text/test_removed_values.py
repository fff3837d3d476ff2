"""What a text states of some words is cut out, where they stand, as if looked for everywhere."""

from hypothesis import example, given
from hypothesis import strategies as st

from engine.text.values import _statements, remove_values

WORDS = ("weight", "net weight", "weight loss", "温度", "冷库温度", "shelf", "no")
PIECES = (
    *WORDS,
    "70 kg",
    "is now 7",
    "120/80",
    ": 5",
    "= none, x",
    "none",
    "没有",
    "无",
    "is",
    "İ",
    "-",
    "X1",
)


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.sampled_from((" ", "", ", ")))
@example(["net weight", "70 kg"], " ")
@example(["İ", "weight", "70 kg"], " ")
def test_it_is_the_same_as_looking_everywhere(pieces: list[str], mark: str) -> None:
    text = mark.join(pieces)
    expected = text
    if any(word in text.lower() for word in WORDS):
        for form, _ in _statements(WORDS):
            expected = form.sub(" ", expected)
    assert remove_values(text, WORDS) == expected


def test_what_is_stated_is_cut_out() -> None:
    assert remove_values("shelf 12, weight 70 kg", WORDS).split() == [","]
