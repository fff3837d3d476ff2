"""Answers while they are being written: shown as far as they are, best effort, not state."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from cards.showing.view import MessageView
from engine.ports.platform import Pace

ShowDraft = Callable[[str], bool]
"""Takes the answer's text so far; True once some of it is or will be shown. Never waits."""


class DraftSink(Protocol):
    """Takes answers while they are written; must not raise or wait."""

    def writing(self, reply: str, conversation: str) -> AbstractContextManager[ShowDraft | None]:
        """Shows the reply's text until the block ends; None where it cannot be shown."""
        ...


class _NoDrafts:
    @contextmanager
    def writing(self, reply: str, conversation: str) -> Iterator[ShowDraft | None]:
        """Nobody sees it."""
        yield None


NO_DRAFTS: Final[DraftSink] = _NoDrafts()
"""Shows no drafts: answers are shown when they are whole."""


@dataclass(frozen=True, slots=True)
class Draft:
    """How far an answer is (`text`, Markdown), and how far it was when it was last `shown`.

    `beside` names how the rest of the reply stood then. `off` when no more of it is to be shown
    before it is whole.
    """

    text: str = ""
    shown: str = ""
    off: bool = False
    beside: str = ""


class Drafts(Protocol):
    """Answers that are being written, by their reply, for all processes. Raises StoreUnavailable.

    Each is forgotten some minutes after its last change.
    """

    async def put(self, reply: str, text: str) -> None:
        """The answer has got so far; whoever shows the reply is woken, unless it is off."""
        ...

    async def read(self, reply: str) -> Draft:
        """How far the answer is."""
        ...

    async def mark_shown(self, reply: str, text: str, beside: str = "") -> None:
        """People read this much of it now, with what stands beside it."""
        ...

    async def stop(self, reply: str) -> None:
        """No more of it is to be shown before it is whole."""
        ...


@dataclass(frozen=True, slots=True)
class Growth:
    """What a platform shows of an answer that is being written.

    `view` is the whole message with the text so far, `text` that alone ("" before the first),
    `before` what was shown of it last; `working` the message without any of it. `asker` is the
    account on the platform that asked, if it is known; `key` names the message for us. Not `alone`
    where other parts of the message stand already, which the text has nothing of.
    """

    view: MessageView
    working: MessageView
    text: str
    before: str
    asker: str
    key: str
    alone: bool = True


@runtime_checkable
class GrowingPlatform(Protocol):
    """A platform that can show an answer while it is written; `growth` is for all places together.

    What it shows so is no message yet, or one that `edit` puts the whole reply in the place of.
    """

    growth: Pace

    def grows_every_s(self, conversation: str) -> float:
        """How many seconds apart the text may grow there; 0 where it cannot."""
        ...

    async def grow(self, conversation: str, message_id: str, growth: Growth) -> str:
        """Show the text so far in that message; returns its id from now on. Raises PlatformError.

        Where there is none yet (""), it is posted as it is while work goes on, for the text to come
        into; or the text is shown without a message, for half a minute or so, and "" returned.
        """
        ...
