"""Who decides at a review, found out once, when it is asked for (design §7, §11).

Whatever a field, people.yaml or a tool says of it has to be one person of ours who may decide:
else the run is blocked and says why. It never goes to others instead.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cards.clipping import shorten
from cards.markdown import format_value, literal
from cards.model import Principal, Review
from cards.texts import say
from engine.errors import ToolError
from engine.frames.ends import block_run
from engine.frames.leaves import label_of, value_of
from engine.frames.outcome import StatusChange, StepContext
from engine.frames.tool_values import values_for_tool
from engine.playbooks.review import MANAGER_OF, REQUESTER, PersonTool, ReviewPolicy

SHOWN_CHARS = 60


@dataclass(frozen=True, slots=True)
class Approvers:
    """Who may decide by a policy at this moment.

    `names` is how people call them, `why` says in the audit who they are, and by what.
    """

    policy: ReviewPolicy
    holders: Sequence[Principal]
    persons: tuple[str, ...]
    names: str
    why: str

    def review(self) -> Review:
        """The policy as the card keeps it, with who may decide at this moment."""
        policy = self.policy
        return Review(
            roles=policy.roles,
            persons=self.persons,
            quorum=policy.quorum,
            four_eyes=policy.four_eyes,
            approvers=tuple(each.id for each in self.holders),
            decides=policy.decides,
            delegable=policy.hand_over,
            remind=policy.remind,
            escalate=policy.escalate,
            execute_s=policy.execute_s,
            may_edit=policy.may_edit,
        )


async def find_approvers(
    policy: ReviewPolicy, involved: Collection[str], context: StepContext
) -> Approvers | StatusChange:
    """Those who may decide now; the run is blocked when there are not enough of them.

    `involved` are ids of the people who have no vote under four eyes.
    """
    found = await _find(policy, context)
    reason = found if isinstance(found, str) else _shortage_text(found, involved, context)
    if reason:
        return block_run(context.run, reason)
    assert not isinstance(found, str), "a text is a reason"
    return found


async def _find(policy: ReviewPolicy, context: StepContext) -> Approvers | str:
    """Those whom the policy names; a sentence where it names nobody."""
    run, people = context.run, context.services.people
    if policy.person is None:
        names = say("list.items", run.lang).join(
            people.role_name(r, run.lang) for r in policy.roles
        )
        return Approvers(policy, people.holders(policy.roles), (), names, ", ".join(policy.roles))
    found = await _find_person(policy.person, context)
    if isinstance(found, str):
        return found
    why = f"{found.id}, by {policy.named_by}"
    return Approvers(policy, (found,), (found.id,), found.name, why)


async def _find_person(source: str | PersonTool, context: StepContext) -> Principal | str:
    """The person whom a field, the requester's entry or a tool names; else a sentence."""
    lang, requester = context.run.lang, context.run.requester
    if isinstance(source, PersonTool):
        try:
            return await _ask_tool(source, context)
        except ToolError as error:
            reason = error.text(lang)
            return say("approver.tool", lang, tool=literal(source.tool), reason=reason)
    if chain := MANAGER_OF.fullmatch(source):
        found: Principal = requester
        for _ in range(chain[1].count(".")):
            manager = context.services.people.manager_of(found)
            if manager is None:
                return say("approver.no_manager", lang, name=literal(found.name))
            found = manager
        return found
    path = source.removeprefix("$")
    return _listed([value_of(path, context.run.state)], label_of(path, context), context)


async def _ask_tool(source: PersonTool, context: StepContext) -> Principal | str:
    """The person in the tool's answer. Raises ToolError."""
    run = context.run
    values = values_for_tool(source.arguments, run.state, {REQUESTER: run.requester.id})
    tool = context.list_tool(source.tool)
    result = await context.services.call(tool, values, context.tool_context())
    return _listed(_column(result, source.column), source.tool, context)


def _column(result: Any, column: str) -> list[Any]:
    """What stands in a column of the answer, or of each of its rows."""
    rows = result.get("rows", [result]) if isinstance(result, Mapping) else result
    rows = rows if isinstance(rows, list | tuple) else ()
    return [row.get(column) for row in rows if isinstance(row, Mapping)]


def _listed(values: Sequence[Any], source: str, context: StepContext) -> Principal | str:
    """The one person whom these values name; a sentence where they name none of ours."""
    lang, source = context.run.lang, literal(source)
    named = {format_value(v).strip() for v in values if isinstance(v, str | int)} - {""}
    if not named:
        return say("approver.empty", lang, source=source)
    if len(named) > 1:
        return say("approver.several", lang, source=source, n=len(named))
    (handle,) = named
    found = context.services.people.find_listed(handle)
    value = literal(shorten(handle, SHOWN_CHARS))
    return found or say("approver.nobody", lang, source=source, value=value)


def _shortage_text(found: Approvers, involved: Collection[str], context: StepContext) -> str:
    """Why those who may decide cannot reach the quorum; "" when they can."""
    policy, lang, names = found.policy, context.run.lang, literal(found.names)
    left = [p for p in found.holders if not (policy.four_eyes and p.ids.intersection(involved))]
    if len(left) >= policy.quorum:
        return ""
    if left:
        return say("run.too_few", lang, n=len(left), roles=names, quorum=policy.quorum)
    if found.persons:
        return say("approver.involved", lang, name=names)
    key = "run.only_requester" if found.holders else "run.no_approver"
    return say(key, lang, roles=names)
