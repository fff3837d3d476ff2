"""Rules between calls of one plan, as data: their order, exclusion, how many, and only with."""

from collections.abc import Iterator, Sequence
from typing import Self

from pydantic import Field, model_validator

from cards.frozen import Frozen

_FORMS = (("order",), ("exclusive",), ("at_most", "of"), ("tool", "only_with"))


class CallRule(Frozen):
    """What holds for the calls of a plan; exactly one of these.

    `order`: of these tools none is called after a later one. `exclusive`: only one of them is
    called. `of` these tools there are `at_most` so many calls. `tool` is called `only_with` each
    of the others in the same plan.
    """

    order: tuple[str, ...] = ()
    exclusive: tuple[str, ...] = ()
    at_most: int | None = Field(default=None, ge=1, le=20)
    of: tuple[str, ...] = ()
    tool: str = ""
    only_with: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        fields = type(self).model_fields
        given = tuple(name for name in fields if getattr(self, name) not in ((), "", None))
        if given not in _FORMS:
            raise ValueError("should be order, exclusive, at_most with of, or tool with only_with")
        if len(self.order) == 1 or len(self.exclusive) == 1:
            raise ValueError("should name two tools or more")
        return self

    @property
    def tools(self) -> tuple[str, ...]:
        """All tools that it names."""
        alone = (self.tool,) if self.tool else ()
        return (*self.order, *self.exclusive, *self.of, *alone, *self.only_with)

    def __str__(self) -> str:
        """The rule in a sentence for a model."""
        if self.order:
            return f"none of these after a later one: {', '.join(self.order)}"
        if self.exclusive:
            return f"only one of these: {', '.join(self.exclusive)}"
        if self.of:
            return f"at most {self.at_most} calls of: {', '.join(self.of)}"
        return f"{self.tool} only with: {', '.join(self.only_with)}"

    def broken_at(self, calls: Sequence[str]) -> int | None:
        """The first of the calls that breaks it; None when it holds. A call is its tool's name."""
        return next(self._broken(calls), None)

    def _broken(self, calls: Sequence[str]) -> Iterator[int]:
        for at, name in enumerate(calls):
            before = calls[:at]
            if name in self.order:
                later = self.order[self.order.index(name) + 1 :]
                breaks = any(each in later for each in before)
            elif name in self.exclusive:
                breaks = any(each in self.exclusive and each != name for each in before)
            elif name in self.of:
                breaks = sum(each in self.of for each in before) >= (self.at_most or 0)
            else:
                breaks = name == self.tool and not set(self.only_with) <= set(calls)
            if breaks:
                yield at
