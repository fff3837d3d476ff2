"""Payloads in the shape Slack sends them."""

import re
from collections.abc import Mapping
from typing import Any

FILE_BYTES = 10 * 1024**2
"""The largest file that a modal takes."""
Json = dict[str, Any]

APP = "A0SIGNOFF"
TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]"
_INPUT = 3_000


def event(inner: Json, *, team: str, bot_user: str, event_id: str, event_time: int) -> Json:
    """An event_callback around an inner event."""
    return {
        "token": "verification-token",
        "team_id": team,
        "context_team_id": team,
        "context_enterprise_id": None,
        "api_app_id": APP,
        "event": inner,
        "type": "event_callback",
        "event_id": event_id,
        "event_time": event_time,
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": team,
                "user_id": bot_user,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event_context": "4-event-context",
    }


def inner_message(
    text: str, *, kind: str, user: str, channel: str, ts: str, thread_ts: str, team: str
) -> Json:
    """An inner event `message` or `app_mention`."""
    inner: Json = {
        "type": kind,
        "user": user,
        "ts": ts,
        "client_msg_id": f"00000000-0000-4000-8000-{ts.replace('.', '')[-12:]:0>12}",
        "text": text,
        "team": team,
        "blocks": [{"type": "rich_text", "block_id": "x1", "elements": []}],
        "channel": channel,
        "event_ts": ts,
    }
    if kind == "message":
        inner["channel_type"] = "im" if channel.startswith("D") else "channel"
    return inner | {"thread_ts": thread_ts, "parent_user_id": user} if thread_ts else inner


def block_actions(
    button: Json, message: Json, *, team: str, user: str, trigger_id: str, action_ts: str
) -> Json:
    """A tap on a button of a shown message (`channel`, `ts`, `thread_ts`, `text`, `blocks`)."""
    channel, ts, thread = message["channel"], message["ts"], message["thread_ts"]
    threaded = {"thread_ts": thread} if thread else {}
    shown = {"type": "message", "ts": ts, "text": message["text"], "blocks": message["blocks"]}
    return {
        "type": "block_actions",
        "user": {"id": user, "username": user.lower(), "name": user.lower(), "team_id": team},
        "api_app_id": APP,
        "token": "verification-token",
        "container": {
            "type": "message",
            "message_ts": ts,
            "channel_id": channel,
            "is_ephemeral": False,
        }
        | threaded,
        "trigger_id": trigger_id,
        "team": {"id": team, "domain": "example"},
        "enterprise": None,
        "is_enterprise_install": False,
        "channel": {"id": channel, "name": "directmessage" if channel[0] == "D" else "trial"},
        "message": shown | threaded,
        "state": {"values": {}},
        "response_url": "https://hooks.slack.invalid/actions/1",
        "actions": [_acted(button) | {"block_id": "b1", "action_ts": action_ts}],
    }


def _acted(element: Json) -> Json:
    """What a tap on a button, or a choice of a menu (its one `option`), sends."""
    told = {"action_id": element["action_id"], "type": element["type"]}
    if element["type"] == "static_select":
        return told | {"selected_option": element["option"]}
    return told | {"text": element["text"], "value": element["value"]}


def view_submission(
    view: Json, values: Mapping[str, Any], *, team: str, user: str, view_id: str, hash: str
) -> Json:
    """A modal that was sent with `values` by block id; a block without a value is left empty.

    A chooser of files has a list of them, as events name files.
    """
    inputs = [block for block in view["blocks"] if block["type"] == "input"]
    unknown = set(values) - {block["block_id"] for block in inputs}
    if unknown:
        raise ValueError(f"the form has no {unknown}")
    state = {
        block["block_id"]: {
            block["element"]["action_id"]: _state(block["element"], values.get(block["block_id"]))
        }
        for block in inputs
    }
    sent = view | {"id": view_id, "hash": hash, "team_id": team, "state": {"values": state}}
    return {
        "type": "view_submission",
        "team": {"id": team, "domain": "example"},
        "user": {"id": user, "username": user.lower(), "name": user.lower(), "team_id": team},
        "api_app_id": APP,
        "token": "verification-token",
        "trigger_id": "0.0.submission",
        "view": sent,
        "response_urls": [],
        "is_enterprise_install": False,
        "enterprise": None,
    }


def options_of(element: Json) -> list[Json]:
    """The options of a menu, of all its groups."""
    groups = element.get("option_groups", [])
    listed: list[Json] = [option for group in groups for option in group["options"]]
    return listed or list(element["options"])


