"""What the real chat-completions protocol would not take."""

from collections.abc import Iterator, Mapping
from typing import Any

_ROLES = {"system", "developer", "user", "assistant", "tool"}
_KNOWN = {
    *("model", "messages", "tools", "tool_choice", "max_tokens", "max_completion_tokens"),
    *("response_format", "temperature", "stream", "stream_options"),
    *("reasoning_effort", "top_p", "seed"),
}


def violations(body: Any) -> Iterator[str]:
    """What the real protocol would not take, the first first."""
    if not isinstance(body, dict):
        yield "the body is no JSON object"
        return
    if unknown := set(body) - _KNOWN:
        yield f"unknown parameters {sorted(unknown)}"
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model is missing"
    if "stream_options" in body and not (
        body.get("stream") is True and set(body["stream_options"]) == {"include_usage"}
    ):
        yield "stream_options belong to a stream, and hold include_usage"
    if body.get("reasoning_effort", "low") not in ("minimal", "low", "medium", "high"):
        yield "reasoning_effort is unknown"
    if not 0 <= body.get("temperature", 0) <= 2:
        yield "temperature must be from 0 to 2"
    for limit in ("max_tokens", "max_completion_tokens"):
        if limit in body and not (isinstance(body[limit], int) and body[limit] > 0):
            yield f"{limit} must be a positive integer"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages must be a list that is not empty"
        return
    yield from _wrong_messages(messages)
    yield from _wrong_tools(body.get("tools"))
    yield from _wrong_format(body.get("response_format"), messages)


def _wrong_messages(messages: list[Any]) -> Iterator[str]:
    """Every call is answered by a tool message, right after it; no other tool message exists."""
    unanswered: list[str] = []
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in _ROLES:
            yield f"messages[{index}] has no known role"
            return
        if message["role"] == "tool":
            if message.get("tool_call_id") not in unanswered:
                yield f"messages[{index}]: tool_call_id answers no call right before it"
                return
            unanswered.remove(message["tool_call_id"])
        elif unanswered:
            yield f"messages[{index}]: calls {unanswered} have no tool message"
            return
        calls = message.get("tool_calls")
        if calls is not None:
            yield from _wrong_calls(index, message, calls)
            unanswered = [call["id"] for call in calls if isinstance(call, dict) and "id" in call]
        if not isinstance(message.get("content"), str) and not (
            message["role"] == "assistant" and calls
        ):
            yield f"messages[{index}]: content must be a string"
    if unanswered:
        yield f"calls {unanswered} have no tool message"


def _wrong_calls(index: int, message: dict[str, Any], calls: Any) -> Iterator[str]:
    if message["role"] != "assistant" or not isinstance(calls, list) or not calls:
        yield f"messages[{index}]: tool_calls belong to an assistant and are not empty"
        return
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if (
            not isinstance(function, dict)
            or not (call.get("type") == "function" and call.get("id"))
            or not all(isinstance(function.get(k), str) for k in ("name", "arguments"))
        ):
            yield f"messages[{index}]: a tool call is malformed"


def _wrong_tools(tools: Any) -> Iterator[str]:
    if tools is None:
        return
    if not isinstance(tools, list) or not tools:
        yield "tools must not be an empty list"
        return
    for tool in tools:
        function = tool.get("function", {}) if isinstance(tool, dict) else {}
        name = function.get("name", "")
        if tool.get("type") != "function" or not isinstance(name, str) or not name:
            yield "a tool is malformed"
        elif not name.replace("_", "").replace("-", "").isalnum() or len(name) > 64:
            yield f"the tool name {name!r} is not allowed"
        elif function.get("parameters", {}).get("type") != "object":
            yield f"the parameters of {name} are no object schema"


def _wrong_format(wanted: Any, messages: list[dict[str, Any]]) -> Iterator[str]:
    if wanted is None:
        return
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if kind == "json_object":
        if not any("json" in str(m.get("content")).lower() for m in messages):
            yield "json_object wants the word JSON in the messages"
    elif kind == "json_schema":
        form = wanted.get("json_schema", {})
        if not form.get("name") or not isinstance(form.get("schema"), dict):
            yield "json_schema wants a name and a schema"
        elif form.get("strict"):
            yield from _not_strict(form["schema"])
    elif kind != "text":
        yield f"response_format {kind!r} is unknown"


def _not_strict(schema: Mapping[str, Any]) -> Iterator[str]:
    """A strict schema names all its properties as required and allows no others."""
    if schema.get("type") == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False:
            yield "a strict schema needs additionalProperties false"
        if set(schema.get("required", ())) != set(properties):
            yield "a strict schema requires every property"
        for inner in properties.values():
            yield from _not_strict(inner)
    elif schema.get("type") == "array":
        yield from _not_strict(schema.get("items", {}))
