"""One reply to one message: parts in the order asked, each with a state (design §3, §8)."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import lru_cache

from cards.clipping import shorten
from cards.frozen import Frozen
from cards.model import Card, Lang, Principal
from cards.showing.menu import cancel_menu
from cards.showing.show import show
from cards.showing.view import (
    NOT_DONE,
    ButtonView,
    CardView,
    MessageView,
    PartState,
    PartView,
)
from engine.frames import shared_files
from engine.frames.intents import Intent
from engine.ports.inbox_files import FileReceipt
from engine.ports.storage.store import Post
from engine.text.entity_kinds import NamedEntity

SETTLED: frozenset[PartState] = NOT_DONE | {
    "waiting",
    "answered",
    "needs_you",
    "in_review",
    "done",
}

# Edits notify nobody: a later outcome is also said in a message of its own (design §3).
LATE = timedelta(minutes=10)
LABEL_CHARS = 60


class ReplyHead(Frozen):
    """What a reply answers, to whom, since when; what became of the files of the message.

    `asker` is the account on the platform that asked, "" where that was not kept. `thread` is the
    place inside the conversation where it stands, "" for none. `entities` are what the text named
    when it was read. `joined` names the runs that were given the files, `cases` the cases. `runs`
    are the newest that were begun in the conversation before, the newest last.
    """

    id: str
    conversation: str
    lang: Lang
    principal: Principal
    text: str
    at: datetime
    files: tuple[FileReceipt, ...] = ()
    asker: str = ""
    thread: str = ""
    entities: tuple[NamedEntity, ...] = ()
    joined: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Where it stands."""
        return self.thread or self.conversation


class Part(Frozen):
    """A part: its intent, how far it is, and what it says (Markdown).

    `answer` stands above `text`: what was answered before the part led on to something else.
    `lead` stands above both, until the part is begun anew.
    `buttons` are of no card: they stand below the reply while it has none.
    """

    index: int
    intent: Intent
    state: PartState
    text: str
    answer: str = ""
    lead: str = ""
    run: str = ""
    buttons: tuple[ButtonView, ...] = ()

    def full_text(self) -> str:
        """All that the part says."""
        return "\n\n".join(filter(None, (self.lead, self.answer, self.text)))


def read_parts(bodies: Iterable[str]) -> tuple[Part, ...]:
    """The parts that are stored so."""
    return tuple(map(_read_part, bodies))


# Whoever delivers a message asks several times what it says.
@lru_cache(maxsize=64)
def _read_part(body: str) -> Part:
    return Part.model_validate_json(body)


def is_settled(parts: tuple[Part, ...]) -> bool:
    """Whether no part is being worked on."""
    return all(part.state in SETTLED for part in parts)


def is_being_answered(part: Part) -> bool:
    """Whether the part is a question whose answer is still being worked on."""
    return part.state == "working" and not part.run and part.intent.kind == "qa_query"


def reply_view(
    head: ReplyHead,
    parts: tuple[Part, ...],
    card: Card | None,
    zone: str,
    *,
    heard: str | None = None,
) -> MessageView:
    """The message as it stands; parts are numbered when there are several.

    `heard` is for its card (cards.showing.show).
    """
    numbered = len(parts) > 1
    return MessageView(
        lang=head.lang,
        parts=_file_views(head)
        + tuple(
            PartView(
                number=part.index + 1 if numbered else 0,
                state=part.state,
                label=shorten(part.intent.text, LABEL_CHARS) if numbered else "",
                text=part.full_text(),
            )
            for part in parts
        ),
        card=show(card, zone, heard=heard) if card else _menu(head, parts),
        card_part=_part_number(card, parts) if card and numbered else 0,
    )


def _menu(head: ReplyHead, parts: tuple[Part, ...]) -> CardView | None:
    """The buttons of the parts themselves, as a card of nobody."""
    buttons = tuple(button for part in parts for button in part.buttons)
    return cancel_menu(head.id, buttons, head.lang)


def _part_number(card: Card, parts: tuple[Part, ...]) -> int:
    """The number of the part that the card is about, 0 for none."""
    for part in parts:
        if part.run == card.run if card.run else part.index == card.part:
            return part.index + 1
    return 0


def _file_views(head: ReplyHead) -> tuple[PartView, ...]:
    """What became of shared files stands first, without a number: nobody asked for it."""
    if not head.files:
        return ()
    text = shared_files.files_text(head.files, head.lang, joined=head.joined, cases=head.cases)
    return (PartView(number=0, state="answered", text=text),)


def late_posts(
    part: Part, lang: Lang, *, reply: str, conversation: str, since: datetime, now: datetime
) -> tuple[Post, ...]:
    """A short new message with the part's outcome, when its message is more than LATE ago."""
    if now - since <= LATE or part.state not in SETTLED:
        return ()
    view = PartView(number=0, state=part.state, text=part.text)
    body = MessageView(lang=lang, parts=(view,)).model_dump_json()
    row = f"{reply}/{part.index}/{part.state}"
    return (Post(row=row, conversation=conversation, kind="note", ref=row, body=body),)
