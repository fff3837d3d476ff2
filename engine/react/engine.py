"""The ReAct engine: a dialogue with read-only tools, in a budget, with a trace (spec 001 §5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from cards.frozen import Frozen
from cards.model import Lang
from cards.texts import say
from engine.dialogue import UNLIMITED, DialogueResult, ModelTask, first_messages, run_dialogue
from engine.errors import ModelError, ModelUnavailable
from engine.ports.model import Completion, Message, Model, ToolCall
from engine.ports.storage.drafts import ShowDraft
from engine.react.growth import AnswerGrowth, marked_answer
from engine.react.prompts import GO_ON, ReActReason, recites_prompt, system_prompt, user_message
from engine.text.answer import AnswerFaults
from engine.tools.model import Tool, ToolContext
from engine.tools.read_only import Observation, ReadOnlyTools

ANSWER_TOKENS = 1000
CHARS_PER_TOKEN = 3
MAX_FAILED_CALLS = 2


@dataclass(frozen=True, slots=True)
class Budget:
    """The most answers of the model, and about the most tokens, prompts included."""

    iterations: int = 5
    tokens: int = 4000


class TraceItem(Frozen):
    """One thought, or one call and its observation; for admins, never for the person."""

    iteration: int
    thought: str = ""
    action: str = ""
    arguments: str = ""
    observation: str = ""
    ok: bool = True
    tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ReActResult:
    """`content` is the final answer, or a sentence that says why there is none.

    `refused` are the tools that the model asked for and that would have written.
    """

    success: bool
    content: str
    trace: tuple[TraceItem, ...]
    reason: ReActReason
    refused: tuple[str, ...] = ()
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    model: str = ""


@dataclass(frozen=True, slots=True)
class ReActEngine:
    """Answers a question with read-only tools, within a budget; it cannot change anything.

    The second failed tool call in a row ends it. `elapsed_s` reads a monotonic clock.
    """

    model: Model
    tools: Sequence[Tool[Any]]
    budget: Budget = Budget()
    elapsed_s: Callable[[], float] = lambda: 0.0

    async def run(
        self,
        query: str,
        context: ToolContext,
        *,
        lang: Lang,
        recent: Sequence[str] = (),
        known: Sequence[str] = (),
        show: ShowDraft | None = None,
    ) -> ReActResult:
        """The final answer in `lang`, or a sentence that says why there is none.

        `recent` is what was said before, `known` are lines with what is known already. `show` is
        given the answer while it is written, as far as people may read it already.
        """
        model = _BudgetedModel(self, lang, AnswerGrowth(show), self.elapsed_s())
        task = ModelTask(
            opening=lambda: first_messages(system_prompt(lang), user_message(query, recent, known)),
            read=model.read,
            correction=lambda faults: faults[0],
            max_tokens=ANSWER_TOKENS,
            tools=_TracedTools(self.tools, context, model),
            max_faulty=UNLIMITED,
            max_calls=UNLIMITED,
        )
        try:
            outcome = await run_dialogue(task, model)
        except _LimitReached as limit:
            return model.failure(limit.args[0])
        except ModelUnavailable:
            return model.failure("model_unavailable")
        except ModelError:
            return model.failure("model_refused")
        assert isinstance(outcome, DialogueResult), "only the budget limits the dialogue"
        return model.success(outcome.value)


class _LimitReached(Exception):
    """There is no answer within the limits; its argument is the `Reason`."""


@dataclass(slots=True)
class _BudgetedModel:
    """The model for one question: within the budget, shown while it writes, counted and traced."""

    engine: ReActEngine
    lang: Lang
    growth: AnswerGrowth
    begun_s: float
    iterations: int = 0
    tokens: int = 0
    cost: float = 0.0
    model_name: str = ""
    text: str = ""
    is_cut: bool = False
    failed_calls: int = 0
    trace: list[TraceItem] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    async def complete(
        self, messages: Sequence[Message], *, max_tokens: int = ANSWER_TOKENS, **options: Any
    ) -> Completion:
        """The model's next answer. Raises ModelError, _LimitReached.

        An answer that people have read as the final one is followed by no call. One that broke
        off after pieces of it were heard is asked for anew, and shown when it is whole.
        """
        budget, growth = self.engine.budget, self.growth
        left = budget.tokens - self.tokens
        if self.iterations == budget.iterations:
            raise _LimitReached("iterations")
        if left <= 0:
            raise _LimitReached("tokens")
        growth.begin(self.text)
        limits = {"max_tokens": min(max_tokens, left), **options}
        ask = partial(self.engine.model.complete, messages, **limits)
        try:
            answer = await ask(heard=growth.hear if growth.is_open else None)
        except ModelUnavailable:
            if not growth.has_heard:
                raise
            growth.stop()
            answer = await ask()
        answer = replace(answer, tool_calls=()) if growth.has_shown else answer
        self._count(messages, answer)
        return answer

    def _count(self, messages: Sequence[Message], answer: Completion) -> None:
        # Some servers report no usage; letters then stand in for tokens.
        letters = sum(len(message.content) for message in messages) + len(answer.text)
        spent = answer.tokens or letters // CHARS_PER_TOKEN
        self.trace.append(TraceItem(iteration=self.iterations, thought=answer.text, tokens=spent))
        self.iterations += 1
        self.tokens += spent
        self.cost += answer.cost
        self.model_name = answer.model or self.model_name
        self.text = "" if answer.tool_calls else self.text + answer.text
        self.is_cut = answer.truncated and not answer.tool_calls

    def read(self, text: str) -> str | AnswerFaults:
        """The answer with all its pieces; after one that was cut off the model has to go on."""
        return AnswerFaults((GO_ON,)) if self.is_cut else marked_answer(self.text)

    def trace_call(self, wanted: ToolCall, observation: Observation, seconds: float) -> None:
        """Add a tool call to the trace. Raises _LimitReached at the second failed one in a row."""
        item = TraceItem(
            iteration=self.iterations - 1,
            action=wanted.name,
            arguments=wanted.arguments,
            observation=observation.content,
            ok=observation.ok,
            seconds=round(seconds, 3),
        )
        self.trace.append(item)
        self.refused += [wanted.name] if observation.refused else []
        self.failed_calls = 0 if observation.ok else self.failed_calls + 1
        if self.failed_calls >= MAX_FAILED_CALLS:
            raise _LimitReached("tools_failed")

    def success(self, text: str) -> ReActResult:
        """The final answer, unless it is empty or recites what the model was told."""
        if recites_prompt(text):
            return self._result(say("react.model_refused", self.lang), "model_refused")
        return self._result(text, "answered") if text else self.failure("empty")

    def failure(self, reason: ReActReason) -> ReActResult:
        """A sentence that says why there is no answer; a part of an answer is given as a part."""
        text = marked_answer(self.text)
        if self.is_cut and text and not recites_prompt(text):
            return self._result(f"{text}\n\n{say('react.truncated', self.lang)}", "truncated")
        return self._result(say(f"react.{reason}", self.lang), reason)

    def _result(self, content: str, reason: ReActReason) -> ReActResult:
        return ReActResult(
            success=reason in ("answered", "truncated"),
            content=content,
            trace=tuple(self.trace),
            reason=reason,
            refused=tuple(dict.fromkeys(self.refused)),
            tokens=self.tokens,
            cost=self.cost,
            seconds=self.engine.elapsed_s() - self.begun_s,
            model=self.model_name,
        )


class _TracedTools(ReadOnlyTools):
    """Read-only tools whose calls are added to the trace."""

    def __init__(
        self, tools: Sequence[Tool[Any]], context: ToolContext, model: _BudgetedModel
    ) -> None:
        super().__init__(tools, context)
        self._model = model

    async def call(self, wanted: ToolCall) -> Observation:
        """The tool's result. Raises _LimitReached at the second failed call in a row."""
        elapsed_s = self._model.engine.elapsed_s
        begun_s = elapsed_s()
        observation = await super().call(wanted)
        self._model.trace_call(wanted, observation, elapsed_s() - begun_s)
        return observation
