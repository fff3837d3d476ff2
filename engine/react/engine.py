"""The loop of thinking, acting and observing (spec 001 §5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cards.frozen import Frozen
from cards.model import Lang
from cards.texts import say
from engine.errors import ModelError, ModelUnavailable
from engine.ports.model import Completion, Message, Model
from engine.react.acting import Hands, Observed
from engine.react.texts import Reason, question, system_prompt
from engine.tools.model import Tool, ToolContext

ANSWER_TOKENS = 1000
CHARS_PER_TOKEN = 3
FUSE = 2


class TraceItem(Frozen):
    """One thought, or one call and what came of it; for admins, never for the person."""

    iteration: int
    thought: str = ""
    action: str = ""
    arguments: str = ""
    observation: str = ""
    ok: bool = True
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class ReActResult:
    """`content` is the final answer, or a sentence that says why there is none."""

    success: bool
    content: str
    trace: tuple[TraceItem, ...]
    reason: Reason


class ReActEngine:
    """Answers a question with read-only tools, within budgets; it cannot change anything.

    At most `max_iterations` answers of the model and about `max_tokens` tokens, prompts counted;
    the second failed tool call in a row ends it.
    """

    def __init__(
        self,
        model: Model,
        tools: Sequence[Tool[Any]],
        *,
        max_iterations: int = 5,
        max_tokens: int = 4000,
        tool_timeout_s: float = 10,
    ) -> None:
        self._model = model
        self._hands = Hands(tools, timeout_s=tool_timeout_s)
        self._max_iterations = max_iterations
        self._max_tokens = max_tokens

    async def run(
        self, query: str, context: ToolContext, *, lang: Lang, recent: Sequence[str] = ()
    ) -> ReActResult:
        """The final answer in `lang`, or an honest sentence; `recent` is what was said before."""
        work = _Work(lang, query, recent)
        for iteration in range(self._max_iterations):
            left = self._max_tokens - work.tokens
            if left <= 0:
                return work.ended("tokens")
            try:
                answer = await self._model.complete(
                    tuple(work.messages),
                    tools=self._hands.offers(),
                    max_tokens=min(ANSWER_TOKENS, left),
                )
            except ModelUnavailable:
                return work.ended("model_unavailable")
            except ModelError:
                return work.ended("model_refused")
            work.heard(iteration, answer)
            if not answer.tool_calls:
                return work.answered(answer)
            if await self._act(iteration, answer, context, work):
                return work.ended("tools_failed")
        return work.ended("iterations")

    async def _act(
        self, iteration: int, answer: Completion, context: ToolContext, work: "_Work"
    ) -> bool:
        """Do what was asked for, in order; True when the fuse has blown."""
        for wanted in answer.tool_calls:
            observed = await self._hands.act(wanted, context)
            work.observed(iteration, wanted.id, wanted.name, wanted.arguments, observed)
            if work.failures >= FUSE:
                return True
        return False


class _Work:
    """The dialogue so far, what it cost, and its trace."""

    def __init__(self, lang: Lang, query: str, recent: Sequence[str]) -> None:
        self.messages = [
            Message(role="system", content=system_prompt(lang)),
            Message(role="user", content=question(query, recent)),
        ]
        self.tokens = 0
        self.failures = 0
        self._lang = lang
        self._trace: list[TraceItem] = []

    def heard(self, iteration: int, answer: Completion) -> None:
        # Some servers report no usage; letters then stand in for tokens.
        letters = sum(len(m.content) for m in self.messages) + len(answer.text)
        spent = answer.tokens or letters // CHARS_PER_TOKEN
        self.tokens += spent
        self._trace.append(TraceItem(iteration=iteration, thought=answer.text, tokens=spent))
        self.messages.append(
            Message(role="assistant", content=answer.text, tool_calls=answer.tool_calls)
        )

    def observed(
        self, iteration: int, call_id: str, name: str, arguments: str, observed: Observed
    ) -> None:
        self.failures = 0 if observed.ok else self.failures + 1
        self.messages.append(Message(role="tool", tool_call_id=call_id, content=observed.content))
        self._trace.append(
            TraceItem(
                iteration=iteration,
                action=name,
                arguments=arguments,
                observation=observed.content,
                ok=observed.ok,
            )
        )

    def answered(self, answer: Completion) -> ReActResult:
        text = answer.text.strip()
        if not text:
            return self.ended("empty")
        if answer.truncated:
            text = f"{text}\n\n{say('react.truncated', self._lang)}"
            return ReActResult(True, text, tuple(self._trace), "truncated")
        return ReActResult(True, text, tuple(self._trace), "answered")

    def ended(self, reason: Reason) -> ReActResult:
        return ReActResult(False, say(f"react.{reason}", self._lang), tuple(self._trace), reason)
