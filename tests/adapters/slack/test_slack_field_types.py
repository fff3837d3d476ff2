"""Types of fields in a Slack modal: each in its input, and how it comes back."""

import pytest

from adapters.slack.inbound.receive import receive
from adapters.slack.outbound.forms import form_modal
from cards.model import Field
from cards.showing.view import FormView
from tests.fakes.platforms.slack.checks import home_problems, message_problems, view_problems
from tests.fakes.platforms.slack.payloads import view_submission
from tests.fakes.tables import table


def _form(fields):
    return FormView(
        data="s1:0a-Zk3tP9qLmN4x:submit:1",
        lang="en",
        title="An expense",
        submit="Send",
        cancel="Cancel",
        fields=fields,
    )


def _elements(*fields):
    view = form_modal(_form(fields), "slack:T1:D1")
    assert view_problems(view) == []
    return [block["element"] for block in view["blocks"]]


def _typed(kind, value="", **more):
    return Field(name="x", label="X", type=kind, value=value, **more)


@pytest.mark.parametrize(
    ("kind", "value", "element", "stands"),
    [
        ("time", "15:30", "timepicker", "initial_time"),
        ("email", "ann@example.com", "email_text_input", "initial_value"),
        ("url", "https://example.com/a", "url_text_input", "initial_value"),
        ("number", "-0.5", "number_input", "initial_value"),
        ("money", "120.50 EUR", "plain_text_input", "initial_value"),
    ],
)
def test_each_type_has_its_input(kind, value, element, stands):
    (shown,) = _elements(_typed(kind, value))
    assert (shown["type"], shown[stands]) == (element, value)
    (empty,) = _elements(_typed(kind))
    assert empty["type"] == element
    assert stands not in empty


@table(
    ("kind", "value"),
    [
        ("time", "15:30:07"),
        ("date", "31.1.2026"),
        ("email", "ann"),
        ("url", "example.com"),
        ("number", "about 5"),
        ("integer", "9"),
    ],
)
def test_what_an_input_cannot_show_is_not_lost(kind, value):
    (shown,) = _elements(_typed(kind, value, maximum=5 if kind == "integer" else None))
    assert (shown["type"], shown["initial_value"]) == ("plain_text_input", value)


def test_options_are_shown_by_their_labels_and_sent_by_their_ids():
    labels = {"h": "Hotel", "t": "Taxi"}
    yes_no, menu = _elements(
        _typed("boolean", "no").model_copy(update={"name": "b"}),
        _typed("choice", "t", options=("h", "t"), labels=labels),
    )
    assert [o["text"]["text"] for o in yes_no["options"]] == ["yes", "no"]
    assert (yes_no["type"], yes_no["initial_option"]["value"]) == ("radio_buttons", "no")
    assert [(o["value"], o["text"]["text"]) for o in menu["options"]] == list(labels.items())
    assert menu["initial_option"]["text"]["text"] == "Taxi"


def test_a_typed_value_says_how_it_is_written():
    for more, hint in (({}, "120.50 EUR"), ({"currencies": ("CNY",)}, "120.50 CNY")):
        view = form_modal(_form((_typed("money", **more),)), "slack:T1:D1")
        assert view["blocks"][0]["hint"]["text"] == hint


def test_what_is_entered_comes_back_as_the_field_reads_it():
    sent = {
        "start": "15:30",
        "day": "2026-01-31",
        "mail": "ann@example.com",
        "page": "https://example.com",
        "amount": "120,50 €",
        "people": "3",
        "paid": "yes",
    }
    kinds = ("time", "date", "email", "url", "money", "integer", "boolean")
    fields = tuple(Field(name=n, label=n, type=k) for n, k in zip(sent, kinds, strict=True))
    view = form_modal(_form(fields), "slack:T1:D1")
    submitted = view_submission(view, sent, team="T1", user="U1", view_id="V1", hash="1.a")
    update = receive(submitted)
    assert update is not None
    assert update.values == sent


@pytest.mark.parametrize(
    ("kind", "typed"), [("integer", "2.5"), ("integer", "9"), ("email", "ann"), ("url", "ftp://x")]
)
def test_slack_itself_keeps_people_from_sending_what_its_inputs_refuse(kind, typed):
    field = _typed(kind, maximum=5 if kind == "integer" else None)
    view = form_modal(_form((field,)), "slack:T1:D1")
    with pytest.raises(ValueError, match="mend"):
        view_submission(view, {"x": typed}, team="T1", user="U1", view_id="V1", hash="1.a")


