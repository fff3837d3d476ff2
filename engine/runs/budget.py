"""A run's budget of model calls and tokens, counted from when somebody last let it go on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.errors import BudgetExceeded
from engine.frames.state import Run
from engine.playbooks.model import Playbook
from engine.ports.model import Completion, Message, Model, ModelBudget, ModelUsage, ToolOffer
from engine.services import Services


def budget_of(playbook: Playbook, services: Services) -> ModelBudget:
    """The playbook's own budget for a run, else that of the settings."""
    return playbook.definition.budget or services.limits.run


def within_budget(services: Services, run: Run, playbook: Playbook) -> Services:
    """The same services, whose model raises BudgetExceeded once the run's budget is used up."""
    if services.model is None:
        return services
    model = _BudgetedModel(services.model, budget_of(playbook, services), run.used)
    return replace(services, model=model)


def used_in(calls: Iterable[Mapping[str, Any]]) -> ModelUsage:
    """What the recorded answers of a step used."""
    answers = [call["answer"] for call in calls if call["kind"] == "model" and "answer" in call]
    tokens = sum(answer.get("tokens", 0) for answer in answers)
    return ModelUsage(calls=len(answers), tokens=tokens)


class _BudgetedModel:
    def __init__(self, model: Model, budget: ModelBudget, used: ModelUsage) -> None:
        self._model = model
        self._budget = budget
        self._used = used

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1000,
        heard: Callable[[str], None] | None = None,
    ) -> Completion:
        """The model's answer; raises BudgetExceeded instead of asking for one too many."""
        if self._budget.is_used_up(self._used):
            raise BudgetExceeded(f"{self._used.calls} calls, {self._used.tokens} tokens are used")
        answer = await self._model.complete(
            messages, tools=tools, schema=schema, max_tokens=max_tokens, heard=heard
        )
        self._used = self._used.plus(ModelUsage(calls=1, tokens=answer.tokens))
        return answer
