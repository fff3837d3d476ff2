"""LLMPlanner: a model makes a plan of a request and tools (spec 004)."""

from collections.abc import Mapping
from typing import Any, Protocol

from cards.model import Lang
from cards.texts import say
from engine.dialogue import DialogueFailure, ModelTask, run_dialogue
from engine.frames.llm_plan import DroppedStep, LlmPlanStep
from engine.ports.model import Model
from engine.text.answer import AnswerFaults
from engine.tool_plan.planning.json_array import coerce_json_array, cut_answer
from engine.tool_plan.planning.prompts import REPAIR, PlanRequest, build_prompt
from engine.tool_plan.planning.steps import PlanDraft, validate_steps
from engine.tools.top_tools import TOP_K, Manifest, top_k_tools

PLAN_TOKENS = 2000
MAX_STEPS = 6
PlanStep = dict[str, Any]
"""`{type: tool, name, arguments}` or `{type: reply, text}`."""


class Registry(Protocol):
    """Something that describes its tools as a manifest."""

    def describe(self) -> Manifest:
        """Tools as MCP lists them, by name."""
        ...


class LLMPlanner:
    """Makes plans with a model; it calls no tool and keeps nothing. Raises ModelError."""

    def __init__(
        self,
        generator: Model,
        max_steps: int = MAX_STEPS,
        enable_repair: bool = True,
        topk_tools: int = TOP_K,
    ) -> None:
        self._model = generator
        self._max_steps = max_steps
        self._tries = 2 if enable_repair else 1
        self._top_k = topk_tools

    async def plan(
        self, profile_system_prompt: str, user_query: str, tools: Manifest | Registry
    ) -> list[PlanStep]:
        """The valid steps, at least one; the last is a reply."""
        draft = await self.draft(PlanRequest(profile_system_prompt, user_query), tools)
        return [as_plan_step(step) for step in draft.steps]

    async def execute(
        self, data: Mapping[str, Any] | tuple[str, str, Manifest | Registry]
    ) -> list[PlanStep]:
        """`plan` for `(profile_prompt, user_query, tools or registry)`, or for a dict of these.

        The dict has `tools` or `registry`, and may have `topk` for this one plan. Raises
        ValueError when something is not there.
        """
        if isinstance(data, tuple):
            return await self.plan(*data)
        profile = data.get("profile_prompt", data.get("profile_system_prompt"))
        query, tools = data.get("user_query"), data.get("tools", data.get("registry"))
        if profile is None or query is None or tools is None:
            raise ValueError("give profile_prompt, user_query, and tools or registry")
        draft = await self.draft(PlanRequest(profile, query), tools, topk=data.get("topk"))
        return [as_plan_step(step) for step in draft.steps]

    async def draft(
        self, request: PlanRequest, tools: Manifest | Registry, *, topk: int | None = None
    ) -> PlanDraft:
        """The plan, and what was left out of it."""
        lang, first = request.language, request.first
        listed = tools if isinstance(tools, Mapping) else tools.describe()
        chosen = top_k_tools(request.query, listed, self._top_k if topk is None else topk)
        task = ModelTask(
            purpose="plan",
            opening=lambda: build_prompt(request, chosen, self._max_steps),
            read=_read,
            max_tokens=PLAN_TOKENS,
            correction=lambda faults: faults[0],
            max_faulty=self._tries,
        )
        outcome = await run_dialogue(task, self._model)
        if isinstance(outcome, DialogueFailure):
            answers = (m.content for m in outcome.dialogue.messages if m.role == "assistant")
            answer = cut_answer(next(filter(str.strip, answers), ""))
            text = answer or say("plan.unavailable", lang)
            return PlanDraft((LlmPlanStep(number=first, text=text),), sound=False)
        draft = validate_steps(
            outcome.value, chosen, first=first, earlier=request.earlier, ask=request.ask
        )
        return _complete(draft, self._max_steps, first, lang)


def _read(text: str) -> list[Any] | AnswerFaults:
    steps = coerce_json_array(text)
    return AnswerFaults((REPAIR,)) if steps is None else steps


def as_plan_step(step: LlmPlanStep) -> PlanStep:
    """The step as MCP writes it."""
    if not step.tool:
        return {"type": "reply", "text": step.text}
    return {"type": "tool", "name": step.tool, "arguments": step.arguments}


def _complete(draft: PlanDraft, limit: int, first: int, lang: Lang) -> PlanDraft:
    """At most `limit` steps; the last is a reply, the model's own or one that claims nothing."""
    steps, dropped = draft.steps, draft.dropped
    if not steps:
        reply = LlmPlanStep(number=first, text=say("plan.unavailable", lang))
        return PlanDraft((reply,), dropped, sound=False)
    kept, beyond = steps[:limit], steps[limit:]
    if kept[-1].tool:
        beyond = (*kept[limit - 1 :], *beyond)
        number = steps[-1].number + 1
        kept = (*kept[: limit - 1], LlmPlanStep(number=number, text=say("plan.carried_out", lang)))
    over = (DroppedStep(number=s.number, kind="beyond", name=s.tool) for s in beyond)
    return PlanDraft(kept, (*dropped, *over))
