"""What Telegram refuses in messages that a bot sends or edits."""

import json
import math
import re
from typing import Any

from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.telegram.files import Params, Refused
from tests.fakes.platforms.telegram.text import BadHtml, Parsed, parse_html, units, with_found

ENTITIES = 100
"""Telegram ignores what comes after so many."""


def shown_text(params: Params) -> Parsed:
    """The text of a message as it would be shown; raises Refused."""
    if params.get("parse_mode") not in (None, "HTML"):
        raise Refused("unsupported parse_mode")
    text = params.get("text", "")
    try:
        parsed = parse_html(text) if "parse_mode" in params else Parsed(text.strip())
    except BadHtml as exc:
        raise Refused(str(exc)) from exc
    if not re.search(r"[^\s\u200b-\u200f\u2060-\u206f\ufeff]", parsed.text):
        raise Refused("message text is empty")
    if units(parsed.text) > 4096:
        raise Refused("message is too long")
    found = with_found(parsed)
    return Parsed(found.text, found.entities[:ENTITIES])


def markup_of(params: Params) -> Params:
    """The keyboard or forced reply below a message; raises Refused."""
    markup: Params = json_of(params, "reply_markup", {})
    rows = markup.get("inline_keyboard", [])
    if any(len(row) > 8 for row in rows) or sum(map(len, rows)) > 100:
        raise Refused("reply markup is too long")
    for button in (button for row in rows for button in row):
        if not button.get("text", "").strip():
            raise Refused("text buttons are unallowed in the inline keyboard")
        if not 1 <= len(button.get("callback_data", "").encode()) <= 64:
            raise Refused("BUTTON_DATA_INVALID")
        if button.get("style", "primary") not in ("primary", "danger", "success"):
            raise Refused("invalid button style specified")
    return markup


def refuse_same(now: object, then: object) -> None:
    """Raises Refused for an edit that changes nothing."""
    if now == then:
        raise Refused(
            "message is not modified: specified new message content and reply markup are exactly "
            "the same as a current content and reply markup of the message",
            fault=False,
        )


def too_fast(retry_after_s: float) -> Refused:
    """What Telegram says when it is too much: whole seconds to wait."""
    wait_s = max(1, math.ceil(retry_after_s))
    description = f"Too Many Requests: retry after {wait_s}"
    return Refused(description, 429, fault=False, parameters={"retry_after": wait_s})


def refusal_of(planned: Fault) -> Refused:
    """How Telegram says a planned fault; one that is dropped is no refusal."""
    match planned.kind:
        case "rate_limited":
            return too_fast(planned.retry_after_s)
        case "broken":
            return Refused("Internal Server Error", 500, fault=False)
        case _:
            return Refused(planned.told, planned.status, fault=False)


def json_of(params: Params, name: str, default: Any) -> Any:
    """A parameter that is JSON; raises Refused."""
    value = params.get(name, default)
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        raise Refused(f"can't parse {name} JSON object") from None
