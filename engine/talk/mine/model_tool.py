"""The person's requests and cases as a tool that a model may read (spec 000 §3.3)."""

from collections.abc import Sequence
from typing import Any

from cards.frozen import Frozen
from cards.model import Lang
from engine.frames.replies import ReplyHead
from engine.services import Services
from engine.talk.mine.answers import describe_work
from engine.talk.mine.facts import KnownWork, load_work
from engine.tools.model import Tool, ToolContext

NAME = "work__mine"
MOST = 6
"""So many requests and cases are told of, the newest first."""


class OwnRunsArguments(Frozen):
    """It is always about who asks."""


async def own_work_tools(head: ReplyHead, services: Services) -> tuple[Tool[Any], ...]:
    """The tool, where the person has anything to ask after."""
    works = await load_work(head, services)
    return (_tool(works, head, services),) if works else ()


def _tool(
    works: Sequence[KnownWork], head: ReplyHead, services: Services
) -> Tool[OwnRunsArguments]:
    async def run(arguments: OwnRunsArguments, context: ToolContext) -> dict[str, Any]:
        told = [await describe_work(each, head, services) for each in works[:MOST]]
        return {"mine": told, "more": max(0, len(works) - MOST)}

    def tell(result: dict[str, Any], lang: Lang) -> str:
        return "\n\n".join(str(each.get("stands", "")) for each in result["mine"])

    return Tool(
        name=NAME,
        description=(
            "What the person who asks has requested, and what their cases know: how each request"
            " stands or ended, who decided and why, what it waits for or misses, and its values."
        ),
        arguments=OwnRunsArguments,
        readonly=True,
        run=run,
        tell=tell,
    )
