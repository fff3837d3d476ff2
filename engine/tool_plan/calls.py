"""A call of a run's plan; a write that may have happened is not repeated."""

from dataclasses import dataclass
from typing import Any

from cards.texts import say
from engine.errors import ToolChanged, ToolUnsure
from engine.frames.outcome import StepContext
from engine.playbooks.model import Playbook
from engine.playbooks.review import ReviewPolicy
from engine.playbooks.skill import Skill
from engine.reviews.approvals import call_digest, pin_of
from engine.tools.model import Tool


@dataclass(frozen=True, slots=True)
class Call:
    """A tool and its arguments; a write has an idempotency `key`, and `by`, who approved it last.

    `approvers` are all who did. `schema` is the digest of what the tool's system took then, ""
    where it does not change.
    """

    tool: Tool[Any]
    arguments: dict[str, Any]
    key: str = ""
    by: str = ""
    schema: str = ""
    approvers: tuple[str, ...] = ()

    @property
    def plain(self) -> dict[str, Any]:
        """The call as its digest is taken."""
        return {"tool": self.tool.name, "arguments": self.arguments}

    @property
    def digest(self) -> str:
        """The digest of exactly this tool and these arguments."""
        return call_digest((self.plain,))


@dataclass(frozen=True, slots=True)
class LostCall:
    """A call of which nobody knows whether it happened; `why` is for people."""

    why: str


async def make_call(call: Call, context: StepContext) -> dict[str, Any] | LostCall:
    """The call's result. Raises ToolError; ToolChanged before anything is sent.

    A write that a worker began before it crashed may have happened: it is not made again, unless
    its key writes once.
    """
    if not (call.tool.readonly or call.tool.keyed or context.follows):
        return LostCall(say("lost.crashed", context.run.lang))
    # An approval of before did not keep the project, and is good for where it was given.
    is_older = call.tool.pin is None and not call.schema
    if not is_older and await pin_of(call.tool, context) != call.schema:
        raise ToolChanged("tool.changed", name=call.tool.name)
    tools = context.tool_context(key=call.key, by=call.by, approvers=call.approvers)
    try:
        result = await context.services.call(call.tool, call.arguments, tools)
    except ToolUnsure as error:
        return LostCall(error.text(context.run.lang))
    return dict(result)


def policy_of(skill: Skill, playbook: Playbook) -> ReviewPolicy | None:
    """Who approves the writes of the skill's plan; None when it has no writes."""
    if skill.planner:
        return skill.planner.review
    if skill.jobs:
        return skill.jobs.review
    guard = skill.plan.guard if skill.plan else None
    if guard is None:
        return None
    sops = (other.sop for other in playbook.skills.values() if other.sop)
    nodes = (node for sop in sops for node in sop.nodes.values())
    reviews = (n.review for n in nodes if n.decision == guard.decision and n.shows == skill.id)
    return next(reviews, None)
