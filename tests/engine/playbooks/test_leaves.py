"""Leaves in forms and on cards: what a person sees is what comes back (spec 003)."""

import re
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.forms import check_form
from cards.model import Lang
from engine.frames.leaves import form_field, from_form, value_of
from engine.frames.state import AgentState
from engine.playbooks.leaf import MAX_ROWS, Leaf, value_faults
from tests.fakes.matter import BOUNDS, playbook
from tests.fakes.tables import table
from tests.fakes.tries import tries
from tests.fakes.walk import Walk, at_skill

DEFINITION = playbook().definition
LANGS: tuple[Lang, Lang] = ("zh", "en")


def leaf(name: str) -> Leaf:
    found = DEFINITION.leaf(name)
    assert found is not None
    return found


def back(name: str, value: Any, lang: Lang) -> Any:
    """The value after a person has sent the form as it was shown."""
    field = form_field(name, leaf(name), lang, AgentState(data={name: value}))
    typed, faults = check_form([field], {name: field.value}, lang)
    assert faults == {}
    return from_form(leaf(name), typed[name], lang) if name in typed else None


@table("lang", LANGS)
@table(
    ("name", "value"),
    [
        ("amount", 62.0),
        ("amount", 0.5),
        ("amount", 0),
        ("amount", -3.25),
        ("people", 0),
        ("people", 12),
        ("filed_on", "2026-02-28"),
        ("urgent", True),
        ("urgent", False),
        ("side", "defendant"),
        ("law", "第 595 条 | a_b *c*"),
        ("evidence", ({"name": "contract", "pages": 3, "kind": "paper"},)),
        ("evidence", ({"name": "blank", "pages": 0},)),
        ("evidence", ({"name": "a|b", "kind": "sound"}, {"pages": 7})),
        ("evidence", ({"name": "back\\slash|", "pages": 1}, {"name": "\\"})),
    ],
)
def test_a_form_sent_as_it_was_shown_changes_nothing(name: str, value: Any, lang: Lang) -> None:
    assert back(name, value, lang) == value


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=12)
ROWS = st.lists(
    st.fixed_dictionaries(
        {"name": CELL.map(lambda text: " ".join(text.split()) or "x")},
        optional={
            "pages": st.integers(-(10**14), 10**14),
            "kind": st.sampled_from(["paper", "sound"]),
        },
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=tries(80), deadline=None)
@given(ROWS, st.sampled_from(LANGS))
def test_any_rows_come_back_as_they_were(rows: list[dict[str, Any]], lang: Lang) -> None:
    assert back("evidence", tuple(rows), lang) == tuple(rows)


@settings(max_examples=tries(80), deadline=None)
@given(st.text(max_size=60), st.sampled_from(LANGS))
def test_any_text_for_rows_is_refused_or_fits(text: str, lang: Lang) -> None:
    field = form_field("evidence", leaf("evidence"), lang, AgentState())
    typed, faults = check_form([field], {"evidence": text}, lang)
    if faults or "evidence" not in typed:
        return
    try:
        rows = from_form(leaf("evidence"), typed["evidence"], lang)
    except ValueError:
        return
    assert value_faults(leaf("evidence"), rows) == []


def test_a_cell_beyond_the_columns_is_not_dropped_in_silence() -> None:
    with pytest.raises(ValueError, match="at most 3 columns"):
        from_form(leaf("evidence"), "contract | 3 | paper | and this", "en")


def test_a_line_break_in_a_cell_does_not_make_two_rows() -> None:
    assert back("evidence", ({"name": "two\nlines"},), "en") == ({"name": "two lines"},)


@pytest.mark.parametrize(("lang", "label"), [("en", "Pages: "), ("zh", "页数：")])
def test_a_fault_in_a_row_names_its_column(lang: Lang, label: str) -> None:
    with pytest.raises(ValueError, match=f"^{label}"):
        from_form(leaf("evidence"), "a | many", lang)


def test_too_many_rows_are_said_to_be() -> None:
    with pytest.raises(ValueError, match=f"at most {MAX_ROWS} lines"):
        from_form(leaf("evidence"), "a\n" * (MAX_ROWS + 1), "en")


def test_a_form_has_the_bounds_of_its_leaf() -> None:
    bounded, state = playbook(*BOUNDS).definition.data_fields, AgentState()
    fields = {name: form_field(name, each, "en", state) for name, each in bounded.items()}
    assert {n: (f.minimum, f.maximum) for n, f in fields.items() if f.minimum or f.maximum} == {
        "people": (1, None),
        "amount": (None, 2000000.5),
    }
    assert {n: f.pattern for n, f in fields.items() if f.pattern} == {"law": r"Art\.[0-9]+"}
    assert fields["evidence"].hint == "one line each: Name | Pages (≤ 9) | Kind"


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("a | 10", "Pages: This should be at most 9"),
        ("B | 1", "Name: This is not in the form that is asked for ([a-z]+)"),
    ],
)
def test_a_cell_out_of_its_columns_bounds_is_told(row: str, told: str) -> None:
    bounded = playbook(*BOUNDS).definition.data_fields["evidence"]
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        from_form(bounded, f"a | 9\n{row}", "en")


