"""The loop of thinking, acting and observing (spec 001 §5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from cards.frozen import Frozen
from cards.model import Lang
from cards.texts import say
from engine.dialogue import first_messages
from engine.errors import ModelError, ModelUnavailable
from engine.ports.model import Completion, Message, Model
from engine.ports.storage.drafts import ShowDraft
from engine.react.growth import AnswerGrowth, marked
from engine.react.prompts import GO_ON, Reason, question, recites, system_prompt
from engine.tools.model import Tool, ToolContext
from engine.tools.read_only import Observation, ReadOnlyTools

ANSWER_TOKENS = 1000
CHARS_PER_TOKEN = 3
FUSE = 2


@dataclass(frozen=True, slots=True)
class Budget:
    """At most so many answers of the model, and about so many tokens, prompts counted."""

    iterations: int = 5
    tokens: int = 4000


class TraceItem(Frozen):
    """One thought, or one call and what came of it; for admins, never for the person."""

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

    `refused` are the writing tools that the model asked for, and did not get.
    """

    success: bool
    content: str
    trace: tuple[TraceItem, ...]
    reason: Reason
    refused: tuple[str, ...] = ()
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    model: str = ""


class ReActEngine:
    """Answers a question with read-only tools, within a budget; it cannot change anything.

    The second failed tool call in a row ends it. `elapsed_s` reads a clock that only goes on.
    """

    def __init__(
        self,
        model: Model,
        tools: Sequence[Tool[Any]],
        budget: Budget = Budget(),
        elapsed_s: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._model = model
        self._tools = tools
        self._budget = budget
        self._elapsed_s = elapsed_s

    async def run(
        self,
        query: str,
        context: ToolContext,
        *,
        lang: Lang,
        recent: Sequence[str] = (),
        show: ShowDraft | None = None,
    ) -> ReActResult:
        """The final answer in `lang`, or an honest sentence; `recent` is what was said before.

        `show` is given the answer while it is written, as far as people may read it already.
        """
        hands, growth = ReadOnlyTools(self._tools, context), AnswerGrowth(show)
        work = _Work(lang, question(query, recent), self._elapsed_s)
        for iteration in range(self._budget.iterations):
            left = self._budget.tokens - work.tokens
            if left <= 0:
                return work.ended("tokens")
            growth.begins(work.text)
            try:
                answer = await self._asked(work, hands, growth, min(ANSWER_TOKENS, left))
            except ModelUnavailable:
                return work.ended("model_unavailable")
            except ModelError:
                return work.ended("model_refused")
            work.heard(iteration, answer)
            if not answer.tool_calls and not answer.truncated:
                return work.answered()
            if not answer.tool_calls:
                work.goes_on()
            elif await self._act(iteration, answer, hands, work):
                return work.ended("tools_failed")
        return work.ended("iterations")

    async def _asked(
        self, work: "_Work", hands: ReadOnlyTools, growth: AnswerGrowth, max_tokens: int
    ) -> Completion:
        """The model's next answer. What people have read as the answer is followed by no call.

        One that broke off after pieces of it were heard is asked for anew, and shown when whole.
        """
        ask, hear = partial(self._model.complete, max_tokens=max_tokens), growth.hear
        said, tools = tuple(work.messages), hands.offers()
        try:
            answer = await ask(said, tools=tools, heard=hear if growth.open else None)
        except ModelUnavailable:
            if not growth.heard:
                raise
            growth.ends()
            answer = await ask(said, tools=tools)
        return replace(answer, tool_calls=()) if growth.shown else answer

    @staticmethod
    async def _act(iteration: int, answer: Completion, hands: ReadOnlyTools, work: "_Work") -> bool:
        """Do what was asked for, in order; True when the fuse has blown."""
        for wanted in answer.tool_calls:
            begun = work.now_s()
            observed = await hands.call(wanted)
            item = TraceItem(
                iteration=iteration,
                action=wanted.name,
                arguments=wanted.arguments,
                observation=observed.content,
                ok=observed.ok,
                seconds=round(work.now_s() - begun, 3),
            )
            work.observed(wanted.id, item, observed)
            if work.failures >= FUSE:
                return True
        return False


class _Work:
    """The dialogue so far, what it cost, and its trace."""

    def __init__(self, lang: Lang, asked: str, now_s: Callable[[], float]) -> None:
        self.messages = [*first_messages(system_prompt(lang), asked)]
        self.now_s = now_s
        self.tokens = 0
        self.failures = 0
        self._begun_s = now_s()
        self._cost = 0.0
        self._model = ""
        self.text = ""
        self._cut = False
        self._lang = lang
        self._trace: list[TraceItem] = []
        self._refused: list[str] = []

    def heard(self, iteration: int, answer: Completion) -> None:
        """Take an answer of the model in; a text without calls is the answer, or its next piece."""
        # Some servers report no usage; letters then stand in for tokens.
        letters = sum(len(m.content) for m in self.messages) + len(answer.text)
        spent = answer.tokens or letters // CHARS_PER_TOKEN
        self.tokens += spent
        self._cost += answer.cost
        self._model = answer.model or self._model
        self.text = "" if answer.tool_calls else self.text + answer.text
        self._cut = answer.truncated and not answer.tool_calls
        self._trace.append(TraceItem(iteration=iteration, thought=answer.text, tokens=spent))
        self.messages.append(
            Message(role="assistant", content=answer.text, tool_calls=answer.tool_calls)
        )

    def goes_on(self) -> None:
        """The provider cut the answer off: ask for the rest of it."""
        self.messages.append(Message(role="user", content=GO_ON))

    def observed(self, call_id: str, item: TraceItem, observed: Observation) -> None:
        """Take in what came of a call."""
        self.failures = 0 if observed.ok else self.failures + 1
        self._refused += [item.action] if observed.refused else []
        self.messages.append(Message(role="tool", tool_call_id=call_id, content=observed.content))
        self._trace.append(item)

    def answered(self) -> ReActResult:
        """The whole answer, with the pieces that it came in."""
        text = marked(self.text)
        if recites(text):
            return self._result(say("react.model_refused", self._lang), "model_refused")
        return self._result(text, "answered") if text else self.ended("empty")

    def ended(self, reason: Reason) -> ReActResult:
        """No answer, and why; a part of one is given as what it is."""
        text = marked(self.text)
        if self._cut and text and not recites(text):
            return self._result(f"{text}\n\n{say('react.truncated', self._lang)}", "truncated")
        return self._result(say(f"react.{reason}", self._lang), reason)

    def _result(self, content: str, reason: Reason) -> ReActResult:
        return ReActResult(
            success=reason in ("answered", "truncated"),
            content=content,
            trace=tuple(self._trace),
            reason=reason,
            refused=tuple(dict.fromkeys(self._refused)),
            tokens=self.tokens,
            cost=self._cost,
            seconds=self.now_s() - self._begun_s,
            model=self._model,
        )