@pytest.mark.fact("slack/file-input")
def test_a_file_is_chosen_and_comes_back_with_its_address():
    view = form_modal(_form((_typed("file", kinds=("pdf", "jpg")),)), "slack:T1:D1")
    assert view_problems(view) == []
    (block,) = view["blocks"]
    wanted = {"type": "file_input", "action_id": "value", "max_files": 1}
    assert block["element"] == wanted | {"filetypes": ["pdf", "jpg", "jpeg"]}
    assert block["hint"]["text"] == "pdf / jpg"
    file = {"id": "F1", "name": "a.pdf", "size": 9, "mimetype": "application/pdf"}
    file["url_private"] = "https://files.slack.com/f1"
    ids = set()
    for each in (file, file | {"id": "F2"}):
        to = {"team": "T1", "user": "U1", "view_id": "V1", "hash": "1.a"}
        update = receive(view_submission(view, {"x": [each]}, **to))
        ids.add(update.id)
        upload = update.uploads["x"]
        assert (upload.name, upload.workspace, upload.size_bytes) == ("a.pdf", "T1", 9)
    assert len(ids) == 2, "another file is another answer"
    for bad in ([file, file], [file | {"name": "a.exe"}], [file | {"size": 11 * 1024**2}]):
        with pytest.raises(ValueError, match="Slack"):
            view_submission(view, {"x": bad}, **to)


@pytest.mark.parametrize(("kind", "edits"), [("file", False), ("person", False), ("person", True)])
def test_what_stands_stays_when_nothing_else_is_chosen(kind, edits):
    form = _form((_typed(kind, "old.pdf"),)).model_copy(update={"edits": edits})
    view = form_modal(form, "slack:T1:D1")
    assert view_problems(view) == []
    (block,) = view["blocks"]
    assert block["element"]["type"] in ("file_input", "users_select")
    assert block["optional"]
    assert block["hint"]["text"] == "now old.pdf, unless you choose another"
    update = receive(view_submission(view, {}, team="T1", user="U1", view_id="V1", hash="1.a"))
    assert (update.values, update.uploads) == ({"x": "old.pdf"}, {})


@pytest.mark.parametrize(("kind", "edits"), [("file", False), ("person", False), ("person", True)])
def test_what_stands_and_need_not_is_emptied_by_a_tick(kind, edits):
    form = _form((_typed(kind, "old.pdf", required=False),)).model_copy(update={"edits": edits})
    view = form_modal(form, "slack:T1:D1")
    assert view_problems(view) == []
    _, tick = view["blocks"]
    assert tick["label"]["text"] == "X: leave empty"
    assert tick["element"]["options"][0]["text"]["text"] == "Not old.pdf, leave it empty"
    new = {"id": "F1", "name": "new.pdf", "url_private": "https://files.slack.com/f1"}
    chosen = [new] if kind == "file" else "U7"
    for given, kept in (
        ({}, "old.pdf"),
        ({"x:none": ["none"]}, ""),
        ({"x": chosen}, None),
        ({"x": chosen, "x:none": ["none"]}, None),
    ):
        sent = view_submission(view, given, team="T1", user="U1", view_id="V1", hash="1.a")
        update = receive(sent)
        assert update.values.keys() == {"x"}, "a tick is no field"
        if kept is not None:
            assert (update.values["x"], update.uploads) == (kept, {})
        elif kind == "person":
            assert update.values["x"] == "slack:T1:U7"
        else:
            assert update.uploads["x"].name == "new.pdf"


def test_what_does_not_fit_into_hidden_data_is_named():
    fields = [_typed("person", "p" * 300, multiline=False) for _ in range(9)]
    named = tuple(f.model_copy(update={"name": f"x{n}"}) for n, f in enumerate(fields))
    view = form_modal(_form(named), "slack:T1:D1")
    assert view_problems(view) == []
    assert {block["element"]["type"] for block in view["blocks"]} == {"plain_text_input"}


def test_what_others_approve_is_named_and_not_sent_anew():
    form = _form((_typed("file", "old.pdf"),)).model_copy(update={"edits": True})
    element = form_modal(form, "slack:T1:D1")["blocks"][0]["element"]
    assert (element["type"], element["initial_value"]) == ("plain_text_input", "old.pdf")


@pytest.mark.fact("slack/file-input")
def test_files_are_chosen_in_modals_alone():
    block = form_modal(_form((_typed("file"),)), "slack:T1:D1")["blocks"][0]
    assert "file_input: only in a modal" in message_problems({"text": "x", "blocks": [block]})
    assert "file_input: only in a modal" in home_problems({"type": "home", "blocks": [block]})


def test_an_id_that_stands_in_a_field_has_its_name_below():
    loft = _typed("entity", "L1", entity="loft", labels={"L1": "Oak (L1)"})
    (block,) = form_modal(_form((loft,)), "slack:T1:D1")["blocks"]
    assert block["element"]["initial_value"] == "L1"
    assert "Oak (L1)" in block["hint"]["text"]
    (other,) = form_modal(_form((loft.model_copy(update={"value": "L2"}),)), "slack:T1:D1")[
        "blocks"
    ]
    assert "Oak" not in str(other)
