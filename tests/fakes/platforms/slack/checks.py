"""What Slack refuses in messages and modals: slack_sdk's validators and the limits around them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from tests.fakes.platforms.slack.payloads import TIME, input_problem
from tests.fakes.platforms.slack.sizes import size_problems

BLOCKS = 50
TOTAL = 13_000
FALLBACK = 4_000
VIEW_BYTES = 250_000
MODAL_ONLY = {"file_input", "number_input", "email_text_input", "url_text_input"}
_VALUE = 2_000
_DIGITS = r"-?[0-9]+(\.[0-9]+)?"
_MARKUP = re.compile(r"<(?!https?://[^<>|\s]+(\|[^<>|]+)?>)")

Json = Mapping[str, Any]


def message_problems(fields: Json) -> list[str]:
    """Everything Slack would refuse, or we never want, in a message's `text` and `blocks`."""
    problems = []
    text, blocks = fields.get("text"), fields.get("blocks")
    if not isinstance(text, str) or not text.strip():
        problems.append("no_text")
    elif len(text) > FALLBACK:
        problems.append(f"text of {len(text)} characters")
    elif _MARKUP.search(text):
        problems.append(f"mark-up in text: {text!r}")
    if fields.get("link_names") or fields.get("parse", "none") != "none":
        problems.append("names in the text would become mentions")
    problems += _modal_problems(blocks)
    total = sum(len(text) for text in _texts(blocks))
    if total >= TOTAL:
        problems.append(f"msg_blocks_too_long: {total} characters")
    return problems + blocks_problems(blocks, most=BLOCKS)


def sent_problems(fields: Json) -> list[str]:
    """What is wrong with a message as it is sent, where names must be switched off by word."""
    problems = message_problems(fields)
    if fields.get("link_names") is not False or fields.get("parse") != "none":
        problems.append("names in the text are not switched off")
    return problems


def metadata_problems(metadata: Any) -> list[str]:
    """What is wrong with what an app marks a message with; [] for none."""
    if metadata is None:
        return []
    if not isinstance(metadata, dict) or set(metadata) != {"event_type", "event_payload"}:
        return ["metadata: event_type and event_payload"]
    payload = metadata["event_payload"]
    flat = isinstance(payload, dict) and all(isinstance(v, str | int) for v in payload.values())
    named = re.fullmatch(r"[a-z0-9_]{1,255}", str(metadata["event_type"]))
    return [] if flat and named else [f"metadata: {metadata!r}"]


def blocks_problems(blocks: Any, *, most: int) -> list[str]:
    """What is wrong with a list of blocks; [] for none."""
    if not isinstance(blocks, list) or not blocks:
        return ["no blocks"]
    problems = [f"{len(blocks)} blocks"] if len(blocks) > most else []
    for block in blocks:
        problems += _block_problems(block)
    problems += size_problems(blocks)
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)):
        problems.append("a block_id twice")
    return problems


def view_problems(view: Any) -> list[str]:
    """What is wrong with a modal; [] for none."""
    if not isinstance(view, dict) or view.get("type") != "modal" or "title" not in view:
        return ["no modal with a title"]
    problems = blocks_problems(view.get("blocks"), most=100)
    if len(json.dumps(view, ensure_ascii=False).encode()) > VIEW_BYTES:
        problems.append("a view over 250 KB")
    has_input = any(block.get("type") == "input" for block in view.get("blocks") or ())
    if has_input and "submit" not in view:
        problems.append("a form without submit")
    try:
        View(**view).to_dict()
    except (SlackObjectFormationError, TypeError, ValueError) as error:
        problems.append(str(error))
    return problems


def home_problems(view: Any) -> list[str]:
    """What is wrong with a Home tab; [] for none."""
    if not isinstance(view, dict) or view.get("type") != "home" or "title" in view:
        return ["no home view"]
    problems = blocks_problems(view.get("blocks"), most=100) + _modal_problems(view.get("blocks"))
    if len(json.dumps(view, ensure_ascii=False).encode()) > VIEW_BYTES:
        problems.append("a view over 250 KB")
    return problems


def _modal_problems(blocks: Any) -> list[str]:
    """What stands only in modals, and there only in an input block."""
    blocks = [block for block in blocks or () if isinstance(block, dict)]
    kinds = [block["element"].get("type") for block in blocks if block.get("type") == "input"]
    return [f"{kind}: only in a modal" for kind in kinds if kind in MODAL_ONLY]


def _block_problems(block: Any) -> list[str]:
    try:
        parsed = Block.parse(block)
        if parsed is None:
            return [f"unknown block: {block!r}"]
        parsed.to_dict()
    except (SlackObjectFormationError, TypeError, ValueError) as error:
        return [f"{type(error).__name__}: {error}"]
    problems = [f"empty or unsafe text: {t!r}" for t in _text_objects(block) if _unsafe(t)]
    if block["type"] == "rich_text":
        problems += _rich_problems(block["elements"])
    if block["type"] == "actions":
        problems += _buttons_problems(block["elements"])
    if block["type"] == "input":
        problems += _input_problems(block["element"])
    elif '"file_input"' in json.dumps(block):
        problems.append("file_input: only in an input block")
    return problems


