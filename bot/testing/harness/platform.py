"""A chat platform inside the process: what people are shown is kept, and what they do goes in."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from bot.testing.files.model import FileContent
from bot.testing.harness.folder import PLATFORM
from cards.showing.view import MessageView
from engine.events import SharedFile
from engine.ports.platform import Intake, Pace


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message as it was shown, and where; `before` is what it showed, None for a new one."""

    conversation: str
    id: str
    view: MessageView
    before: MessageView | None = None

    @property
    def new(self) -> bool:
        """Whether nobody saw it before."""
        return self.before is None

    @property
    def tells(self) -> bool:
        """Whether its reader learns something: more than how often a card was asked."""
        return self.before is None or _gist(self.before) != _gist(self.view)


def _gist(view: MessageView) -> MessageView:
    if view.card is None:
        return view
    card = view.card.model_copy(update={"note": "", "buttons": ()})
    return view.model_copy(update={"card": card})


class PlayedChat:
    """The platform of a test: rooms as the web chat has them, one of each person's own."""

    name = PLATFORM
    overall = Pace()

    def __init__(self) -> None:
        self.shown: list[ShownMessage] = []
        self._now: dict[tuple[str, str], MessageView] = {}
        self._files: dict[str, bytes] = {}

    def reset(self) -> None:
        """Forget everything."""
        self.shown, self._now, self._files = [], {}, {}

    def share(self, file: FileContent, folder: Path) -> SharedFile:
        """A file as it comes with a message or a form; its path begins in `folder`.

        Raises OSError.
        """
        name, file_id = file.name, f"file-{len(self._files)}"
        content = (folder / file.path).read_bytes() if file.path else file.text.encode()
        self._files[file_id] = content
        return SharedFile(platform=PLATFORM, id=file_id, name=name, size_bytes=len(content))

    def messages(self) -> Mapping[tuple[str, str], MessageView]:
        """Each message as it is now, by place and id."""
        return self._now

    async def send(self, conversation: str, view: MessageView, *, key: str) -> str:
        """Show a new message."""
        return self._show(conversation, key, view)

    async def edit(self, conversation: str, message_id: str, view: MessageView) -> str:
        """Show it in place of that message."""
        return self._show(conversation, message_id, view)

    def _show(self, conversation: str, message_id: str, view: MessageView) -> str:
        before = self._now.get((conversation, message_id))
        if before != view:
            self._now[conversation, message_id] = view
            self.shown.append(ShownMessage(conversation, message_id, view, before))
        return message_id

    def pace(self, conversation: str) -> Pace:
        """As fast as it comes."""
        return Pace()

    async def link(self, conversation: str, message_id: str) -> str:
        """There is no address."""
        return ""

    async def typing(self, conversation: str) -> None:
        """Nobody looks."""

    async def fetch(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        """What the file holds."""
        yield self._files[file.id]

    def routes(self, intake: Intake) -> Sequence[web.AbstractRouteDef]:
        """Nothing comes by HTTP."""
        return ()

    async def listen(self, intake: Intake) -> None:
        """Nothing comes by itself."""

    async def close(self) -> None:
        """Nothing is open."""