@pytest.mark.parametrize("lang", LANGS)
def test_a_boolean_is_asked_in_the_persons_words(lang: Lang) -> None:
    field = form_field("urgent", leaf("urgent"), lang, AgentState(data={"urgent": False}))
    assert (field.type, field.options, field.value) == ("boolean", ("yes", "no"), "no")
    words = ["是", "否"] if lang == "zh" else ["yes", "no"]
    assert [field.label_of(option, lang) for option in field.options] == words
    for typed in (words, ["Yes", "NO"], ["true", "false"], ["是", "否"]):
        given = [check_form([field], {"urgent": each}, lang)[0]["urgent"] for each in typed]
        assert given == [True, False]
    # What was stored before has the word that was shown.
    assert [from_form(leaf("urgent"), word, lang) for word in (*words, True)] == [True, False, True]


def test_rows_are_typed_on_several_lines() -> None:
    state = AgentState()
    assert form_field("evidence", leaf("evidence"), "en", state).multiline
    assert not form_field("amount", leaf("amount"), "en", state).multiline


def test_a_value_stands_where_its_path_says() -> None:
    state = AgentState(profile={"a": 1}, decisions={"a": True}, data={"a": "x"})
    assert [value_of(p, state) for p in ("profile.a", "decisions.a", "a", "b")] == [
        *(1, True, "x", None)
    ]


async def test_what_people_and_models_wrote_is_no_markup_in_a_table() -> None:
    hostile = "[click](https://evil.example) | <b>\n# big `x` *y*"
    state = AgentState(data={"causes": ({"cause": hostile, "basis": None},)})
    run = at_skill(playbook(), "cause-recommendation", state)
    frame = run.frames[-1].model_copy(update={"finished": True})
    run = run.model_copy(update={"frames": (*run.frames[:-1], frame)})
    found = await Walk(playbook(), run).start()
    table = found.card.text.rpartition("\n\n")[2].splitlines()
    assert len(table) == 3
    assert table[2] == (r"| \[click\](https://evil.example) \| \<b\>↵\# big \`x\` \*y\* |  |")


def test_values_of_a_model_keep_to_types_and_bounds() -> None:
    labels = {"zh": "值", "en": "Value"}
    today = date(2026, 3, 2)
    for kind, more, good, bad in (
        ("money", {"currency": "EUR", "maximum": 9}, {"value": 9, "currency": "EUR"}, 5),
        ("money", {"currency": "EUR"}, {"value": 9, "currency": "EUR"}, "9 EUR"),
        ("money", {"currency": "EUR"}, {"value": 1.5, "currency": "EUR"}, {"value": 1.5}),
        (
            "money",
            {"currency": "JPY"},
            {"value": 1, "currency": "JPY"},
            {"value": 1.5, "currency": "JPY"},
        ),
        (
            "money",
            {"currencies": ("EUR",)},
            {"value": 1, "currency": "EUR"},
            {"value": 1, "currency": "USD"},
        ),
        ("date", {"maximum": "today"}, "2026-03-02", "2026-03-03"),
        ("time", {"minimum": "08:00"}, "08:00", "07:59"),
        ("time", {}, "15:30", "3:30 pm"),
        ("time", {}, "09:05", "9:05"),
        ("email", {}, "Ann@example.com", "ann"),
        ("url", {}, "https://example.com", "example.com"),
        ("boolean", {}, True, "yes"),
        ("choice", {"options": {"h": labels}}, "h", "Hotel"),
    ):
        spec = Leaf.model_validate({"label": labels, "type": kind, **more})
        assert value_faults(spec, good, today) == [], (kind, good)
        assert value_faults(spec, bad, today) != [], (kind, bad)