def _input_problems(element: Json) -> list[str]:
    """What is wrong with an input of a modal: its options, its numbers, what stands in it."""
    kind, stands = element["type"], element.get("initial_value")
    if kind == "number_input":
        strings = [element.get(key, "0") for key in ("initial_value", "min_value", "max_value")]
        if not isinstance(element.get("is_decimal_allowed"), bool):
            return ["number_input: is_decimal_allowed"]
        if not all(isinstance(each, str) and re.fullmatch(_DIGITS, each) for each in strings):
            return [f"number_input: {strings!r}"]
        if {"min_value", "max_value"} <= element.keys() and float(strings[1]) > float(strings[2]):
            return ["number_input: the minimum is above the maximum"]
    if kind == "file_input":
        endings = element.get("filetypes", ["any"])
        plain = isinstance(endings, list) and all(re.fullmatch("[a-z0-9]+", e) for e in endings)
        few = 1 <= element.get("max_files", 10) <= 10
        known = element.keys() <= {"type", "action_id", "filetypes", "max_files"}
        return [] if plain and endings and few and known else [f"file_input: {element!r}"]
    if kind == "timepicker" and not re.fullmatch(TIME, element.get("initial_time", "00:00")):
        return [f"timepicker: {element['initial_time']!r}"]
    if kind == "static_select":
        return _menu_problems(element)
    if kind in ("radio_buttons", "checkboxes"):
        few = 0 < len(element["options"]) <= 10
        return _menu_problems(element) if few else [f"{kind}: 1 to 10 options"]
    wrong = input_problem(element, stands) if stands is not None else ""
    return [f"initial_value: {wrong}"] if wrong else []


def _rich_problems(elements: Sequence[Json]) -> list[str]:
    """A rich text has sections and quotes of texts and links, and none of them is empty."""
    problems = [] if elements else ["an empty rich text"]
    for element in elements:
        kinds = ("rich_text_section", "rich_text_quote")
        if element["type"] not in kinds or not element["elements"]:
            problems.append(f"rich text: {element!r}")
        for part in element["elements"]:
            right = part["type"] == "text" or (part["type"] == "link" and part["url"])
            styles = part.get("style", {"bold": True})
            known = {"bold", "italic", "strike", "code"}
            if not right or not part["text"] or not styles or set(styles) - known:
                problems.append(f"rich text: {part!r}")
    return problems


def _unsafe(text: Json) -> bool:
    if not text["text"]:
        return True
    if text["type"] == "plain_text":
        return "verbatim" in text
    return "emoji" in text or not text.get("verbatim") or bool(_MARKUP.search(text["text"]))


def _buttons_problems(elements: Sequence[Json]) -> list[str]:
    ids = [element.get("action_id") for element in elements]
    problems = ["an action_id twice"] if len(ids) != len(set(ids)) else []
    for element in elements:
        if element.get("type") == "static_select":
            problems += _menu_problems(element)
            continue
        if not 0 < len(element.get("value", "")) <= _VALUE:
            problems.append(f"button value: {element.get('value')!r}")
        if element.get("style", "primary") not in ("primary", "danger"):
            problems.append(f"button style: {element['style']}")
        problems += _confirm_problems(element.get("confirm"))
    return problems


def _menu_problems(element: Json) -> list[str]:
    """A menu has options or groups of them, a hundred each at most."""
    groups = element.get("option_groups", [])
    if bool(groups) == bool(element.get("options")) or len(groups) > 100:
        return ["a menu's options"]
    lists = [group["options"] for group in groups] or [element["options"]]
    options = [option for listed in lists for option in listed]
    problems = [f"{len(listed)} options" for listed in lists if not 0 < len(listed) <= 100]
    long = [o for o in options if len(o["text"]["text"]) > 75 or not 0 < len(o["value"]) <= 75]
    values = [option["value"] for option in options]
    twice = len(values) != len(set(values))
    return problems + [f"option: {o!r}" for o in long] + (["an option twice"] if twice else [])


def _confirm_problems(confirm: Json | None) -> list[str]:
    if confirm is None:
        return []
    most = {"title": 100, "text": 300, "confirm": 30, "deny": 30}
    told = {name: confirm.get(name, {}).get("text", "") for name in most}
    return [f"confirm: {n}: {t!r}" for n, t in told.items() if not 0 < len(t) <= most[n]]


def _texts(node: Any) -> Iterator[str]:
    """Every text inside blocks, at any depth."""
    for item in node if isinstance(node, list) else node.values() if isinstance(node, dict) else ():
        yield from _texts(item)
    if isinstance(node, dict) and isinstance(node.get("text"), str):
        yield node["text"]


def _text_objects(node: Any) -> Iterator[Json]:
    """Every text object inside blocks, at any depth."""
    if isinstance(node, list):
        for item in node:
            yield from _text_objects(item)
    elif isinstance(node, dict):
        if node.get("type") in ("mrkdwn", "plain_text") and isinstance(node.get("text"), str):
            yield node
        for item in node.values():
            yield from _text_objects(item)
