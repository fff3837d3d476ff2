import pytest

from adapters.telegram.forms.prompts import (
    Prompt,
    PromptField,
    form_html,
    parse_prompt_link,
    parse_reply,
    retry_html,
)
from cards.model import Field
from cards.showing.view import FormView
from tests.fakes.platforms.telegram.text import parse_html
from tests.fakes.tables import table

WEIGHT = Field(name="weight_kg", label="Weight", type="number", unit="kg", cues=("weight",))
DATE = Field(name="visit_date", label="日期", type="date", value="2026-11-21")
ARM = Field(name="arm", label="Arm", type="choice", options=("A", "B"), required=False)
REASON = Field(name="reason", label="Why do you reject this?")
PROMPT = Prompt(
    "s1:1f-AbCdEf123456:fill:2",
    (PromptField("weight_kg", "Weight (kg)"), PromptField("visit_date", "日期", "2026-11-21")),
)


def form(*fields: Field, lang: str = "en") -> FormView:
    return FormView(
        data=PROMPT.data, lang=lang, title="Visit", submit="Send", cancel="Cancel", fields=fields
    )


def link_in(html: str) -> str:
    return next(e["url"] for e in parse_html(html).entities if e["type"] == "text_link")


def test_a_prompt_lists_its_fields_one_in_a_line():
    lines = parse_html(form_html(form(WEIGHT, DATE, ARM))).text.splitlines()
    assert lines[0].endswith("Visit")
    assert lines[1:4] == [
        "• Weight (kg): …",
        "• 日期: YYYY-MM-DD [2026-11-21]",
        "• Arm: A / B; optional",
    ]
    assert "name: value" in lines[-1]


def test_a_person_is_asked_for_by_name_and_nobody_is_listed():
    whom = Field(name="person", label="Name", type="person", hint="a name", options=("Bo", "Hui"))
    shown = parse_html(form_html(form(whom))).text
    assert "Name (a name)" in shown
    assert "Please reply to this message." in shown
    assert "Bo" not in shown


def test_a_chinese_prompt_has_full_width_punctuation_and_is_read_back():
    html = form_html(form(WEIGHT, ARM, lang="zh"))
    lines = parse_html(html).text.splitlines()
    assert lines[1:3] == ["• Weight（kg）：…", "• Arm：A / B；选填"]
    prompt = parse_prompt_link(link_in(html))
    assert parse_reply(prompt, "Weight（kg）：70") == {"weight_kg": "70"}
    again = parse_html(retry_html(prompt, {"weight_kg": "应不小于 30"})).text
    assert "• Weight（kg）：应不小于 30" in again


def test_a_single_text_field_is_simply_asked():
    lines = parse_html(form_html(form(REASON, lang="zh"))).text.splitlines()
    assert lines[1] == "Why do you reject this?"
    assert lines[-1] == "请回复这条消息。"


def test_the_mark_carries_the_form_and_nothing_else_shows_it():
    shown = parse_html(form_html(form(WEIGHT, DATE)))
    assert shown.text.startswith("✎")
    assert PROMPT.data not in shown.text
    assert parse_prompt_link(link_in(form_html(form(WEIGHT, DATE)))) == PROMPT


def test_labels_that_would_make_the_link_too_long_are_left_out():
    long = [Field(name=f"f{i}", label="很长的名称" * 8, value="值" * 40) for i in range(12)]
    link = link_in(form_html(form(*long)))
    assert len(link) <= 1800
    assert [f.name for f in parse_prompt_link(link).fields] == [f"f{i}" for i in range(12)]


@pytest.mark.parametrize(
    "link",
    [
        "https://signoff.invalid/form?f=a",
        "https://signoff.invalid/form?d=x",
        "https://signoff.invalid/other?d=x&f=a",
        "http://signoff.invalid/form?d=x&f=a",
        "https://signoff.invalid.example/form?d=x&f=a",
    ],
)
def test_other_links_carry_no_form(link):
    assert parse_prompt_link(link) is None