def _state(element: Json, value: Any) -> Json:
    match element["type"]:
        case "file_input":
            return {"type": "file_input", "files": _chosen_files(element, value or [])}
        case "datepicker":
            return {"type": "datepicker", "selected_date": value or None}
        case "users_select":
            if value and not re.fullmatch(r"[UW][A-Z0-9]+", value):
                raise ValueError(f"{value!r} is nobody who can be chosen")
            return {"type": "users_select", "selected_user": value or None}
        case "timepicker":
            if value and not re.fullmatch(TIME, value):
                raise ValueError(f"{value!r} is no time that can be chosen")
            return {"type": "timepicker", "selected_time": value or None}
        case "static_select" | "radio_buttons" as kind:
            options = {option["value"]: option for option in options_of(element)}
            chosen = options[value] if value else None
            return {"type": kind, "selected_option": chosen}
        case "checkboxes":
            known = {option["value"]: option for option in element["options"]}
            return {"type": "checkboxes", "selected_options": [known[each] for each in value or ()]}
        case "number_input" | "email_text_input" | "url_text_input" as kind:
            if value and (wrong := input_problem(element, value)):
                raise ValueError(f"Slack has people mend this before they can send it: {wrong}")
            return {"type": kind, "value": value or None}
        case kind:
            typed = (value or "").replace("\r\n", "\n")
            if len(typed.encode("utf-16-le")) // 2 > element.get("max_length", _INPUT):
                raise ValueError("Slack has people shorten this before they can send it")
            return {"type": kind, "value": value or None}


def _chosen_files(element: Json, files: list[Json]) -> list[Json]:
    """What people may choose: so many files, of these endings, of 10 MB at most."""
    if isinstance(files, str):
        raise ValueError("nothing is typed into a chooser of files")
    endings = element.get("filetypes")
    for file in files:
        ending = str(file.get("name", "")).rpartition(".")[2].lower()
        wrong = endings is not None and ending not in endings
        if wrong or file.get("size", 0) > FILE_BYTES:
            raise ValueError(f"Slack has people mend this before they can send it: {file!r}")
    if len(files) > element.get("max_files", 10):
        raise ValueError("Slack takes no more files there")
    return files


def input_problem(element: Mapping[str, Any], value: str) -> str:
    """Why Slack's own check of an input keeps people from sending this; "" when it does not."""
    match element["type"]:
        case "number_input":
            return _number_problem(element, value)
        case "email_text_input":
            return "" if re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", value) else f"mail: {value!r}"
        case "url_text_input":
            return "" if re.fullmatch(r"https?://[^\s/]+\S*", value) else f"address: {value!r}"
    return ""


def _number_problem(element: Mapping[str, Any], value: str) -> str:
    decimals = element["is_decimal_allowed"]
    if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?" if decimals else r"-?[0-9]+", value):
        return f"number: {value!r}"
    least, most = (element.get(key) for key in ("min_value", "max_value"))
    low = least is None or float(least) <= float(value)
    high = most is None or float(value) <= float(most)
    return "" if low and high else f"out of range: {value!r}"


def message_action(
    message: Json, *, team: str, user: str, trigger_id: str, response_url: str, callback_id: str
) -> Json:
    """A message shortcut, chosen on a message (`channel`, `ts`, `user`, `text`)."""
    channel = message["channel"]
    return {
        "type": "message_action",
        "token": "verification-token",
        "action_ts": "1763700200.000000",
        "team": {"id": team, "domain": "example"},
        "user": {"id": user, "username": user.lower(), "team_id": team, "name": user.lower()},
        "channel": {"id": channel, "name": "directmessage" if channel[0] == "D" else "trial"},
        "is_enterprise_install": False,
        "enterprise": None,
        "callback_id": callback_id,
        "trigger_id": trigger_id,
        "response_url": response_url,
        "message_ts": message["ts"],
        "message": {"type": "message", "team": team}
        | {key: message[key] for key in ("user", "ts", "text")},
    }


def message_changed(message: Json, text: str, *, ts: str) -> Json:
    """The inner event after a person edited the inner event `message`, or with "" deleted it."""
    base = {"type": "message", "channel": message["channel"], "hidden": True, "ts": ts}
    base |= {"channel_type": "im" if message["channel"].startswith("D") else "channel"}
    base |= {"event_ts": ts, "previous_message": message}
    if not text:
        return base | {"subtype": "message_deleted", "deleted_ts": message["ts"]}
    return base | {"subtype": "message_changed", "message": message | {"text": text}}


def slash_command(
    command: str, text: str, *, team: str, user: str, channel: str, trigger_id: str
) -> Json:
    """The form fields of a slash command."""
    return {
        "token": "verification-token",
        "team_id": team,
        "team_domain": "example",
        "channel_id": channel,
        "channel_name": "directmessage" if channel.startswith("D") else "trial",
        "user_id": user,
        "user_name": user.lower(),
        "command": command,
        "text": text,
        "api_app_id": APP,
        "is_enterprise_install": "false",
        "response_url": "https://hooks.slack.invalid/commands/1",
        "trigger_id": trigger_id,
    }
