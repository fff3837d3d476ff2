"""Forms as Slack modals, and what answers a sent modal; pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from adapters.slack.languages import lang_of
from adapters.slack.outbound.buttons import menu_options
from adapters.slack.payload import EMPTIED, FORM_CALLBACK, FormOrigin
from cards.clipping import clip, units
from cards.fields.bounds import number_text
from cards.fields.readers import option_label
from cards.fields.table import options_of, written_form
from cards.forms import MAX_TEXT, check_form, range_text, with_detail
from cards.model import Field, Lang
from cards.showing.view import FormView
from cards.texts import say
from cards.visible import visible

_HEAD = 24
_LABEL = 2_000
_OPTION = 75
# In groups of a hundred; the view may have 250 KB, and an option takes up to 600 bytes.
_OPTIONS = 300
_SECTION = _INPUT = 3_000
_BLOCKS = 100
_NAMES = 2_000
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"\d{2}:\d{2}")

Json = dict[str, Any]


def form_modal(form: FormView, conversation: str) -> Json:
    """Return the modal of a form; block ids are the fields' names."""
    title = clip(form.title, _HEAD)
    texts = (form.title if title != form.title else "", form.intro)
    intro = [{"type": "section", "text": _plain(clip(text, _SECTION))} for text in texts if text]
    standing = _standing_values(form)
    origin = FormOrigin(button=form.data, conversation=conversation, standing=standing)
    return {
        "type": "modal",
        "callback_id": FORM_CALLBACK,
        "private_metadata": origin.model_dump_json(exclude_defaults=True),
        "title": _plain(title),
        "submit": _plain(clip(form.submit, _HEAD)),
        "close": _plain(clip(form.cancel, _HEAD)),
        "blocks": [*intro, *(b for f in form.fields for b in _inputs(f, form, standing))][:_BLOCKS],
    }


def _standing_values(form: FormView) -> dict[str, str]:
    """Return the values that no chooser of Slack's can show, as far as they fit into hidden data.

    A file that others approve is not sent anew: it is named, and not chosen.
    """
    chosen = ("person",) if form.edits else ("person", "file")
    values = {f.name: f.value for f in form.fields if f.type in chosen and f.value}
    fits = sum(units(name) + units(value) for name, value in values.items()) <= _NAMES
    return values if fits else {}


def answer_modal(text: str) -> Json:
    """Return a modal that shows plain text in place of the sent form."""
    lang = lang_of(text)
    return {
        "type": "modal",
        "title": _plain(say("slack.result", lang)),
        "close": _plain(say("slack.close", lang)),
        "blocks": [{"type": "section", "text": _plain(clip(text, _SECTION) or "…")}],
    }


def field_errors(errors: dict[str, str], view: Json) -> dict[str, str]:
    """Return a sentence per input block of the sent view; faults of no block go to the first."""
    known = [
        str(block.get("block_id"))
        for block in view.get("blocks") or ()
        if isinstance(block, dict) and block.get("type") == "input"
    ]
    if not known:
        return {}
    placed: dict[str, str] = {}
    for name, text in errors.items():
        block = name if name in known else known[0]
        placed[block] = f"{placed[block]} {text}" if block in placed else text
    return placed


def _inputs(field: Field, form: FormView, standing: Mapping[str, str]) -> Iterator[Json]:
    """Yield the field's block, and one to empty it where a chooser cannot."""
    stands = field.name in standing
    if field.columns and units(field.value) > _INPUT:
        # What has no input is not named in what is sent, and so stays.
        told = say("slack.long_list", form.lang, label=field.label)
        yield {"type": "section", "text": _plain(clip(told, _SECTION))}
        return
    yield _input(field, form, stands)
    if not stands or field.required:
        return
    yield {
        "type": "input",
        "block_id": f"{field.name}{EMPTIED}",
        "optional": True,
        "label": _plain(clip(say("slack.none", form.lang, label=field.label), _LABEL)),
        "element": {
            "type": "checkboxes",
            "action_id": "value",
            "options": [_option("none", say("slack.empty", form.lang, name=field.value))],
        },
    }


