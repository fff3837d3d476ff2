"""Types of fields in a form that is filled in a field at a time: refused at that question."""

from typing import Any

from adapters.telegram.forms.progress import (
    FormProgress,
    begin_form,
    check_all,
    enter_values,
    parse_form_button,
    return_to_fault,
    step_of_button,
    step_of_file,
)
from adapters.telegram.forms.screens import closing_html, form_screen
from cards.model import Field
from cards.shared_file import SharedFile
from cards.showing.view import FormView
from tests.fakes.tables import table


def form(*fields: Field, lang: str = "en") -> FormProgress:
    view = FormView(
        data="s1:0-e:submit:1", lang=lang, title="E", submit="Send", cancel="No", fields=fields
    )
    return begin_form(view, "1")


def field(name: str, kind: Any, **more: Any) -> Field:
    return Field(name=name, label=name.title(), type=kind, **more)


@table(
    ("kind", "wrong", "right", "told"),
    [
        ("money", "120", "120,50 €", "in which currency"),
        ("time", "3pm", "15:30", "a time of day like 15:30"),
        ("date", "31.1.2026", "2026-01-31", "a date like 2026-01-31"),
        ("email", "ann@", "ann@example.com", "an e-mail address"),
        ("url", "example.com", "https://example.com", "begins with https://"),
        ("boolean", "perhaps", "yes", "yes or no"),
        ("integer", "2.5", "2", "a whole number"),
        ("file", "in the post", "a.pdf", "Please send the file, as a document or a photo"),
    ],
)
def test_a_value_is_refused_at_its_question(kind: Any, wrong: str, right: str, told: str) -> None:
    asked = form(field("x", kind), field("y", "text"))
    after = enter_values(asked, {"x": wrong})
    assert (after.at, told in after.fault) == (0, True)
    assert told in form_screen(after).html
    good = enter_values(after, {"x": right})
    assert (good.at, good.fault, good.values["x"]) == (1, "", right)


def test_a_question_says_how_its_answer_is_written() -> None:
    for kind, shown in (("money", "120.50 EUR"), ("time", "HH:MM"), ("date", "YYYY-MM-DD")):
        assert shown in form_screen(form(field("x", kind))).html
    assert "120.50 CNY" in form_screen(form(field("x", "money", currencies=("CNY",)))).html
    assert "≤ 今天" in form_screen(form(field("x", "date", maximum="today"), lang="zh")).html


def test_yes_and_no_and_options_are_buttons_with_their_labels() -> None:
    labels = {"h": "Hotel", "t": "Taxi"}
    asked = form(
        field("paid", "boolean"), field("kind", "choice", options=("h", "t"), labels=labels)
    )
    for button, value in (("no", {"paid": "no"}), ("Taxi", {"paid": "no", "kind": "t"})):
        keyboard = form_screen(asked).keyboard
        assert keyboard is not None
        tapped = next(b for row in keyboard.inline_keyboard for b in row if b.text == button)
        parsed = parse_form_button(str(tapped.callback_data))
        assert parsed is not None
        asked = step_of_button(parsed)(asked)
        assert asked.values == value
    assert check_all(asked) == asked
    assert "Taxi" in closing_html(asked, "Sent")


def test_a_question_for_a_file_is_answered_with_one() -> None:
    asked = form(field("note", "file", kinds=("pdf", "jpg")), field("y", "text"))
    assert "Send a document or a photo" in form_screen(asked).html
    for name, size, told in (
        ("rows.csv", 1, "of one of these kinds: pdf, jpg"),
        ("a.pdf", 21 * 1024**2, "at most 20 MB"),
    ):
        refused = step_of_file("note", sent(name, size))(asked)
        assert (refused.at, told in refused.fault, refused.uploads) == (0, True, {})
    good = step_of_file("note", sent("photo.jpg", 9))(asked)
    assert (good.at, good.values, good.uploads) == (
        1,
        {"note": "photo.jpg"},
        {"note": sent("photo.jpg", 9)},
    )
    assert "photo.jpg" in closing_html(good, "Sent")
    named = enter_values(good, {"note": "earlier.pdf"})
    assert (named.values["note"], named.uploads) == ("earlier.pdf", {})


def test_a_file_that_is_refused_later_is_not_sent_again() -> None:
    good = step_of_file("note", sent("a.pdf", 9))(form(field("note", "file", required=False)))
    after = return_to_fault(good, {"note": "locked"})
    assert (after.at, after.values, after.uploads) == (0, {}, {})


def sent(name: str, size: int) -> SharedFile:
    return SharedFile(platform="telegram", id="f1", name=name, size_bytes=size)
