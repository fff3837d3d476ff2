"""Files that came with a message: taken in before it is read, so that all of it can use them."""

from collections.abc import Sequence

from engine.events import SharedFile
from engine.frames.intents import Intent
from engine.frames.replies import ReplyHead
from engine.services import Services
from engine.understanding.context import Routed, StrategyVerdict


async def with_files(head: ReplyHead, files: Sequence[SharedFile], services: Services) -> ReplyHead:
    """The head with what became of the files."""
    if not files:
        return head
    project = services.project(head.conversation)
    taken = await services.files.take(project, head.conversation, files)
    return head.model_copy(update={"files": taken})


def only_files(head: ReplyHead) -> Routed | None:
    """Nothing but files: no strategy has anything to read."""
    if not head.files or head.text:
        return None
    intent = Intent(kind="smalltalk", text="", why="files without a word")
    return Routed((intent,), (StrategyVerdict("files", True, intent.why),))
