"""Parses what a server answers: a whole completion, or the events of a stream."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from adapters.openai.failures import CUT_OFF, GARBLED, Failure
from adapters.openai.thoughts import may_be_thought
from engine.ports.model import Completion, ThoughtWay, ToolCall
from engine.text.thoughts import THOUGHT_ENDS, ThoughtFilter, without_thoughts

PER_TOKENS = 1_000_000


Price = tuple[float, float]
"""Prices of a million tokens of the prompt, and of the answer."""


def _joined(content: Any) -> Any:
    """Parts of a message as one text; parts that are no text, such as thoughts, are left out."""
    if not isinstance(content, list):
        return content
    parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "".join(str(part.get("text", "")) for part in parts)


_Content = Annotated[str | None, BeforeValidator(_joined)]
_Thoughts = Annotated[Any, Field(exclude=True)]
"""What a server gives apart from the answer as thoughts: a sign of life, and no part of it."""


class _Function(BaseModel):
    name: str
    arguments: str = "{}"


class _Call(BaseModel):
    id: str
    function: _Function


class _ResponseMessage(BaseModel):
    content: _Content = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    reasoning_content: _Thoughts = None
    reasoning: _Thoughts = None


class _CompletionChoice(BaseModel):
    message: _ResponseMessage
    finish_reason: str | None = None


class Usage(BaseModel):
    """The tokens that a server counted."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None


class ChatResponse(BaseModel):
    """What we read of a chat completion; servers are not all strict about the rest.

    `way` is how the model gives its thoughts, as far as it is known.
    """

    choices: list[_CompletionChoice] = Field(min_length=1)
    usage: Usage | None = None
    way: ThoughtWay | None = Field(default=None, exclude=True)

    @property
    def refused(self) -> bool:
        """Whether the model or the provider declined."""
        choice = self.choices[0]
        return bool(choice.message.refusal) or choice.finish_reason == "content_filter"

    @property
    def text(self) -> str:
        """The answer without its thoughts."""
        text = self.whole_text
        apart = self.way == "apart" or self.thoughts or self.call_ids
        if self.is_truncated and may_be_thought(text, "apart" if apart else self.way):
            return ""  # The limit cut off what it thought, for all that is known.
        return without_thoughts(text)

    @property
    def whole_text(self) -> str:
        """The answer with thoughts that stand in it."""
        return self.choices[0].message.content or ""

    @property
    def is_truncated(self) -> bool:
        """Whether the limit cut the answer off."""
        return self.choices[0].finish_reason == "length"

    @property
    def call_ids(self) -> list[str]:
        """The ids of its tool calls."""
        return [call.id for call in self.choices[0].message.tool_calls or ()]

    @property
    def thoughts(self) -> tuple[str, str] | None:
        """The field of its own that thoughts came in, and their text."""
        message = self.choices[0].message
        for name in ("reasoning_content", "reasoning"):
            text = getattr(message, name)
            if isinstance(text, str) and text:
                return name, text
        return None

    def completion(self, model: str, price: Price) -> Completion:
        """The answer in the port's words."""
        choice = self.choices[0]
        used = self.usage or Usage()
        prompt, completion = used.prompt_tokens or 0, used.completion_tokens or 0
        return Completion(
            text=self.text,
            tool_calls=tuple(
                ToolCall(id=call.id, name=call.function.name, arguments=call.function.arguments)
                for call in choice.message.tool_calls or ()
            ),
            tokens=used.total_tokens or prompt + completion,
            truncated=self.is_truncated,
            model=model,
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost=(prompt * price[0] + completion * price[1]) / PER_TOKENS,
        )


def parse_response(body: bytes, way: ThoughtWay | None = None) -> ChatResponse | Failure:
    """Return the completion in a body, or a failure."""
    try:
        return ChatResponse.model_validate_json(body).model_copy(update={"way": way})
    except ValidationError:
        return GARBLED


class _FunctionPiece(BaseModel):
    name: str | None = None
    arguments: str | None = None


class _CallPiece(BaseModel):
    index: int | None = None
    id: str | None = None
    function: _FunctionPiece = _FunctionPiece()


