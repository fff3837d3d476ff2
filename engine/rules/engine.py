"""Hard rules over a record: deterministic, without a model (spec 001 §2)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from cards.frozen import Frozen
from cards.model import Lang
from cards.texts import say
from engine.rules.check import safe_logic
from engine.rules.evaluate import passes
from engine.rules.message import Message, checked_message, filled
from engine.rules.operators import RuleFailure

Severity = Literal["error", "warning", "info"]
Logic = Annotated[dict[str, Any], AfterValidator(safe_logic)]
"""A JSON Logic object that has passed `check_logic`; nothing else can be in a model of ours."""


class HardRule(Frozen):
    """A rule over `field`: when `logic` does not hold, `message` is the violation's sentence.

    The message is plain text, no Markdown. It may quote: `{field}` is the field's label, `{value}`
    what the field holds; another name in braces is refused when the rule is loaded.
    """

    field: str
    logic: Logic
    message: Annotated[Message, AfterValidator(checked_message)]
    severity: Severity = "error"


class Violation(Frozen):
    """A rule that did not pass, or could not be answered; `value` is the record's own, no copy.

    `message` is plain text: whoever puts it into Markdown makes it literal.
    """

    field: str
    message: str
    severity: Severity
    value: Any = None


class HardRuleEngine:
    """Runs rules over a record; it keeps nothing and asks nobody."""

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
    ) -> tuple[tuple[HardRule, Violation], ...]:
        """As `run`, each violation behind its rule."""
        found = []
        for rule in rules:
            try:
                if passes(rule.logic, data):
                    continue
                failure = None
            except RuleFailure as error:
                failure = error
            value = data.get(rule.field)
            if failure:
                message = failure_text(failure, lang)
            else:
                name = label(rule.field)
                message = filled(rule.message, label=name, value=value, lang=lang)
            violation = Violation(
                field=rule.field, message=message, severity=rule.severity, value=value
            )
            found.append((rule, violation))
        return tuple(found)


def failure_text(failure: RuleFailure, lang: Lang) -> str:
    """`rule failed: ...` in the person's language."""
    kinds = [say(f"rule.kind.{kind}", lang) for kind in failure.kinds]
    named = dict(zip(("one", "other"), kinds, strict=False))
    return say("rule.failed", lang, why=say(f"rule.why.{failure.code}", lang, **named))
