"""Thoughts of models: how each gives them, and those that go back to a model that wants them.

No thought leaves this room: none is part of an answer, and what is kept of them stays in memory.
"""

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from engine.ports.model import Message, ThoughtWay
from engine.text.thoughts import ThoughtFilter

KEPT_CHARS: Final = 4_000_000
"""So much of thoughts a process keeps for the calls that they led to; the oldest go first."""


class ThoughtHabits:
    """How each model gives its thoughts: as settings say, else as its own answers have shown.

    A model may think for some requests and not for others, by their further fields: what one answer
    shows is known of requests with the same fields, and that it begins with thoughts of all.
    """

    def __init__(self, ways: Mapping[str, ThoughtWay]) -> None:
        self._ways = ways
        self._leading: set[str] = set()
        self._apart: set[tuple[str, str]] = set()

    def way(self, model: str, fields: Mapping[str, Any]) -> ThoughtWay | None:
        """How the model gives them in answer to such a request; None while nobody knows."""
        if model in self._ways:
            return self._ways[model]
        if model in self._leading:
            return "leading"
        return "apart" if _key(model, fields) in self._apart else None

    def learn(
        self, model: str, fields: Mapping[str, Any], text: str, *, is_cut: bool = False
    ) -> None:
        """Learn from the text of an answer, thoughts and all; its limit may have cut it off."""
        if not text.strip():
            return
        if begins_with_thoughts(text):
            self._leading.add(model)
        elif is_cut and may_be_thought(text, None):
            return  # It may have been about to end them.
        self._apart.add(_key(model, fields))


def begins_with_thoughts(text: str) -> bool:
    """Whether thoughts end in the text that did not begin in it."""
    read = ThoughtFilter()
    read.feed(text)
    return read.losses > 0 and not text.lstrip().startswith(("{", "["))


def may_be_thought(text: str, way: ThoughtWay | None) -> bool:
    """Whether all of a text that was cut off may be thoughts, as its model (`way`) gives them."""
    if way not in (None, "leading"):
        return False
    read = ThoughtFilter()
    read.feed(text)
    is_data = way is None and text.lstrip().startswith(("{", "["))
    return not (read.ends or is_data)


def _key(model: str, fields: Mapping[str, Any]) -> tuple[str, str]:
    return model, json.dumps(fields, sort_keys=True, default=str)


class ReturnedThoughts:
    """What models thought before they called tools, while a dialogue with these calls goes on.

    It is found by all messages up to the calls: no other dialogue is given it.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._chars = 0

    def keep(
        self, model: str, before: Sequence[Message], calls: Sequence[str], thoughts: tuple[str, str]
    ) -> None:
        """Keep the `thoughts` (a field's name and its text) that led to the calls of these ids."""
        key = _dialogue_key(model, before, calls)
        self._chars += len(thoughts[1]) - len(self._kept.pop(key, ("", ""))[1])
        self._kept[key] = thoughts
        while self._chars > KEPT_CHARS:
            self._chars -= len(self._kept.popitem(last=False)[1][1])

    def add_to(
        self, told: Sequence[dict[str, Any]], model: str, messages: Sequence[Message]
    ) -> None:
        """Give the model back in `told`, which ends with `messages`, what led to each call.

        What is not known any more is given as nothing: servers ask for the field.
        """
        for at, message in enumerate(messages):
            if message.tool_calls:
                ids = [call.id for call in message.tool_calls]
                key = _dialogue_key(model, messages[:at], ids)
                name, text = self._kept.get(key, ("reasoning_content", ""))
                told[at - len(messages)][name] = text


def _dialogue_key(model: str, before: Sequence[Message], calls: Sequence[str]) -> str:
    digest = sha256(json.dumps([model, *calls]).encode())
    for message in before:
        digest.update(message.model_dump_json().encode())
    return digest.hexdigest()
