"""Hard rules over a record: deterministic, without a model (spec 001 §2)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from cards.frozen import Frozen
from cards.model import Lang
from cards.texts import say
from engine.language import Bilingual
from engine.rules.check import safe_logic
from engine.rules.operators import RuleFailure, passes

Severity = Literal["error", "warning", "info"]
Logic = Annotated[dict[str, Any], AfterValidator(safe_logic)]
"""A JSON Logic object that has passed `check_logic`; nothing else can be in a model of ours."""


class HardRule(Frozen):
    """A rule over `field`: when `logic` does not hold, `message` is the violation's sentence."""

    field: str
    logic: Logic
    message: str | Bilingual
    severity: Severity = "error"


class Violation(Frozen):
    """A rule that did not pass, or could not be answered; `value` is what the field holds."""

    field: str
    message: str
    severity: Severity
    value: Any = None


class HardRuleEngine:
    """Runs rules over a record; it keeps nothing and asks nobody."""

    def run(
        self, rules: Sequence[HardRule], data: Mapping[str, Any], lang: Lang
    ) -> tuple[Violation, ...]:
        """The violations in the order of the rules; every rule is evaluated, none raises.

        A rule that meets a missing operand has not passed; one that cannot be answered on this
        data (kinds that do not compare, no date, division by zero) is told as a failed rule.
        """
        judged = (self._judge(rule, data, lang) for rule in rules)
        return tuple(violation for violation in judged if violation is not None)

    def _judge(self, rule: HardRule, data: Mapping[str, Any], lang: Lang) -> Violation | None:
        try:
            if passes(rule.logic, data):
                return None
            message = rule.message if isinstance(rule.message, str) else rule.message(lang)
        except RuleFailure as failure:
            message = failure_text(failure, lang)
        return Violation(
            field=rule.field, message=message, severity=rule.severity, value=data.get(rule.field)
        )


def failure_text(failure: RuleFailure, lang: Lang) -> str:
    """`rule failed: ...` in the person's language."""
    kinds = [say(f"rule.kind.{kind}", lang) for kind in failure.kinds]
    named = dict(zip(("one", "other"), kinds, strict=False))
    return say("rule.failed", lang, why=say(f"rule.why.{failure.code}", lang, **named))
