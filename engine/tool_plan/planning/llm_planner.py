"""LLMPlanner: a model makes a plan of a request and tools (spec 004)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from cards.model import Lang
from cards.texts import say
from engine.dialogue import MAX_FAULTY, DialogueResult, ModelTask, run_dialogue
from engine.errors import ModelError
from engine.frames.llm_plan import DroppedStep, LlmPlanStep
from engine.ports.model import Model
from engine.text.answer import AnswerFaults
from engine.tool_plan.planning.json_array import coerce_json_array, cut_answer
from engine.tool_plan.planning.prompts import REPAIR, PlanRequest, build_prompt, repair_text
from engine.tool_plan.planning.steps import PlanDraft, broken_rules, validate_steps
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


PlanTools = Manifest | Sequence[Mapping[str, Any]] | Registry
"""Tools of a plan: by name, as a list of MCP's, or whatever describes its own."""


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
        self._tries = MAX_FAULTY if enable_repair else 1
        self._top_k = topk_tools

    async def plan(
        self, profile_system_prompt: str, user_query: str, tools: PlanTools
    ) -> list[PlanStep]:
        """The valid steps, at least one; the last is a reply."""
        draft = await self.draft(PlanRequest(profile_system_prompt, user_query), tools)
        return [as_plan_step(step) for step in draft.steps]

    async def execute(self, data: Mapping[str, Any] | tuple[str, str, PlanTools]) -> list[PlanStep]:
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
        self, request: PlanRequest, tools: PlanTools, *, topk: int | None = None
    ) -> PlanDraft:
        """The plan, and what was left out of it."""
        lang = request.language
        most = self._top_k if topk is None else topk
        reader = _PlanReader(request, top_k_tools(request.query, as_manifest(tools), most))
        task = ModelTask(
            purpose="plan",
            opening=lambda: build_prompt(request, reader.tools, self._max_steps),
            read=reader.read,
            max_tokens=PLAN_TOKENS,
            correction=lambda faults: faults[0],
            max_faulty=self._tries,
        )
        try:
            outcome = await run_dialogue(task, self._model)
        except ModelError:
            # A plan of which only some steps can be taken is better than none.
            if reader.draft is None:
                raise
            outcome = None
        if isinstance(outcome, DialogueResult):
            return _complete(outcome.value, self._max_steps, request.first, lang)
        if reader.draft is not None:
            return _complete(reader.draft, self._max_steps, request.first, lang)
        assert outcome is not None
        answers = (m.content for m in outcome.dialogue.messages if m.role == "assistant")
        answer = cut_answer(next(filter(str.strip, answers), ""))
        text = answer or say("plan.unavailable", lang)
        return PlanDraft((LlmPlanStep(number=request.first, text=text),), sound=False)


@dataclass(slots=True)
class _PlanReader:
    """Reads a model's answers as plans; `draft` is the last that was one, with what it lacks."""

    request: PlanRequest
    tools: Manifest
    draft: PlanDraft | None = None

    def read(self, text: str) -> PlanDraft | AnswerFaults:
        """The plan of an answer; what the model can mend goes back to it."""
        request, steps = self.request, coerce_json_array(text)
        if steps is None:
            return AnswerFaults((REPAIR,))
        draft = validate_steps(
            steps, self.tools, first=request.first, earlier=request.earlier, ask=request.ask
        )
        broken = broken_rules(draft.steps, request.rules, request.called)
        if broken:
            # None of it is done: the rules are of the plan as a whole.
            self.draft = PlanDraft((), (*draft.dropped, *broken))
        else:
            self.draft = draft
        wrong = (*draft.dropped, *broken)
        return AnswerFaults((repair_text(wrong, self.tools),)) if wrong else draft


def as_manifest(tools: PlanTools) -> Manifest:
    """Tools by name: those of a registry, a manifest, or a list as `tools/list` of MCP gives it."""
    if not isinstance(tools, Mapping | Sequence):
        tools = tools.describe()
    if isinstance(tools, Mapping) and isinstance(tools.get("tools"), list):
        tools = tools["tools"]
    if not isinstance(tools, Mapping):
        tools = {str(tool["name"]): tool for tool in tools if tool.get("name")}
    return {name: _described(tool) for name, tool in tools.items()}


def _described(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool with the schemas that MCP writes in its own way, in ours."""
    spelled = {"input_schema": "inputSchema", "result": "outputSchema"}
    found = {ours: tool[mcp] for ours, mcp in spelled.items() if tool.get(mcp) and ours not in tool}
    return {**tool, **found} if found else tool


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
