"""One call of a run's plan, under its key; a write that may have happened is not repeated."""

from dataclasses import dataclass
from typing import Any

from cards.texts import say
from engine.errors import ToolUnsure
from engine.frames.outcome import StepContext
from engine.playbooks.model import Playbook
from engine.playbooks.review import ReviewPolicy
from engine.playbooks.skill import Skill
from engine.reviews.approvals import call_digest
from engine.tools.model import Tool


@dataclass(frozen=True, slots=True)
class Call:
    """A tool with the arguments it is called with; a write has a `key` and who approved it."""

    tool: Tool[Any]
    arguments: dict[str, Any]
    key: str = ""
    by: str = ""

    @property
    def plain(self) -> dict[str, Any]:
        """What the call is, as it is shown and as its digest is taken."""
        return {"tool": self.tool.name, "arguments": self.arguments}

    @property
    def digest(self) -> str:
        """Of exactly this tool and these arguments."""
        return call_digest((self.plain,))


@dataclass(frozen=True, slots=True)
class Lost:
    """Nobody knows whether the call has happened; `why`, for people."""

    why: str


async def made(call: Call, context: StepContext) -> dict[str, Any] | Lost:
    """What the call gives; raises ToolError.

    A write whose intent was recorded by somebody who is gone may have happened: unless its key
    writes once, it is not made.
    """
    if not (call.tool.readonly or call.tool.keyed or context.follows):
        return Lost(say("lost.crashed", context.run.lang))
    tools = context.tools(key=call.key, by=call.by)
    try:
        result = await context.services.call(call.tool, call.arguments, tools)
    except ToolUnsure as error:
        return Lost(error.told(context.run.lang))
    return dict(result)


def policy_of(skill: Skill, playbook: Playbook) -> ReviewPolicy | None:
    """Who approves the writes of the skill's plan, None when it has no writes to approve."""
    if skill.planner:
        return skill.planner.review
    guard = skill.plan.guard if skill.plan else None
    if guard is None:
        return None
    sops = (other.sop for other in playbook.skills.values() if other.sop)
    nodes = (node for sop in sops for node in sop.nodes.values())
    found = (n.review for n in nodes if n.decision == guard.decision and n.shows == skill.id)
    return next(found, None)
