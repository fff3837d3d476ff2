"""What nobody would see is made visible, so that no two texts look alike on a card."""

from hypothesis import given
from hypothesis import strategies as st

from cards.markdown import literal, quote
from cards.visible import in_row, in_text, visible
from tests.fakes.tables import table

ODD = st.text(
    alphabet=st.sampled_from("ab \n\t\r\u3000\u200b\u202e\u2066\x00\x07\x85\xa0\ufeff⟨⟩␣↵⇥□U+202E")
    | st.characters(),
    max_size=12,
)


@table(
    ("text", "row", "lines"),
    [
        ("轻度头痛 62 kg", "轻度头痛 62 kg", "轻度头痛 62 kg"),
        ("a\nb", "a↵b", "a\nb"),
        ("\na\n\n\nb\n", "↵a↵↵↵b↵", "↵a\n\n↵b↵"),
        (" a  b ", "␣a␣␣b␣", "␣a␣␣b␣"),
        ("a\tb\u3000c", "a⇥b□c", "a⇥b□c"),
        ("none\u202egnihton", "none⟨U+202E⟩gnihton", "none⟨U+202E⟩gnihton"),
        ("1\u200b2\u20603\ufeff", "1⟨U+200B⟩2⟨U+2060⟩3⟨U+FEFF⟩", "1⟨U+200B⟩2⟨U+2060⟩3⟨U+FEFF⟩"),
        ("a\x07\x9b\r\nb", "a⟨U+0007⟩⟨U+009B⟩⟨U+000D⟩↵b", "a⟨U+0007⟩⟨U+009B⟩⟨U+000D⟩\nb"),
        ("a\u3164\xa0b\u2028c", "a⟨U+3164⟩⟨U+00A0⟩b⟨U+2028⟩c", "a⟨U+3164⟩⟨U+00A0⟩b⟨U+2028⟩c"),
        ("⟨U+202E⟩ ␣↵", "⟨U+27E8⟩U+202E⟩ ⟨U+2423⟩⟨U+21B5⟩", "⟨U+27E8⟩U+202E⟩ ⟨U+2423⟩⟨U+21B5⟩"),
        ("❤️ é", "❤️ é", "❤️ é"),
    ],
)
def test_each_kind_of_character_is_shown_in_its_way(text: str, row: str, lines: str) -> None:
    assert visible(text) == row
    assert visible(text, lines=True) == lines


@given(ODD, ODD)
def test_no_two_texts_look_alike(one: str, other: str) -> None:
    for lines in (False, True):
        same = visible(one, lines=lines) == visible(other, lines=lines)
        assert same == (one == other)


@given(ODD)
def test_nothing_that_is_shown_is_folded_by_markdown(text: str) -> None:
    row = visible(text)
    assert " ".join(row.split()) == row
    assert "\n" not in row
    told = visible(text, lines=True)
    assert quote(told).count("\n") == told.count("\n")
    assert all(" ".join(line.split()) == line for line in told.split("\n"))


def test_rows_and_texts_of_cards_are_shown_so() -> None:
    assert in_row(" P003\u200b", "kg", "en") == "␣P003⟨U+200B⟩ kg"
    assert in_text("Note", "one\ntwo\u202e ", "en") == "**Note**\n\n> one\n> two⟨U+202E⟩␣"
    assert in_text("Note", " ", "en") == "**Note**\n\n> ␣"
    assert literal(in_row("a\n# b", "", "en")) == "a↵\\# b"
