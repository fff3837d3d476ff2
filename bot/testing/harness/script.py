"""A model that gives the answers of a test."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.testing.files.model import ModelLine
from engine.errors import ModelRefused, ModelUnavailable
from engine.ports.model import Completion, Message, Purpose, ToolCall, ToolOffer

_TOKENS = 10


class ScriptedAnswers:
    """Gives each line once: the first left that is for that, and whose purpose is in the prompt.

    Beyond the last one no model is reachable.
    """

    def __init__(self, lines: Sequence[ModelLine]) -> None:
        self._left = list(lines)
        self.asked: list[str] = []

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1000,
        heard: Callable[[str], None] | None = None,
        purpose: Purpose = "",
    ) -> Completion:
        """The next answer. Raises ModelUnavailable, ModelRefused."""
        prompt = "\n".join(message.content for message in messages)
        self.asked.append(prompt)
        fitting = (each for each in self._left if each.for_ in ("", purpose))
        line = next((each for each in fitting if each.purpose in prompt), None)
        if line is None:
            raise ModelUnavailable("given.model has no further answer")
        self._left.remove(line)
        match line.fault:
            case "away":
                raise ModelUnavailable("given.model says that it is away")
            case "refuses":
                raise ModelRefused("given.model says that it refuses")
        text = line.text
        if line.output is not None:
            text = json.dumps(line.output, ensure_ascii=False)
        if heard is not None and text:
            heard(text)
        calls = [pair for each in line.calls for pair in each.items()]
        return Completion(
            text,
            tuple(
                ToolCall(id=f"call{number}", name=name, arguments=json.dumps(arguments))
                for number, (name, arguments) in enumerate(calls)
            ),
            tokens=_TOKENS,
            model="scripted",
        )
