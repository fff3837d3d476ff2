"""How much of the model a day may take: of a person, of a project, and of all together."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from bot.serve.work.model_queue import Asker, current_asker
from engine.errors import AllowanceUsedUp
from engine.ports.clock import Clock
from engine.ports.meter import NO_METER, Meter
from engine.ports.model import Completion, Message, Model
from engine.ports.storage.model_numbers import ModelSpending, Spent

CHARS_PER_TOKEN: Final = 3


@dataclass(frozen=True, slots=True)
class Allowance:
    """What may be used within a day; None for no limit."""

    tokens: int | None = None
    cost: float | None = None

    def is_used_up(self, spent: Spent) -> bool:
        """Whether nothing is left of it."""
        tokens, cost = spent
        return (self.tokens is not None and tokens >= self.tokens) or (
            self.cost is not None and cost >= self.cost
        )


class AllowedModel:
    """A Model that answers as long as the day's allowances last.

    `allowances` are by whose they are: `all`, `project`, `person`. What is under way may exceed
    one. A server that tells no tokens has its letters counted instead.
    """

    def __init__(
        self,
        model: Model,
        spending: ModelSpending,
        allowances: Mapping[str, Allowance],
        *,
        clock: Clock,
        zone: str,
        meter: Meter = NO_METER,
        asker: Callable[[], Asker | None] = current_asker,
    ) -> None:
        self._model = model
        self._spending = spending
        self._allowances = allowances
        self._clock = clock
        self._zone = ZoneInfo(zone)
        self._meter = meter
        self._asker = asker

    async def complete(self, messages: Sequence[Message], **options: Any) -> Completion:
        """The model's answer; raises as it does, AllowanceUsedUp and StoreUnavailable."""
        day = self._clock.today().isoformat()
        names = {whose: name for whose, name in self._names().items() if whose in self._allowances}
        spent = await self._spending.spent(day, list(names.values()))
        for whose, name in names.items():
            if self._allowances[whose].is_used_up(spent[name]):
                self._meter.count("day_limits", whose)
                raise AllowanceUsedUp(whose, rest_s=self._rest_s())
        answer = await self._model.complete(messages, **options)
        letters = sum(len(message.content) for message in messages) + len(answer.text)
        tokens = answer.tokens or letters // CHARS_PER_TOKEN
        await self._spending.spend(day, list(names.values()), (tokens, answer.cost))
        return answer

    def _names(self) -> dict[str, str]:
        """Under which names the one who asks is counted; people are not named in the store."""
        asker = self._asker()
        if asker is None:
            return {"all": "all"}
        person = hashlib.sha256(asker.person.encode()).hexdigest()[:16]
        return {"person": f"person:{person}", "project": f"project:{asker.project}", "all": "all"}

    def _rest_s(self) -> float:
        """Seconds until the next day begins."""
        tomorrow = self._clock.today() + timedelta(days=1)
        begins = datetime.combine(tomorrow, time(), self._zone)
        return max(0.0, (begins - self._clock.now()).total_seconds())
