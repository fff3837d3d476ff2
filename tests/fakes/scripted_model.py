"""A model whose answers are scripted: the n-th answer of a dialogue is the script's n-th line."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.errors import ModelUnavailable
from engine.ports.model import Completion, Message, Purpose, ToolCall, ToolOffer

Line = str | Mapping[str, Any] | Completion | Exception


@dataclass(frozen=True, slots=True)
class Request:
    """What the model was asked."""

    messages: tuple[Message, ...]
    tools: tuple[ToolOffer, ...]
    schema: Mapping[str, Any] | None

    @property
    def text(self) -> str:
        """Everything that it was told."""
        return "\n".join(message.content for message in self.messages)


@dataclass
class ScriptedModel:
    """Answers by how often it has spoken in the dialogue, so that a step done again is the same.

    Speaking beyond the script is an outage, as is an exception in it.
    """

    script: Sequence[Line]
    requests: list[Request] = field(default_factory=list)

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
        """The next line of the script."""
        assert messages, "a model is asked something"
        assert max_tokens > 0
        self.requests.append(Request(tuple(messages), tuple(tools), schema))
        spoken = sum(message.role == "assistant" for message in messages)
        if spoken >= len(self.script):
            raise ModelUnavailable("the script has no further line")
        line = self.script[spoken]
        if isinstance(line, Exception):
            raise line
        if isinstance(line, Completion):
            return line
        text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
        if heard is not None:
            heard(text)
        return Completion(text, tokens=10, model="scripted")


def calls(*wanted: tuple[str, Mapping[str, Any]]) -> Completion:
    """An answer that asks for these tool calls."""
    return Completion(
        "",
        tuple(
            ToolCall(id=f"call{number}", name=name, arguments=json.dumps(arguments))
            for number, (name, arguments) in enumerate(wanted)
        ),
    )


def output(response: str = "", **parts: Any) -> dict[str, Any]:
    """A skill's output as a model writes it."""
    return {"response": response, "control": {"action": "continue"}, **parts}


def asks(kind: str, *questions: Mapping[str, Any], **parts: Any) -> dict[str, Any]:
    """An output that asks the person."""
    control = {"action": "ask_user", "review_type": kind, "questions": list(questions)}
    return output(**{"control": control, **parts})
