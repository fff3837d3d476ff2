"""The ReAct engine: a dialogue with read-only tools, in a budget, with a trace (spec 001 §5)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from cards.frozen import Frozen
from cards.model import Lang
from cards.texts import say
from engine.dialogue import (
    NO_ROOM,
    UNLIMITED,
    DialogueResult,
    ModelTask,
    first_messages,
    limit_text,
    run_dialogue,
)
from engine.errors import AllowanceUsedUp, AnswerBroken, ModelError, ModelUnavailable
from engine.ports.model import Completion, Message, Model, ToolCall
from engine.ports.storage.drafts import ShowDraft
from engine.react.growth import AnswerGrowth, marked_answer
from engine.react.offers import RankedTools
from engine.react.prompts import (
    GO_ON,
    NOTHING_KNOWN,
    ReActReason,
    last_message,
    recites_prompt,
    system_prompt,
    user_message,
)
from engine.text.answer import AnswerFaults
from engine.text.thoughts import without_thoughts
from engine.tools.model import Tool, ToolContext
from engine.tools.read_only import Observation

ANSWER_TOKENS = 2000
CHARS_PER_TOKEN = 3
LAST_TOKENS = 800
MAX_FAILED_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Budget:
    """The most answers of the model before its last, and about the most tokens of them and results.

    What the model is told at first, and is told again with each result, counts for nothing. `tools`
    are offered at once, those that fit best; the rest can be found.
    """

    iterations: int = 5
    tokens: int = 20_000
    tools: int = 16


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

    After the second round in a row of which each tool call failed, or once the tokens or answers
    are used up, the model is asked for a last answer without tools, from what is known, which is
    told as such. What failed of the first round is told to the model. `elapsed_s` reads
    a monotonic clock.
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
        briefing: Sequence[str] = (),
        show: ShowDraft | None = None,
    ) -> ReActResult:
        """The final answer in `lang`, or a sentence that says why there is none.

        `briefing` are lines on what is known and was said before. `show` is given the answer while
        it is written, as far as people may read it already.
        """
        model = _BudgetedModel(self, lang, AnswerGrowth(show), self.elapsed_s())
        task = ModelTask(
            purpose="answer",
            opening=lambda: first_messages(system_prompt(lang), user_message(query, briefing)),
            read=model.read,
            correction=lambda faults: faults[0],
            max_tokens=ANSWER_TOKENS,
            tools=_TracedTools(self.tools, context, query, model),
            max_faulty=UNLIMITED,
            # One more than the budget has, for the last answer.
            max_rounds=self.budget.iterations + 1,
            max_calls=UNLIMITED,
        )
        try:
            outcome = await run_dialogue(task, model)
        except ModelError as error:
            model.limited = error.whose if isinstance(error, AllowanceUsedUp) else ""
            return model.failure(_reason(error))
        if isinstance(outcome, DialogueResult):
            return model.success(outcome.value)
        return model.failure("no_room" if outcome.faults == (NO_ROOM,) else "iterations")


def _reason(error: ModelError) -> ReActReason:
    match error:
        case AnswerBroken():
            return "broken"
        case AllowanceUsedUp():
            return "allowance"
        case ModelUnavailable():
            return "model_unavailable"
    return "model_refused"


@dataclass(slots=True)
class _BudgetedModel:
    """The model for one question: within the budget, shown while it writes, counted and traced."""

    engine: ReActEngine
    lang: Lang
    growth: AnswerGrowth
    begun_s: float
    iterations: int = 0
    tokens: int = 0
    added: int = 0
    prompt: int = 0
    cost: float = 0.0
    model_name: str = ""
    text: str = ""
    is_cut: bool = False
    ended: ReActReason | None = None
    lead: str = ""
    round_calls: list[bool] = field(default_factory=list)
    failed_rounds: int = 0
    broken: str = ""
    limited: str = ""
    trace: list[TraceItem] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    async def complete(
        self, messages: Sequence[Message], *, max_tokens: int = ANSWER_TOKENS, **options: Any
    ) -> Completion:
        """The model's next answer, the last one once a limit is reached. Raises ModelError.

        An answer that people have read as the final one is followed by no call. One that breaks off
        is asked for once more: people see what they read already, and are told so.
        """
        left = self.engine.budget.tokens - self.added
        self.ended = self._end_round() or self._limit(left)
        if self.ended:
            return await self._ask_last(messages, **options)
        limits = {"max_tokens": min(max_tokens, left), **options}
        ask = partial(self.engine.model.complete, messages, **limits)
        try:
            answer = await self._hear(ask)
        except AnswerBroken as error:
            self._break_off(error)
            answer = await self._hear(ask)
            self.broken = ""
        return self._take(messages, answer)

    async def _ask_last(self, messages: Sequence[Message], **options: Any) -> Completion:
        """The answer from what is known; none where an answer was cut off or the model is away."""
        nothing = Completion(text="")
        if self.is_cut:
            return nothing
        told = (*messages, Message(role="user", content=last_message()))
        # Nobody reads it before it stands below what it is.
        options |= {"tools": (), "heard": None, "max_tokens": LAST_TOKENS}
        try:
            answer = await self.engine.model.complete(told, **options)
        except AllowanceUsedUp:
            raise
        except ModelError:
            return nothing
        answer = self._take(told, replace(answer, tool_calls=()))
        if answer.text.strip().strip(".。") == NOTHING_KNOWN:
            self.text = ""
        self.lead = f"{say(f'react.last.{self.ended}', self.lang)}\n\n"
        return answer

    def _take(self, messages: Sequence[Message], answer: Completion) -> Completion:
        answer = replace(answer, text=without_thoughts(answer.text))
        answer = replace(answer, tool_calls=()) if self.growth.has_shown else answer
        self._count(messages, answer)
        return answer

    async def _hear(self, ask: Callable[..., Awaitable[Completion]]) -> Completion:
        growth = self.growth
        growth.begin(self.text)
        return await ask(heard=growth.hear if growth.is_open else None)

    def _break_off(self, error: AnswerBroken) -> None:
        self.broken = self.growth.break_off(say("react.asked_again", self.lang))
        note = f"asked once more: {error}"
        self.trace.append(TraceItem(iteration=self.iterations, observation=note, ok=False))

    def _end_round(self) -> ReActReason | None:
        """Why there is no other: the second round in a row of which each call failed."""
        calls, self.round_calls = self.round_calls, []
        if calls:
            self.failed_rounds = 0 if any(calls) else self.failed_rounds + 1
        return "tools_failed" if self.failed_rounds >= MAX_FAILED_ROUNDS else None

    def _limit(self, left: int) -> ReActReason | None:
        """Which limit is reached, where so many tokens are left."""
        if left <= 0:
            return "tokens"
        return "iterations" if self.iterations >= self.engine.budget.iterations else None

    def _count(self, messages: Sequence[Message], answer: Completion) -> None:
        # Some servers report no usage; letters then stand in for tokens.
        prompt = answer.prompt_tokens or _letters(messages) // CHARS_PER_TOKEN
        written = answer.completion_tokens or len(answer.text) // CHARS_PER_TOKEN
        spent = answer.tokens or prompt + written
        told = prompt - self.prompt if self.prompt else 0
        self.added += max(written, spent - prompt) + max(0, told)
        self.prompt = prompt + written
        self.trace.append(TraceItem(iteration=self.iterations, thought=answer.text, tokens=spent))
        self.iterations += 1
        self.tokens += spent
        self.cost += answer.cost
        self.model_name = answer.model or self.model_name
        self.text = "" if answer.tool_calls else self.text + answer.text
        self.is_cut = answer.truncated and not answer.tool_calls

    def read(self, text: str) -> str | AnswerFaults:
        """The answer with all its pieces; after one that was cut off the model has to go on."""
        if self.is_cut and not self.ended:
            return AnswerFaults((GO_ON,))
        return marked_answer(self.text)

    def trace_call(self, wanted: ToolCall, observation: Observation, seconds: float) -> None:
        """Add a tool call of this round to the trace."""
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
        self.round_calls.append(observation.ok)

    def success(self, text: str) -> ReActResult:
        """The final answer, unless it is empty or recites what the model was told."""
        if recites_prompt(text):
            return self._result(say("react.model_refused", self.lang), "model_refused")
        if not text or self.is_cut:
            return self.failure(self.ended or "empty")
        return self._result(f"{self.lead}{text}", "last_answer" if self.lead else "answered")

    def failure(self, reason: ReActReason) -> ReActResult:
        """A sentence that says why there is no answer; a part of an answer is given as a part."""
        why: ReActReason = "truncated" if self.is_cut else "broken"
        text = marked_answer(self.text) if self.is_cut else self.broken
        if text and not recites_prompt(text):
            told = f"{self.lead}{text}\n\n{say(f'react.{why}', self.lang)}"
            return self._result(told, why)
        reason = "model_unavailable" if reason == "broken" else reason
        limit = limit_text(self.limited, self.lang) if self.limited else ""
        return self._result(say(f"react.{reason}", self.lang, limit=limit), reason)

    def _result(self, content: str, reason: ReActReason) -> ReActResult:
        return ReActResult(
            success=reason in ("answered", "truncated", "broken", "last_answer"),
            content=content,
            trace=tuple(self.trace),
            reason=reason,
            refused=tuple(dict.fromkeys(self.refused)),
            tokens=self.tokens,
            cost=self.cost,
            seconds=self.engine.elapsed_s() - self.begun_s,
            model=self.model_name,
        )


def _letters(messages: Sequence[Message]) -> int:
    return sum(len(message.content) for message in messages)


class _TracedTools(RankedTools):
    """Read-only tools whose calls are added to the trace."""

    def __init__(
        self, tools: Sequence[Tool[Any]], context: ToolContext, query: str, model: _BudgetedModel
    ) -> None:
        most = model.engine.budget.tools
        super().__init__(tools, context, query=query, most=most, lang=model.lang)
        self._model = model

    async def call(self, wanted: ToolCall) -> Observation:
        """The tool's result."""
        elapsed_s = self._model.engine.elapsed_s
        begun_s = elapsed_s()
        observation = await super().call(wanted)
        self._model.trace_call(wanted, observation, elapsed_s() - begun_s)
        return observation
