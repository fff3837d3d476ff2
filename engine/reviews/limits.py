"""Whether a further approval is needed: by a value above a limit, or by a condition."""

from typing import Any

from cards.fields.money import read_currency_amount
from cards.markdown import format_value
from cards.values import BadValue, Bound, is_money
from engine.frames.leaves import value_of
from engine.frames.state import AgentState
from engine.playbooks.conditions import explain, may_hold
from engine.playbooks.review import FurtherVote


def is_needed(vote: FurtherVote, state: AgentState) -> bool:
    """Whether it is needed, which it is too where that cannot be told."""
    if vote.when is not None and may_hold(vote.when, state.rule_tree()):
        return True
    if any(_may_be_above(value_of(path, state), most) for path, most in vote.above.items()):
        return True
    return vote.when is None and not vote.above


def why_needed(vote: FurtherVote, state: AgentState) -> str:
    """What decides it, for the audit."""
    whys = [f"{p} is {_shown(value_of(p, state))}, limit {most}" for p, most in vote.above.items()]
    whys += [explain(vote.when, state.rule_tree())] if vote.when else []
    return "; ".join(whys) or "always"


def _may_be_above(value: Any, most: Bound) -> bool:
    if isinstance(most, str):
        try:
            limit = read_currency_amount(most, (), "en")
        except BadValue:
            return True
        if not is_money(value) or value["currency"] != limit["currency"]:
            return True
        return _may_be_above(value["value"], limit["value"])
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    return not value <= most


def _shown(value: Any) -> str:
    return "missing" if value is None else format_value(value)
