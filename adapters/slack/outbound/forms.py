"""Forms as Slack modals, and what answers a sent modal; pure."""

import re
from typing import Any

from adapters.slack.languages import lang_of
from adapters.slack.outbound.buttons import menu_options
from adapters.slack.payload import FORM_CALLBACK, FormOrigin
from cards.clipping import clip, units
from cards.forms import MAX_TEXT, range_text, with_detail
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
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

Json = dict[str, Any]


def form_modal(form: FormView, conversation: str) -> Json:
    """Return the modal of a form; block ids are the fields' names."""
    title = clip(form.title, _HEAD)
    texts = (form.title if title != form.title else "", form.intro)
    intro = [{"type": "section", "text": _plain(clip(text, _SECTION))} for text in texts if text]
    origin = FormOrigin(button=form.data, conversation=conversation)
    return {
        "type": "modal",
        "callback_id": FORM_CALLBACK,
        "private_metadata": origin.model_dump_json(),
        "title": _plain(title),
        "submit": _plain(clip(form.submit, _HEAD)),
        "close": _plain(clip(form.cancel, _HEAD)),
        "blocks": [*intro, *(_input(field, form.lang) for field in form.fields)][:_BLOCKS],
    }


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


def _input(field: Field, lang: Lang) -> Json:
    label = with_detail(field.label, field.unit, lang)
    block: Json = {
        "type": "input",
        "block_id": field.name,
        "optional": not field.required,
        "label": _plain(clip(label, _LABEL) or field.name),
        "element": _element(field),
    }
    # Somebody who is chosen needs no name.
    hint = "" if field.type == "person" else field.hint
    hint = " · ".join(x for x in (hint, _range(field)) if x)
    return block | {"hint": _plain(clip(hint, _LABEL))} if hint else block


def _element(field: Field) -> Json:
    if field.type == "date":
        initial = {"initial_date": field.value} if _DATE.fullmatch(field.value) else {}
        return {"type": "datepicker", "action_id": "value"} | initial
    if field.type == "person":
        return {"type": "users_select", "action_id": "value"}
    if field.type == "choice" and _selectable(field.options):
        return _select(field)
    # A value that is too long must not come back shortened as if somebody had wanted that: there is
    # room to send more of it than the check takes, which says so.
    most = MAX_TEXT if units(field.value) <= MAX_TEXT else _INPUT
    element: Json = {
        "type": "plain_text_input",
        "action_id": "value",
        "multiline": field.type == "text" and (field.multiline or field.name == "reason"),
        "max_length": most,
    }
    return element | {"initial_value": clip(field.value, most)} if field.value else element


def _select(field: Field) -> Json:
    options = [_option(text) for text in dict.fromkeys(field.options)]
    element: Json = {"type": "static_select", "action_id": "value"} | menu_options(options)
    chosen = [option for option in options if option["value"] == field.value]
    return element | {"initial_option": chosen[0]} if chosen else element


def _selectable(options: tuple[str, ...]) -> bool:
    """Whether the options fit a menu; others are typed."""
    return 0 < len(options) <= _OPTIONS and all(0 < units(o) <= _OPTION for o in options)


def _option(text: str) -> Json:
    return {"text": _plain(clip(visible(text), _OPTION)), "value": text}


def _range(field: Field) -> str:
    """Return the allowed range, or the options of a typed choice."""
    if field.type == "choice":
        return "" if _selectable(field.options) else " / ".join(field.options)
    return range_text(field.minimum, field.maximum)


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}
