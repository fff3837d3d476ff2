"""Wrong answers and wrong outcomes, made of right ones: each has to score as failed."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from bot.testing.files.model import Expectation, ModelLine
from bot.testing.files.scenario import Scenario
from bot.testing.happenings import Happenings
from bot.testing.harness.platform import ShownMessage
from bot.testing.harness.stubs import MadeCall
from bot.testing.numbers import numbers_in
from cards.model import Card, Review
from cards.showing.view import MessageView, PartView

_NUMBER = re.compile(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?![\w]*-)")
_SUBJECT = re.compile(r"P[0-9]{3}")
INVENTED = 987.5

Spoil = Callable[[Happenings, Expectation], Happenings]


def other_numbers(text: str, expected: Sequence[float]) -> str:
    """The text with each of its numbers a little higher, so that some expected one is missing."""
    for more in range(1, 100):
        spoilt = _NUMBER.sub(lambda n, more=more: f"{float(n[0]) + more:g}", text)
        if not set(expected) <= numbers_in(spoilt):
            return spoilt
    raise AssertionError(f"{text!r} cannot be spoilt")


def of_another(text: str) -> str:
    """The text about another subject."""
    return _SUBJECT.sub("P998", text)


def wrong_line(line: ModelLine, expected: Sequence[float], instead: str = "") -> ModelLine:
    """A scripted answer with other numbers, or `instead`; a plan that keeps something else."""
    if line.for_ == "plan":
        return line.model_copy(update={"text": line.text.replace(".ecog", ".weight_kg")})
    text = instead or other_numbers(line.text, expected)
    return line.model_copy(update={"text": text})


def with_line(scenario: Scenario, at: int, line: ModelLine) -> Scenario:
    """The test with another line of the scripted model."""
    script = scenario.given.model
    assert isinstance(script, tuple)
    given = scenario.given.model_copy(update={"model": (*script[:at], line, *script[at + 1 :])})
    return replace(scenario, given=given)


def checks_of(expect: Expectation) -> Iterator[str]:
    """What is checked of a step: `end`, and of replies and cards `reply.numbers`."""
    for key in sorted(expect.model_fields_set):
        inner = getattr(expect, key)
        if key in ("reply", "card"):
            yield from (f"{key}.{each.strip('_')}" for each in sorted(inner.model_fields_set))
        else:
            yield key


def _silent(happened: Happenings, expect: Expectation) -> Happenings:
    return replace(happened, shown=(), outcome=None)


def _saying(change: Callable[[str, Expectation], str]) -> Spoil:
    def spoil(happened: Happenings, expect: Expectation) -> Happenings:
        def part(each: PartView) -> PartView:
            return each.model_copy(update={"text": change(each.text, expect)})

        return _with_parts(happened, part)

    return spoil


def _with_parts(happened: Happenings, change: Callable[[PartView], PartView]) -> Happenings:
    def view(message: ShownMessage) -> MessageView:
        parts = tuple(map(change, message.view.parts))
        return message.view.model_copy(update={"parts": parts, "card": None})

    shown = tuple(replace(each, view=view(each)) for each in happened.shown)
    return replace(happened, shown=shown, outcome=None)


def _without_problems(happened: Happenings, expect: Expectation) -> Happenings:
    cards = [each.model_copy(update={"problems": ()}) for each in happened.cards]
    return replace(_silent(happened, expect), cards=cards)


def _not_so(happened: Happenings, expect: Expectation) -> Happenings:
    return _with_parts(happened, lambda part: part.model_copy(update={"state": "cancelled"}))


def _cards(change: Callable[[Card, Expectation], Mapping[str, object]]) -> Spoil:
    def spoil(happened: Happenings, expect: Expectation) -> Happenings:
        cards = [each.model_copy(update=change(each, expect)) for each in happened.cards]
        return replace(happened, cards=cards, outcome=None)

    return spoil


def _other_values(card: Card, expect: Expectation) -> Mapping[str, object]:
    assert expect.card is not None
    wanted = [*expect.card.numbers]
    wanted += [v for v in expect.card.values.values() if isinstance(v, int | float)]
    rows = tuple(
        row.model_copy(update={"value": other_numbers(row.value, wanted)}) for row in card.rows
    )
    return {"rows": rows, "text": other_numbers(card.text, wanted)}


def _numbers_of(expect: Expectation) -> Sequence[float]:
    return expect.reply.every_number if expect.reply else ()


def _lacking(text: str, expect: Expectation) -> str:
    assert expect.reply is not None
    return f"{text} {expect.reply.lacks[0]}"


def _call(happened: Happenings, expect: Expectation) -> Happenings:
    calls = [MadeCall(name, {}, writes=True) for name in expect.not_called]
    return replace(happened, calls=[*happened.calls, *calls])


def _other_tool(happened: Happenings, expect: Expectation) -> Happenings:
    return replace(happened, calls=[replace(each, tool="other") for each in happened.calls])


SPOILERS: Mapping[str, Spoil] = {
    "reply.is": _not_so,
    "reply.numbers": _saying(lambda text, expect: other_numbers(text, _numbers_of(expect))),
    "reply.about": _saying(lambda text, _: f"P998: {of_another(text)}"),
    "reply.no_other_numbers": _saying(lambda text, _: f"{text} {INVENTED}"),
    "reply.contains": _saying(lambda text, _: "…"),
    "reply.lacks": _saying(_lacking),
    "card.kind": _cards(lambda card, _: {"kind": "phase_done"}),
    "card.to": _cards(lambda card, _: {"review": Review(persons=("nobody",))}),
    "card.values": _cards(_other_values),
    "card.numbers": _cards(_other_values),
    "form": _cards(lambda card, _: {"choices": ()}),
    "end": lambda happened, _: replace(happened, ended={}),
    "told": _silent,
    "problems": _without_problems,
    "refused": _silent,
    "called": _other_tool,
    "not_called": _call,
}
"""For each check, what makes it fail."""