@table(
    ("text", "values"),
    [
        ("weight: 70\n日期：2026-11-20", {"weight_kg": "70", "visit_date": "2026-11-20"}),
        ("• Weight (kg) = 70", {"weight_kg": "70", "visit_date": "2026-11-21"}),
        ("WEIGHT_KG: 70: really", {"weight_kg": "70: really", "visit_date": "2026-11-21"}),
        ("weight: 70\nshe felt well", {"text": "weight: 70\nshe felt well"}),
        ("70 kilos", {"text": "70 kilos"}),
        ("pulse: 60", {"text": "pulse: 60"}),
    ],
)
def test_a_reply_is_read_line_by_line_or_kept_as_text(text, values):
    assert parse_reply(PROMPT, text) == values


@pytest.mark.parametrize(
    ("text", "value"), [("too heavy: see note", "too heavy: see note"), ("Reason: no", "no")]
)
def test_the_reply_to_a_single_field_is_its_value(text, value):
    assert parse_reply(Prompt("d", (PromptField("reason", "Reason"),)), text) == {"reason": value}


NOTES = Field(name="notes", label="Notes", value="as it was", multiline=True)


def test_further_lines_belong_to_a_text_that_may_have_several():
    prompt = parse_prompt_link(link_in(form_html(form(WEIGHT, NOTES, ARM))))
    assert [field.lines for field in prompt.fields] == [False, True, False]
    reply = "Weight: 72\nNotes: one\n\n  two | three\n\nArm: A"
    assert parse_reply(prompt, reply) == {
        "weight_kg": "72",
        "notes": "one\n\n  two | three",
        "arm": "A",
    }
    assert parse_reply(prompt, "Notes:\none\ntwo")["notes"] == "one\ntwo"
    assert parse_reply(prompt, "Notes:") == {"notes": ""}
    # What is no field's further line makes the reply a text, as a whole.
    assert parse_reply(prompt, "Weight: 72\nand so on") == {"text": "Weight: 72\nand so on"}
    assert parse_reply(prompt, "Arm: B") == {"arm": "B", "notes": "as it was"}


def test_a_long_value_is_shortened_in_the_prompt_and_left_as_it_is_by_the_reply():
    long = "\n".join(["x" * 99] * 20)
    html = form_html(form(WEIGHT, NOTES.model_copy(update={"value": long})))
    assert len(parse_html(html).text) < 600
    prompt = parse_prompt_link(link_in(html))
    assert prompt.fields[1].lines
    assert "notes" not in parse_reply(prompt, "Weight: 72")


def test_a_reply_of_spaces_is_read_at_once():
    assert parse_reply(PROMPT, "x" + " " * 4000 + "y")["text"].startswith("x")


def test_faults_are_listed_by_label_and_the_prompt_stays_the_same():
    html = retry_html(PROMPT, {"weight_kg": "must be at most 300", "other": "@all <b>"})
    text = parse_html(html).text
    assert "• Weight (kg): must be at most 300" in text
    assert "• other: @\u2060all <b>" in text
    assert parse_prompt_link(link_in(html)) == PROMPT


def test_labels_and_titles_of_a_form_are_text():
    odd = Field(name="a", label="<b>@all [x](https://x.example)")
    shown = parse_html(form_html(form(odd)))
    assert "<b>@\u2060all [x](https://x.example)" in shown.text
    assert [e["type"] for e in shown.entities] == ["text_link", "bold", "italic"]


def test_what_stands_in_a_field_is_shown_by_its_name_and_kept_by_its_id():
    loft = Field(
        name="loft",
        label="Loft",
        type="entity",
        entity="loft",
        value="L1",
        labels={"L1": "Oak (L1)"},
    )
    html = form_html(form(loft, WEIGHT))
    assert "[Oak (L1)]" in parse_html(html).text
    assert parse_reply(parse_prompt_link(link_in(html)), "Weight: 70")["loft"] == "L1"
