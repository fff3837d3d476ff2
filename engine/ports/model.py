"""A chat-completions model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, get_args

from pydantic import Field

from cards.frozen import Frozen

Purpose = Literal["answer", "route", "form", "skill", "rules", "plan", "jobs", "document", ""]
"""What a model is asked for: settings may give each its own limits and request fields."""
PURPOSES: Final[tuple[str, ...]] = tuple(filter(None, get_args(Purpose)))

ThoughtWay = Literal["apart", "leading", "returned"]
"""How a model gives its thoughts: in tags or a field of their own (`apart`), before the answer with
no tag where they begin (`leading`), or in a field that goes back to it with its calls (`returned`).
"""
THOUGHT_WAYS: Final[tuple[str, ...]] = get_args(ThoughtWay)

KEPT_FIELDS: Final = frozenset(
    {"model", "messages", "tools", "tool_choice", "response_format", "stream", "stream_options"}
    | {"max_completion_tokens", "n"}
)
"""Fields of a request that the model's room sets by itself, and no setting."""


class Message(Frozen):
    """One message of a model dialogue in the chat-completions sense."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    tool_calls: tuple["ToolCall", ...] = ()
    tool_call_id: str = ""


class ToolCall(Frozen):
    """A call that the model asks for; `arguments` is the raw JSON text it wrote."""

    id: str
    name: str
    arguments: str


class ToolOffer(Frozen):
    """A tool as the model sees it; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model answered; `truncated` when the provider's length limit cut it off.

    `tokens` is prompt and completion together, 0 when the server does not say. `cost` is in the
    currency of the configured prices. `seconds` is how long it took, tries of other models and the
    wait for a place included; 0 where nobody measured.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tokens: int = 0
    truncated: bool = False
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0

    @property
    def has_no_room(self) -> bool:
        """Whether the limit cut the answer off before it had any text or call."""
        return self.truncated and not (self.text.strip() or self.tool_calls)


class ModelUsage(Frozen):
    """Answers of the model, and their tokens as far as its server tells them."""

    calls: int = 0
    tokens: int = 0

    def plus(self, other: "ModelUsage") -> "ModelUsage":
        """Both together."""
        # Most steps use nothing.
        if not (other.calls or other.tokens):
            return self
        return ModelUsage(calls=self.calls + other.calls, tokens=self.tokens + other.tokens)


class ModelBudget(Frozen):
    """How many answers and tokens of the model may be used before somebody lets it go on."""

    calls: int = Field(ge=1, le=1_000_000)
    tokens: int = Field(ge=100, le=1_000_000_000)

    def is_used_up(self, used: ModelUsage) -> bool:
        """Whether the next answer would be one too many."""
        return used.calls >= self.calls or used.tokens >= self.tokens


RUN_BUDGET: Final = ModelBudget(calls=300, tokens=2_000_000)
GRAPH_BUDGET: Final = ModelBudget(calls=500, tokens=3_000_000)


class Model(Protocol):
    """A chat-completions model."""

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
        """One answer. `schema` asks for a JSON object of that schema. Raises ModelError.

        `heard` is given each piece of the text as it comes. Text that was handed over is never
        handed over a second time: an answer that breaks off after it raises AnswerBroken.
        """
        ...
