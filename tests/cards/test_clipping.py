"""Short labels: cut at words, never inside of a character, and said to be cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.clipping import clip, head, shorten, units, without_stop
from tests.fakes.tables import table

FAMILY = "👨‍👩‍👧‍👦"
FLAGS = "🇨🇭🇨🇳🇩🇪"
ACCENTS = "e\u0301" * 20


@table(
    ("text", "limit", "shown"),
    [
        ("Reject", 24, "Reject"),
        ("Please correct: Record a visit", 24, "Please correct: Record…"),
        ("Record a visit for subject P003", 24, "Record a visit for…"),
        # What joins nothing any more goes too.
        ("Record a visit (screening one)", 24, "Record a visit…"),
        ("Approve the follow-up visits", 24, "Approve the follow-up…"),
        # No word ends where enough would be left.
        ("Pneumonoultramicroscopicsilicovolcanoconiosis", 24, "Pneumonoultramicroscopi…"),
        ("A Pneumonoultramicroscopicsilicovolcanoconiosis", 24, "A Pneumonoultramicrosco…"),
        # Chinese has no spaces: any character may be the last.
        (
            "请核对并补充受试者本次访视的全部记录，然后提交给研究者审核",
            24,
            "请核对并补充受试者本次访视的全部记录，然后提交…",
        ),
        # A word between Chinese stays whole.
        ("请核对并补充受试者本次访视的 Randomization 记录", 24, "请核对并补充受试者本次访视的…"),
        ("don't stop believing people", 16, "don't stop…"),
        (FAMILY * 3, 24, f"{FAMILY * 2}…"),
        (FLAGS, 9, "🇨🇭🇨🇳…"),
        ("🇨🇭" * 40, 88, "🇨🇭" * 21 + "…"),
        (ACCENTS, 10, "e\u0301" * 4 + "…"),
        ("👍🏽👍🏽👍🏽", 6, "👍🏽…"),
        ("👍👍👍👍", 6, "👍👍…"),
        ("ab", 1, "…"),
    ],
)
def test_what_is_clipped_ends_with_a_whole_word_or_character(text, limit, shown):
    assert clip(text, limit) == shown
    assert units(shown) <= limit


def test_a_character_without_end_is_cut_all_the_same():
    endless = "e" + "\u0301" * 500
    assert head(endless, 100) == endless[:100]


@given(st.text(), st.integers(min_value=1, max_value=80))
def test_nothing_that_is_clipped_is_longer_than_its_limit_or_reads_otherwise(text, limit):
    shown = clip(text, limit)
    assert units(shown) <= limit
    assert shown == text or (shown.endswith("…") and text.startswith(shown[:-1]))
    shown.encode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize(
    ("text", "shown"), [("", ""), ("four", "four"), ("five!", "fiv…"), ("一二三四五", "一二三…")]
)
def test_a_text_is_shortened_at_any_place(text: str, shown: str) -> None:
    assert shorten(text, 4) == shown


@table(
    ("text", "shown"),
    [
        ("refused · Nobody was asked.", "refused · Nobody was asked"),
        ("已拒绝 · 没有提交审批。", "已拒绝 · 没有提交审批"),
        ("waiting for review", "waiting for review"),
        ("and so on ...", "and so on ..."),
        ("", ""),
    ],
)
def test_a_text_inside_of_a_sentence_has_no_full_stop_of_its_own(text: str, shown: str) -> None:
    assert without_stop(text) == shown