class _Delta(BaseModel):
    content: _Content = None
    refusal: str | None = None
    tool_calls: list[_CallPiece] | None = None
    reasoning_content: _Thoughts = None
    reasoning: _Thoughts = None

    @property
    def says_something(self) -> bool:
        """Whether a token came, of a thought or of the answer."""
        told = (self.content, self.refusal, self.tool_calls, self.reasoning_content, self.reasoning)
        return any(told)


class _ChoicePiece(BaseModel):
    delta: _Delta | None = None
    finish_reason: str | None = None


class StreamEvent(BaseModel):
    """What we read of one event of a stream."""

    choices: list[_ChoicePiece] | None = None
    usage: Usage | None = None

    @property
    def says_something(self) -> bool:
        """Whether a token came, of a thought or of the answer."""
        return any(choice.delta and choice.delta.says_something for choice in self.choices or ())


class PartialAnswer:
    """An answer that a stream brings in pieces.

    Unless the model is known to begin no answer with thoughts, its text waits for where these end,
    or for the end of the whole: what was a thought is known only then.
    """

    def __init__(self, way: ThoughtWay | None = "apart") -> None:
        self._way = way
        self._waits = way in (None, "leading")
        self._thoughts: dict[str, list[str]] = {"reasoning_content": [], "reasoning": []}
        self._text: list[str] = []
        self._said = ThoughtFilter()
        self._given, self._losses = 0, 0
        self._refusal: list[str] = []
        self._calls: list[dict[str, Any]] = []
        self._finish: str | None = None
        self._usage: Usage | None = None

    def add(self, piece: StreamEvent) -> str:
        """Add an event; returns the text that people may read by it, and did not before."""
        self._usage = piece.usage or self._usage
        for choice in (piece.choices or ())[:1]:
            self._finish = choice.finish_reason or self._finish
            delta = choice.delta or _Delta()
            self._refusal.append(delta.refusal or "")
            for call in delta.tool_calls or ():
                self._add_call(call)
            for name, kept in self._thoughts.items():
                if isinstance(thought := getattr(delta, name), str) and thought:
                    kept.append(thought)
                    self._waits = False
            self._text.append(delta.content or "")
            self._said.feed(self._text[-1])
            self._waits = self._waits and not self._said.ends
            return "" if self._waits else self._new_text()
        return ""

    def rest(self) -> str:
        """What was held back of a whole answer, since it could have been a thought."""
        self._said.end()
        is_cut = self._waits and not self._calls and self._finish == "length"
        if is_cut and may_be_thought("".join(self._text), self._way):
            return ""
        return self._new_text()

    def _new_text(self) -> str:
        said = self._said.text
        # What was given was a thought, as its end shows: who hears it has to be told.
        lost, self._losses = self._said.losses - self._losses, self._said.losses
        new = f"{THOUGHT_ENDS}{said}" if lost and self._given else said[self._given :]
        self._given = len(said)
        return new

    def _add_call(self, piece: _CallPiece) -> None:
        call = self._call_of(piece)
        if call is None:
            call = {"index": piece.index, "id": None, "name": None, "arguments": ""}
            self._calls.append(call)
        call["id"] = call["id"] or piece.id
        # Some servers repeat the name in every piece.
        call["name"] = call["name"] or piece.function.name
        call["arguments"] += piece.function.arguments or ""

    def _call_of(self, piece: _CallPiece) -> dict[str, Any] | None:
        """Return the call that a piece continues; None for a new one.

        Some servers leave the index out, others repeat it; then a new id begins a new call.
        """
        same = [c for c in self._calls if piece.index is None or c["index"] == piece.index]
        last = same[-1] if same else None
        if last and piece.id and last["id"] and piece.id != last["id"]:
            return next((c for c in same if c["id"] == piece.id), None)
        return last

    def whole(self) -> ChatResponse | Failure:
        """Return the answer, or a failure when its end has not come."""
        if self._finish is None:
            return CUT_OFF
        message = {
            "content": "".join(self._text),
            "refusal": "".join(self._refusal),
            "tool_calls": [_tool_call(call) for call in self._calls],
            **{name: "".join(kept) for name, kept in self._thoughts.items()},
        }
        choice = {"message": message, "finish_reason": self._finish}
        try:
            told = {"choices": [choice], "usage": self._usage, "way": self._way}
            return ChatResponse.model_validate(told)
        except ValidationError:
            return GARBLED


def _tool_call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": call["name"], "arguments": call["arguments"] or "{}"}
    return {"id": call["id"], "function": function}
