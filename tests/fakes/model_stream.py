"""A completion as the events of a stream, with the oddities that real servers have."""

import json
from collections.abc import Iterator
from typing import Any

LETTERS = 3


def events(completion: dict[str, Any], *, usage: bool, indexed: bool) -> Iterator[bytes]:
    """The completion in pieces, `data: [DONE]` last; `usage` in an event without choices.

    Without `indexed` a call's pieces carry no index, only the first one's id tells them apart.
    """
    choice = completion["choices"][0]
    yield _event(completion, {"role": "assistant", "content": ""})
    for name in ("reasoning_content", "content", "refusal"):
        for text in _cut(choice["message"].get(name) or ""):
            yield _event(completion, {name: text})
    for index, call in enumerate(choice["message"].get("tool_calls", ())):
        for piece in _call_pieces(call):
            at = {"index": index} if indexed else {}
            yield _event(completion, {"tool_calls": [{**at, **piece}]})
    yield _event(completion, {}, finish=choice["finish_reason"])
    if usage:
        whole = {**_head(completion), "choices": [], "usage": completion["usage"]}
        yield _data(json.dumps(whole))
    yield _data("[DONE]")


def error_event(message: str) -> bytes:
    """What a server sends that fails in the middle."""
    return _data(json.dumps({"error": {"message": message, "type": "server_error"}}))


def _call_pieces(call: dict[str, Any]) -> Iterator[dict[str, Any]]:
    function = call["function"]
    yield {
        "id": call["id"],
        "type": "function",
        "function": {"name": function["name"], "arguments": ""},
    }
    for text in _cut(function["arguments"]):
        yield {"function": {"arguments": text}}


def _cut(text: str) -> Iterator[str]:
    return (text[at : at + LETTERS] for at in range(0, len(text), LETTERS))


def _head(completion: dict[str, Any]) -> dict[str, Any]:
    kept = {name: completion[name] for name in ("id", "created", "model")}
    return {**kept, "object": "chat.completion.chunk"}


def _event(
    completion: dict[str, Any], delta: dict[str, Any], *, finish: str | None = None
) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return _data(json.dumps({**_head(completion), "choices": [choice]}, ensure_ascii=False))


def _data(text: str) -> bytes:
    return f"data: {text}\n\n".encode()
