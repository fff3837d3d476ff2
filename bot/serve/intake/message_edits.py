"""Edited messages: one that still waits is replaced, for any other the person is told."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from cards.clipping import shorten
from cards.markdown import literal
from cards.model import Principal
from cards.texts import say
from engine.events import Accepted, CommandGiven, MessageEdited, MessageReceived
from engine.mail import MessageArrived, ServiceNotice
from engine.ports.storage.arrivals import Arrival, Arrivals
from engine.ports.storage.store import Mailbox
from engine.text.language import detect_language
from engine.understanding.router.command import parse_command

_QUOTED_CHARS: Final = 60


def arrival_of(update: MessageReceived | CommandGiven) -> Arrival:
    """The message's own id, which edits carry, and a digest of its text and files."""
    files = "".join(f"\n{file.name}:{file.size_bytes}" for file in update.files)
    digest = blake2b(f"{_text(update)}{files}".encode(), digest_size=8).hexdigest()
    return Arrival(update.message, digest)


@dataclass(frozen=True, slots=True)
class MessageEdits:
    """Stores edits; a person who edits too late is told once for each message."""

    mailbox: Mailbox
    arrivals: Arrivals

    async def take(self, edit: MessageEdited, principal: Principal) -> Accepted | None:
        """A duplicate when nothing changed; None when the edit is to be taken as a new message.

        Raises StoreUnavailable.
        """
        mail = ""
        if _can_wait(edit):
            mail = MessageArrived(update=edit.to, principal=principal).stored()
        lane = f"talk:{edit.conversation}"
        outcome = await self.arrivals.edit(lane, mail, arrival_of(edit.to), at=edit.at)
        if outcome == "unknown" and edit.only_addressed and not edit.answers_form:
            return None
        if outcome in ("taken", "unknown"):
            return await self._notify(edit, principal)
        return Accepted(duplicate=outcome == "unchanged")

    async def _notify(self, edit: MessageEdited, principal: Principal) -> Accepted:
        text, name = _text(edit.to), edit.to.message
        key = "edited.form" if edit.answers_form else "edited.message"
        lang = principal.lang or detect_language(text)
        told = say(key, lang, text=literal(shorten(text, _QUOTED_CHARS)))
        mail = ServiceNotice(id=f"edited/{name}", lang=lang, text=told, thread=edit.to.thread)
        lane = f"control:{edit.conversation}"
        return Accepted(not await self.mailbox.put(lane, mail.stored(), update_id=f"{name}/edited"))


def _can_wait(edit: MessageEdited) -> bool:
    """Whether the edited text belongs in the talk lane, where the message may still wait."""
    is_message = isinstance(edit.to, MessageReceived) and not edit.answers_form
    return is_message and parse_command(edit.to.text) is None


def _text(update: MessageReceived | CommandGiven) -> str:
    if isinstance(update, MessageReceived):
        return update.text
    return update.said or f"/{update.name} {update.text}".strip()
