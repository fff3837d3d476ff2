"""Data in so many characters: whole fields and entries, and the rest by name."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.excerpts.excerpt import excerpt, fitting_end
from engine.text.excerpts.known import known_lines, leaves_out

TEXT = "The first sentence. " * 500
ROWS = [{"name": f"row {n}", "n": n} for n in range(200)]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=25,
)


def test_what_fits_is_whole() -> None:
    data = {"a": "short", "b": [1, 2]}
    assert json.loads(excerpt(data, 100).text) == data
    assert excerpt(data, 100).left_out == ()


def test_the_longest_values_are_shortened_by_whole_sentences_and_entries() -> None:
    data = {"profile": {"cause": "loan"}, "data": {"draft": TEXT, "rows": ROWS, "sum": 3}}
    short = excerpt(data, 3000)
    kept = json.loads(short.text)
    assert len(short.text) <= 3000
    assert (kept["profile"], kept["data"]["sum"]) == ({"cause": "loan"}, 3)
    assert kept["data"]["draft"].endswith("sentence.")
    assert TEXT.startswith(kept["data"]["draft"])
    rows = kept["data"]["rows"]
    assert rows == ROWS[: len(rows)]
    assert [str(each) for each in short.left_out] == [
        f"data.draft (only the first {len(kept['data']['draft'])} of {len(TEXT)} characters "
        "are here)",
        f"data.rows (only the first {len(rows)} of 200 entries are here)",
    ]


def test_of_many_short_fields_as_many_stay_as_fit() -> None:
    data = {f"field_{n}": "v" * 10 for n in range(500)}
    short = excerpt(data, 2000)
    kept = json.loads(short.text)
    assert 1900 < len(short.text) <= 2000
    assert len(kept) + len(short.left_out) == 500
    assert short.names.endswith(f"; {len(short.left_out) - 12} more")


def test_an_entry_that_does_not_fit_is_shortened_itself() -> None:
    short = excerpt({"matches": [{"name": "a", "text": TEXT}] * 3}, 800)
    (kept,) = json.loads(short.text)["matches"]
    assert kept["name"] == "a"
    assert [each.path for each in short.left_out] == ["matches.0.text", "matches"]


@given(VALUES, st.integers(min_value=4, max_value=400))
def test_it_always_fits_and_never_makes_anything_up(data: Any, limit: int) -> None:
    short = excerpt(data, limit)
    assert len(short.text) <= limit
    kept = json.loads(short.text)
    if not short.left_out:
        assert json.dumps(kept) == json.dumps(json.loads(json.dumps(data)))
    elif isinstance(data, dict):
        assert set(kept) <= set(data)


@given(st.text(), st.integers(min_value=0, max_value=80))
def test_a_page_of_a_text_fits_as_json(text: str, room: int) -> None:
    end = fitting_end(text, room)
    assert 0 <= end <= len(text)
    assert end == 0 or len(json.dumps(text[:end], ensure_ascii=False)) <= room


@pytest.mark.parametrize("room", [8, 20, 1000])
def test_pages_of_a_text_come_to_its_end(room: int) -> None:
    text, read = '第一条。"甲方"\n' * 40, ""
    while len(read) < len(text):
        end = fitting_end(text[len(read) :], room)
        assert end > 0
        read += text[len(read) :][:end]
    assert read == text


def test_what_a_prompt_leaves_out_is_named_with_the_tool_that_reads_it() -> None:
    assert known_lines({"a": 1}, 100) == ('What is known: <data>{"a": 1}</data>',)
    _, left_out = known_lines({"data": {"draft": TEXT}}, 100)
    assert "read it with state__read" in left_out
    assert "data.draft" in left_out
    assert leaves_out({"data": {"draft": TEXT}}, 100)
    assert "state__read" not in known_lines({"d": TEXT}, 100, has_reader=False)[1]