def _input(field: Field, form: FormView, stands: bool) -> Json:
    lang = form.lang
    label = with_detail(field.label, field.unit, lang)
    choosable = stands or not field.value
    if field.type == "file" and choosable and not form.edits:
        element = _file(field)
    elif field.type == "person" and choosable:
        element = _element_with("users_select", "", "")
    else:
        element = _element(field, lang)
    block: Json = {
        "type": "input",
        "block_id": field.name,
        "optional": stands or not field.required,
        "label": _plain(clip(label, _LABEL) or field.name),
        "element": element,
    }
    # Somebody who is chosen needs no name.
    told = [] if field.type == "person" else [field.hint]
    told += [_typed_options(field, lang), range_text(field.minimum, field.maximum, lang)]
    if element["type"] in ("plain_text_input", "file_input") and not field.hint:
        told.append(written_form(field))
    told += [say("slack.stands", lang, name=visible(field.value))] if stands else []
    # What stands there is an id; its name tells people which.
    told += (
        [visible(field.labels[field.value])] if field.value in field.labels and field.entity else []
    )
    hint = " · ".join(filter(None, told))
    return block | {"hint": _plain(clip(hint, _LABEL))} if hint else block


def _element(field: Field, lang: Lang) -> Json:
    """Return what the field's value is entered in; what it cannot show yet stands in a text."""
    match field.type:
        case "integer" | "number":
            return _number(field)
        case "date" if not field.value or _DATE.fullmatch(field.value):
            return _element_with("datepicker", "initial_date", field.value)
        case "time" if not field.value or _TIME.fullmatch(field.value):
            return _element_with("timepicker", "initial_time", field.value)
        case "email" if not field.value or _is_valid(field, lang):
            return _element_with("email_text_input", "initial_value", field.value)
        case "url" if not field.value or _is_valid(field, lang):
            return _element_with("url_text_input", "initial_value", field.value)
        case "boolean":
            return _options("radio_buttons", field, lang)
        case "choice" | "entity" if _selectable(field):
            return _options("static_select", field, lang)
        case "text" | "money" | "choice" | "entity" | "person" | "file" | "list":
            return _text(field)
        case "date" | "time" | "email" | "url":
            return _text(field)
        case _:
            assert_never(field.type)


def _file(field: Field) -> Json:
    """Return a chooser of one file; its kinds only help, the service looks at the content."""
    endings = [e for kind in field.kinds for e in (("jpg", "jpeg") if kind == "jpg" else (kind,))]
    element: Json = {"type": "file_input", "action_id": "value", "max_files": 1}
    return element | {"filetypes": endings} if endings else element


def _element_with(kind: str, key: str, value: str) -> Json:
    return {"type": kind, "action_id": "value"} | ({key: value} if value else {})


def _number(field: Field) -> Json:
    """Return an input of numbers; the platform keeps people within its bounds."""
    bounds = {"min_value": field.minimum, "max_value": field.maximum}
    if field.value and not _is_valid(field, "en"):
        return _text(field)
    return (
        _element_with("number_input", "initial_value", field.value)
        | {"is_decimal_allowed": field.type == "number"}
        | {key: number_text(b) for key, b in bounds.items() if isinstance(b, float)}
    )


def _is_valid(field: Field, lang: Lang) -> bool:
    """Whether the value that stands in the field is one that could be sent."""
    return not check_form([field], {field.name: field.value}, lang)[1]


def _text(field: Field) -> Json:
    # A value that is too long must not come back shortened as if somebody had wanted that: there is
    # room to send more of it than the check takes, which says so.
    fits = units(field.value) <= MAX_TEXT and not field.columns
    most = MAX_TEXT if fits else _INPUT
    element: Json = {
        "type": "plain_text_input",
        "action_id": "value",
        "multiline": field.type == "text" and (field.multiline or field.name == "reason"),
        "max_length": most,
    }
    return element | {"initial_value": clip(field.value, most)} if field.value else element


def _options(kind: str, field: Field, lang: Lang) -> Json:
    labels = {option: option_label(field, option, lang) for option in options_of(field)}
    options = [_option(value, label) for value, label in labels.items()]
    listed = {"options": options} if kind == "radio_buttons" else menu_options(options)
    chosen = [option for option in options if option["value"] == field.value]
    element: Json = {"type": kind, "action_id": "value"} | listed
    return element | {"initial_option": chosen[0]} if chosen else element


def _selectable(field: Field) -> bool:
    """Whether the options fit a menu; others are typed."""
    options = options_of(field)
    return 0 < len(options) <= _OPTIONS and all(0 < units(o) <= _OPTION for o in options)


def _option(value: str, label: str) -> Json:
    return {"text": _plain(clip(visible(label), _OPTION)), "value": value}


def _typed_options(field: Field, lang: Lang) -> str:
    """Return the options of a choice that is typed."""
    options = () if field.type == "boolean" or _selectable(field) else options_of(field)
    return " / ".join(option_label(field, option, lang) for option in options)


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}
