"""Hard rules over a record: deterministic, without a model (spec 001 §2)."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from cards.clipping import shorten
from cards.frozen import Frozen
from cards.markdown import format_value
from cards.model import Lang
from cards.texts import say
from cards.values import is_money
from engine.rules.check import validate_logic
from engine.rules.evaluate import passes, value_at
from engine.rules.operators import RuleFailure, kind_of
from engine.text.language import LocalizedText
from engine.text.template import CONTEXT_NAMES
from engine.yaml.faults import InnerFaults, Path, suggestion

MAX_QUOTE_CHARS = 80
"""Characters of a value that a message quotes; the rest becomes `…`."""

_PLACE = re.compile(r"\{([^{}]*)\}")
_OWN = ("field", "value")
_KNOWN = (*_OWN, *CONTEXT_NAMES)

Message = str | LocalizedText


def validate_message(message: Message) -> Message:
    """The message itself; raises InnerFaults when it has a placeholder that nothing fills."""
    texts: dict[Path, str] = (
        {(): message}
        if isinstance(message, str)
        else {((lang,) if lang else ()): text for lang, text in message.root.items()}
    )
    faults = [
        (path, f"nothing fills {{{name}}}; {suggestion(name, _KNOWN)}")
        for path, text in texts.items()
        for name in _PLACE.findall(text)
        if name not in _KNOWN
    ]
    if faults:
        raise InnerFaults(faults)
    return message


def fill_message(
    message: Message, *, label: str, value: Any, lang: Lang, named: Mapping[str, str]
) -> str:
    """A checked message as plain text: what is quoted is never read as a placeholder itself."""

    def quote(place: re.Match[str]) -> str:
        match place[1]:
            case "field":
                return label
            case "value":
                return _quote_value(value, lang)
            case name:
                return named.get(name) or "—"

    return _PLACE.sub(quote, message if isinstance(message, str) else message(lang))


def quoted_names(violation: "Violation", message: Message, lang: Lang) -> frozenset[str]:
    """What a violation's sentence says of its field already: `field`, `value`, or both.

    A rule that could not be answered is told in a sentence of ours, which quotes neither.
    """
    text = message if isinstance(message, str) else message(lang)
    is_own = _quote_value(violation.value, lang) in violation.message
    return frozenset(_PLACE.findall(text)).intersection(_OWN) if is_own else frozenset()


def describe_message(message: Message, *, label: str, lang: Lang) -> str:
    """A checked message as plain text about no record in particular: `…` stands for values."""
    text = message if isinstance(message, str) else message(lang)
    return _PLACE.sub(lambda place: label if place[1] == "field" else "…", text)


def _quote_value(value: Any, lang: Lang) -> str:
    """A value on one line, as a person would write it; never a list or a mapping as code."""
    if isinstance(value, bool):
        return say("choice.yes" if value else "choice.no", lang)
    kind = kind_of(value)
    if kind in ("number", "text", "date") or is_money(value):
        try:
            text = " ".join(format_value(value).split())
        except ValueError:
            # Python writes no whole number of more than some thousand digits.
            return say("rule.kind.number", lang)
        return shorten(text, MAX_QUOTE_CHARS) or "—"
    return "—" if value is None else say(f"rule.kind.{kind}", lang)


Severity = Literal["error", "warning", "info"]
Logic = Annotated[dict[str, Any], AfterValidator(validate_logic)]
"""A JSON Logic object that has passed `check_logic`; nothing else can be in a model of ours."""


class HardRule(Frozen):
    """A rule over `field`: when `logic` does not hold, `message` is the violation's sentence.

    The message is plain text, no Markdown. It may quote: `{field}` is the field's label, `{value}`
    what the field holds, and CONTEXT_NAMES; another name in braces is refused when it is loaded.
    """

    field: str
    logic: Logic
    message: Annotated[Message, AfterValidator(validate_message)]
    severity: Severity = "error"


class Violation(Frozen):
    """A rule that did not pass, or could not be answered; `value` is the record's own, no copy.

    `message` is plain text: whoever puts it into Markdown makes it literal.
    """

    field: str
    message: str
    severity: Severity
    value: Any = None


@dataclass(frozen=True, slots=True)
class HardRuleEngine:
    """Runs rules over a record; it asks nobody. Messages quote what is `named` (CONTEXT_NAMES).

    `titles` have by field what people read for a value, with that in it.
    """

    named: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def run(
        self,
        rules: Sequence[HardRule],
        data: Mapping[str, Any],
        lang: Lang,
        *,
        label: Callable[[str], str] = str,
    ) -> tuple[Violation, ...]:
        """The violations in the order of the rules; every rule is evaluated, none raises.

        A rule that meets a missing operand has not passed; one that cannot be answered on this
        data (kinds that do not compare, no date, division by zero) is told as a failed rule.
        `label` names a field for messages that quote it.
        """
        return tuple(violation for _, violation in self.by_rule(rules, data, lang, label=label))

    def by_rule(
        self,
        rules: Sequence[HardRule],
        data: Mapping[str, Any],
        lang: Lang,
        *,
        label: Callable[[str], str] = str,
        outer: Mapping[str, Any] | None = None,
    ) -> tuple[tuple[HardRule, Violation], ...]:
        """As `run`, each violation behind its rule. Names with a `$` are read in `outer`."""
        found = []
        for rule in rules:
            try:
                if passes(rule.logic, data, outer):
                    continue
                failure = None
            except RuleFailure as error:
                failure = error
            value = _field_value(data, rule.field)
            if failure:
                message = failure_text(failure, lang)
            else:
                name, own = label(rule.field), self.titles.get(rule.field, {})
                told = own.get(value, value) if isinstance(value, str) else value
                message = fill_message(
                    rule.message, label=name, value=told, lang=lang, named=self.named
                )
            violation = Violation(
                field=rule.field, message=message, severity=rule.severity, value=value
            )
            found.append((rule, violation))
        return tuple(found)


def _field_value(data: Mapping[str, Any], field: str) -> Any:
    with suppress(IndexError):
        return value_at(data, field)
    return None


def failure_text(failure: RuleFailure, lang: Lang) -> str:
    """`rule failed: ...` in the person's language."""
    kinds = [say(f"rule.kind.{kind}", lang) for kind in failure.kinds]
    named = dict(zip(("one", "other"), kinds, strict=False))
    if unread := failure.unread:
        named["reason"] = say(unread.key, lang, name=unread.name)
    return say("rule.failed", lang, why=say(f"rule.why.{failure.code}", lang, **named))
