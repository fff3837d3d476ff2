"""What a step expects against what happened: a sentence for each difference."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from bot.api.bodies import Invalid, Refusal
from bot.api.skills import ApiAnswer
from bot.testing.about import not_stated
from bot.testing.answers import kind_of, problems_of, questions_of, set_value
from bot.testing.describe import call_text, one_line
from bot.testing.files.model import Expectation, ExpectedAnswer, ExpectedCard, ExpectedReply, Scalar
from bot.testing.files.scenario import ScenarioStep
from bot.testing.happenings import Happenings, asked_people, is_open, text_of, values_on
from bot.testing.harness.stubs import MadeCall, same_value
from bot.testing.numbers import numbers_in
from cards.model import Card
from engine.events import FormWanted
from engine.playbooks.nesting import split_path

_DATES = re.compile(r"(?<![0-9])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
Difference = tuple[tuple[str | int, ...], str]
"""Under which keys of `expect`, and what is otherwise."""


def check_step(step: ScenarioStep, happened: Happenings) -> list[str]:
    """`file:line: path: message` for each difference; none when all is as expected."""
    return [
        f"{step.expect_place(*keys)}: {message}"
        for keys, message in (
            *_differences(step.expect, happened, step.person),
            *_taken(step, happened),
        )
    ]


def _taken(step: ScenarioStep, happened: Happenings) -> Iterator[Difference]:
    """A change of the system of record that nobody expects to be refused is a difference."""
    if step.change is not None and happened.is_refused and step.expect.refused is False:
        yield (), f"expected the change to be taken, was refused: {one_line(happened.said_at_once)}"


def _differences(expect: Expectation, happened: Happenings, person: str) -> Iterator[Difference]:
    if expect.nothing and happened.has_any:
        yield (), "expected nothing, but something happened"
    if expect.reply is not None:
        yield from _under("reply", _reply(expect.reply, happened))
    if happened.answer is not None:
        yield from _under("answer", _answer(expect.answer, happened.answer))
    if expect.card is not None:
        yield from _under("card", _card(expect.card, happened))
    if expect.form is not None:
        yield from _form(expect.form, happened, person)
    if expect.votes is not None:
        yield from _votes(expect.votes, happened)
    if expect.end is not None:
        yield from _end(expect, happened)
    yield from _people(expect, happened)
    yield from _calls(expect, happened)
    yield from _under("state", _state(expect.state, happened))
    yield from _refused(expect, happened)
    problems = "\n".join([*_problems(happened), happened.said_at_once])
    for text in expect.problems:
        if not _has(problems, text):
            yield ("problems",), f"expected {text!r}, was {one_line(problems) or 'none'}"


def _under(key: str, differences: Iterator[Difference]) -> Iterator[Difference]:
    return (((key, *keys), message) for keys, message in differences)


def _reply(expected: ExpectedReply, happened: Happenings) -> Iterator[Difference]:
    here = [m for m in happened.shown if not happened.place or m.conversation == happened.place]
    said = "\n".join(filter(None, [happened.said_at_once, *(text_of(m.view) for m in here)]))
    for text in expected.contains:
        if not _has(said, text):
            yield ("contains",), f"expected {text!r}, was {one_line(said) or 'no reply'}"
    for text in expected.lacks:
        if _has(said, text):
            yield ("lacks",), f"expected no {text!r}, was {one_line(said)}"
    stated = numbers_in(said)
    for number in expected.numbers:
        if number not in stated:
            yield ("numbers",), f"expected {number:g}, was {one_line(said) or 'no reply'}"
    for name, number, other in not_stated(_DATES.sub(" ", said), expected.about):
        of = f"{number:g} is stated of {other}" if other else one_line(said) or "no reply"
        yield ("about", name), f"expected {number:g} of {name}, was {of}"
    if expected.no_other_numbers:
        others = numbers_in(_DATES.sub(" ", said)) - set(expected.every_number)
        if others:
            yield ("no_other_numbers",), f"expected none, was {', '.join(f'{n:g}' for n in others)}"
    if expected.is_ is None:
        return
    states = [part.state for message in here for part in message.view.parts]
    wanted = "needs_you" if expected.is_ == "asked" else expected.is_
    if wanted == "refused" and happened.is_refused:
        return
    if wanted not in states:
        was = ", ".join(dict.fromkeys(states)) or "no reply"
        there = {part.state for message in happened.shown for part in message.view.parts}
        hint = "; others were told so: `reply` is to whoever acts, see `end` and `told`"
        yield ("is",), f"expected {expected.is_}, was {was}{hint if wanted in there else ''}"


def _answer(expected: ExpectedAnswer | None, answer: ApiAnswer) -> Iterator[Difference]:
    """A refusal that nobody expects is a difference too: the call did nothing."""
    kind = kind_of(answer)
    if expected is None or expected.is_ is None:
        if isinstance(answer.body, Refusal | Invalid):
            yield (), f"expected an answer, was {kind}: {one_line('; '.join(problems_of(answer)))}"
            return
    elif expected.is_ != kind:
        yield ("is",), f"expected {expected.is_}, was {kind}"
    if expected is None:
        return
    for path, value in expected.sets.items():
        was = set_value(answer, path)
        if not (was is None if value is None else same_value(was, value)):
            yield ("sets", path), f"expected {value}, was {was}"
    asks = questions_of(answer)
    if expected.asks is not None and set(expected.asks) != set(asks):
        yield ("asks",), f"expected {_names(expected.asks)}, was {_names(asks)}"


def _card(expected: ExpectedCard, happened: Happenings) -> Iterator[Difference]:
    # A new one first; a card that is told was never open.
    cards = [each for each in happened.cards if is_open(each) or each.token in happened.opened]
    cards.sort(key=lambda card: card.token in happened.opened, reverse=True)
    found = [list(_card_differences(expected, card, happened.labels)) for card in cards]
    if not found:
        yield (), "expected a card, and none is open"
    elif all(found):
        yield from min(found, key=len)


def _card_differences(
    expected: ExpectedCard, card: Card, labels: Mapping[str, Collection[str]]
) -> Iterator[Difference]:
    if expected.kind not in (None, card.kind):
        yield ("kind",), f"expected {expected.kind}, was {card.kind}"
    if not _has(card.title, expected.title):
        yield ("title",), f"expected {expected.title!r}, was {card.title!r}"
    if expected.to is not None and set(expected.to) != set(asked_people(card)):
        yield ("to",), f"expected {_names(expected.to)}, was {_names(asked_people(card))}"
    for name, value in expected.values.items():
        called = (name, *labels.get(name, ()))
        rows = [v for label, v in values_on(card) if any(_same_name(label, n) for n in called)]
        if value is None and rows:
            yield ("values", name), f"expected no such value, was {one_line(rows[0])}"
        elif value is not None and not any(shows_value(row, value) for row in rows):
            was = one_line(rows[0]) if rows else f"not there; there are {_labels(card)}"
            yield ("values", name), f"expected {value}, was {was}"
    names = [each for choice in card.choices for each in (choice.id, choice.label)]
    for option in expected.options:
        if not any(_same_name(name, option) for name in names):
            there = ", ".join(choice.label for choice in card.choices)
            yield ("options",), f"expected {option!r}, there are {there}"
    shown = "\n".join([card.text, *card.problems, *(r.value for r in card.rows)])
    said = f"{card.title}\n{shown}"
    for number in expected.numbers:
        if number not in numbers_in(shown):
            yield ("numbers",), f"expected {number:g}, was {one_line(shown)}"
    for key, texts, within in (
        ("contains", expected.contains, said),
        ("problems", expected.problems, "\n".join(card.problems)),
    ):
        for text in texts:
            if not _has(within, text):
                yield (key,), f"expected {text!r}, was {one_line(within) or 'nothing'}"


def _labels(card: Card) -> str:
    return ", ".join(label for label, _ in values_on(card)) or "none"


def shows_value(shown: str, value: Scalar) -> bool:
    """Whether a text of a card shows the value: 1200 as `1,200 EUR`, a text as it stands."""
    if isinstance(value, bool):
        return shown.casefold() in (("yes", "是", "true") if value else ("no", "否", "false"))
    if isinstance(value, str):
        return _has(shown, value)
    pieces = shown.replace(",", "").replace("\u202f", "").replace("\u00a0", " ").split()
    return any(_number(piece) == float(value) for piece in pieces)


def _number(text: str) -> float | None:
    try:
        return float(text.strip("€$£¥%()"))
    except ValueError:
        return None


def _form(expected: Collection[str], happened: Happenings, person: str) -> Iterator[Difference]:
    forms = [
        [field.name for field in choice.form]
        for card in reversed(happened.cards)
        if is_open(card) and (not person or person in asked_people(card))
        for choice in card.choices
        if choice.form and choice.id == "submit"
    ]
    if isinstance(happened.outcome, FormWanted):
        forms.insert(0, [field.name for field in happened.outcome.form.fields])
    if not forms:
        yield ("form",), f"expected a form of {_names(expected)}, and none is open"
    elif set(forms[0]) != set(expected):
        yield ("form",), f"expected {_names(expected)}, was {_names(forms[0])}"


def _votes(expected: str, happened: Happenings) -> Iterator[Difference]:
    cards = [card for card in happened.cards if card.token == happened.acted] or [
        card for card in reversed(happened.cards) if card.signs_off
    ]
    if not cards:
        yield ("votes",), f"expected {expected}, and no card is open"
        return
    card = cards[0]
    was = f"{len(card.votes) + (card.decision is not None)} of {card.review.quorum}"
    if was != expected:
        yield ("votes",), f"expected {expected}, was {was}"


def _end(expect: Expectation, happened: Happenings) -> Iterator[Difference]:
    ends = tuple(dict.fromkeys(happened.ended.values()))
    if not ends:
        run = happened.latest_run
        stands = f"; {run.name} is {run.status}" if run else ""
        yield ("end",), f"expected {expect.end}, and nothing ended{stands}"
    elif expect.end not in ends:
        yield ("end",), f"expected {expect.end}, was {', '.join(ends)}"


def _people(expect: Expectation, happened: Happenings) -> Iterator[Difference]:
    told = happened.people_told()
    for person in expect.told:
        if person not in told:
            yield ("told",), f"expected {person} to be shown something, was {_names(told)}"
    for person in expect.not_told:
        if person in told:
            yield ("not_told",), f"expected {person} to be shown nothing"
    if expect.reminded is not None:
        places = [place for each in happened.of_event("reminded") for place in each.get("to", ())]
        was = [person for place in places for person in happened.readers(place)]
        yield from _same_people("reminded", expect.reminded, was)
    if expect.escalated is not None:
        was = [name for each in happened.of_event("escalated") for name in each.get("added", ())]
        yield from _same_people("escalated", expect.escalated, was)


def _same_people(key: str, wanted: Collection[str], was: Collection[str]) -> Iterator[Difference]:
    if set(wanted) != set(was):
        yield (key,), f"expected {_names(wanted)}, was {_names(was)}"


def _calls(expect: Expectation, happened: Happenings) -> Iterator[Difference]:
    for name in expect.not_called:
        if made := next((call for call in happened.calls if call.tool == name), None):
            yield ("not_called",), f"expected no call of {name}, was {call_text(made)}"
    if expect.called is None:
        return
    left = _without_tries(happened.calls)
    was = "; ".join(map(call_text, left)) or "no call"
    for number, wanted in enumerate(expect.called):
        name, arguments = _wanted_call(wanted)
        at = next((i for i, c in enumerate(left) if _fits(c, name, arguments)), None)
        if at is None:
            yield ("called", number), f"expected {_shown_call(name, arguments)}, was {was}"
            return
        skipped, left = left[:at], left[at + 1 :]
        yield from _unlisted(skipped)
    yield from _unlisted(left)


def _without_tries(calls: Sequence[MadeCall]) -> list[MadeCall]:
    """The calls; a write that was tried again by itself counts once, by what came of it last."""
    last = {call.key: call for call in calls if call.writes}
    return [call for call in calls if not (call.writes and call.key) or last[call.key] is call]


def _unlisted(calls: Sequence[MadeCall]) -> Iterator[Difference]:
    for call in calls:
        if call.writes:
            yield ("called",), f"expected no other write, was {call_text(call)}"


def _wanted_call(
    wanted: str | Mapping[str, Mapping[str, JsonValue]],
) -> tuple[str, Mapping[str, JsonValue]]:
    return (wanted, {}) if isinstance(wanted, str) else next(iter(wanted.items()))


def _fits(call: MadeCall, name: str, arguments: Mapping[str, JsonValue]) -> bool:
    return call.tool == name and same_value(dict(call.arguments), dict(arguments))


def _shown_call(name: str, arguments: Mapping[str, JsonValue]) -> str:
    given = ", ".join(f"{key}: {value}" for key, value in arguments.items())
    return f"{name} {{{given}}}" if given else name


def _state(expected: Mapping[str, JsonValue], happened: Happenings) -> Iterator[Difference]:
    run = happened.latest_run
    for path, value in expected.items():
        group, name = split_path(path)
        values: Any = {} if run is None else getattr(run.state, group or "data")
        was = values.get(name)
        was = was.model_dump(mode="json") if hasattr(was, "model_dump") else was
        if not (was is None if value is None else same_value(was, value)):
            yield (path,), f"expected {value}, was {was}"


def _refused(expect: Expectation, happened: Happenings) -> Iterator[Difference]:
    if expect.refused is False:
        return
    said = happened.said_at_once
    if not happened.is_refused:
        yield ("refused",), f"expected a refusal, was {one_line(said) or 'none'}"
        return
    for text in expect.refused if isinstance(expect.refused, tuple) else ():
        if not _has(said, text):
            yield ("refused",), f"expected {text!r}, was {one_line(said)}"


def _problems(happened: Happenings) -> Iterator[str]:
    """What is said to be wrong: on cards, to a program, where something was refused or failed."""
    if happened.answer is not None:
        yield from problems_of(happened.answer)
    for message in happened.shown:
        if message.view.card:
            yield from message.view.card.problems
        for part in message.view.parts:
            if part.state in ("refused", "rejected", "failed", "needs_you"):
                yield part.text
    for card in happened.cards:
        yield from card.problems


def _has(text: str, wanted: str) -> bool:
    return " ".join(wanted.split()).casefold() in " ".join(text.split()).casefold()


def _same_name(one: str, other: str) -> bool:
    return one.replace("_", " ").strip().casefold() == other.replace("_", " ").strip().casefold()


def _names(names: Collection[str]) -> str:
    return ", ".join(dict.fromkeys(names)) or "nobody"
