"""The inbound vocabulary: verified updates, and what intake answers to each (design §3, §4)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from cards.deciding.codes import RefusalCode
from cards.frozen import Frozen
from cards.model import Lang
from cards.shared_file import SharedFile as SharedFile
from cards.shared_file import Text
from cards.showing.view import ConfirmView, FormView


class Actor(Frozen):
    """Who acted, as the platform names them; `name` is only for show.

    A `guest` is no member of the workspace: a guest account, or somebody of another company in a
    shared channel.
    """

    platform: str
    workspace: str
    user: str
    name: Text = ""
    guest: bool = False


class RequestedWork(Frozen):
    """A request that a program makes as a person, with what it knows by data field (JSON values).

    `digest` fixes all that the program sent, so that another request under its `key` is noticed.
    """

    playbook: str
    request: str
    data: dict[str, Any] = {}
    lang: Lang | None = None
    digest: str = ""
    key: str = ""


class MessageReceived(Frozen):
    """A person wrote to the bot; mentions of the bot itself are already cut from `text`.

    `files` came with it and are not fetched yet; then `text` may be empty. `overheard` when it was
    not addressed to the bot: it is for the bot only while a card waits there for its writer.
    `thread` is the place inside the conversation where it is answered, "" for none. `aside`: it can
    be answered at once to its writer alone, as where others read what is said. `message` is the
    name that edits of it carry, "" where there are none. `begins` is what it asks for, where a
    program says so: nobody reads the text then.
    """

    kind: Literal["message"] = "message"
    id: str
    conversation: str
    actor: Actor
    text: Text
    files: tuple[SharedFile, ...] = ()
    overheard: bool = False
    thread: str = ""
    begins: RequestedWork | None = None
    aside: bool = Field(default=False, exclude=True)
    message: str = Field(default="", exclude=True)


class CommandGiven(Frozen):
    """A command such as `/cancel`; `name` without the slash, `text` what followed it.

    `said` is the whole of what was typed, where it is known; `thread`, `aside` and `message` as in
    MessageReceived.
    """

    kind: Literal["command"] = "command"
    id: str
    conversation: str
    actor: Actor
    name: Text
    text: Text = ""
    said: Text = ""
    files: tuple[SharedFile, ...] = Field(default=(), exclude=True)
    thread: str = ""
    aside: bool = Field(default=False, exclude=True)
    message: str = Field(default="", exclude=True)


class MessageEdited(Frozen):
    """A person edited a message of theirs: `to` is what the edited message would be if it were new.

    `at` is a text of digits that sorts the edits of a message. `answers_form` when the message was
    the answer to a form, whatever `to` is. `only_addressed` where the bot only hears what is
    addressed to it: there, a message that is not known was not for it before.
    """

    kind: Literal["edit"] = "edit"
    id: str
    to: MessageReceived | CommandGiven
    at: str
    answers_form: bool = False
    only_addressed: bool = False

    @property
    def conversation(self) -> str:
        """Where it stands."""
        return self.to.conversation

    @property
    def actor(self) -> Actor:
        """Who wrote it."""
        return self.to.actor


class CardTapped(Frozen):
    """A button was tapped; `button` is its raw data, still to be unpacked.

    `message_id` is the message that it stands in, as the platform's `edit` takes it; "" where a
    message is never posted twice. `confirmed` is False where the platform has not asked whether the
    person is sure: what nobody can take back is not done then, and ConfirmWanted is the outcome.
    """

    kind: Literal["tap"] = "tap"
    id: str
    conversation: str
    actor: Actor
    button: str
    message_id: str = ""
    confirmed: bool = True


class FormSubmitted(Frozen):
    """A card's form was sent; `values` are raw strings by field name.

    `uploads` are the files that were put into its fields, by field name. `files` came with the
    message that sent it, where a form is a message.
    """

    kind: Literal["form"] = "form"
    id: str
    conversation: str
    actor: Actor
    button: str
    values: dict[str, str]
    uploads: dict[str, SharedFile] = {}
    files: tuple[SharedFile, ...] = ()


def files_message(update: MessageReceived | CommandGiven | FormSubmitted) -> MessageReceived:
    """The files that came with an update, as a message of nothing but them."""
    return MessageReceived(
        id=f"{update.id}/files",
        conversation=update.conversation,
        actor=update.actor,
        text="",
        files=update.files,
        thread="" if isinstance(update, FormSubmitted) else update.thread,
    )


Update = Annotated[
    MessageReceived | CommandGiven | MessageEdited | CardTapped | FormSubmitted,
    Field(discriminator="kind"),
]


RepeatOf = Literal["", "update", "tap"]
"""What the person was shown an answer to before: this `update`, a `tap` just before it, or ""."""

NoteShown = Callable[[], Awaitable[None]]
"""Notes that somebody was shown an answer; does not raise."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The update is durable in its lane; `duplicate` when it was there already."""

    duplicate: bool = False


@dataclass(frozen=True, slots=True)
class DirectAnswer:
    """What the person reads at once (`text`); `ok` when their tap was recorded.

    `tells` when closing a form would not be answer enough. `stranger` when the person is not
    admitted, to the service or the project, and nothing was looked at; it may answer a message too.
    `again` when they were shown an answer to this before, so that it is not posted once more.
    `aside` when it is for them alone, wherever they asked. `shown` is to be called once it was
    shown. What is not `ok` has a `code` for programs, and what comes too fast `wait_s`, the seconds
    until it would be taken.
    """

    text: str
    ok: bool
    tells: bool = False
    stranger: bool = False
    again: RepeatOf = ""
    aside: bool = False
    shown: NoteShown | None = field(default=None, compare=False, repr=False)
    code: RefusalCode | None = None
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class NotForUs:
    """It was said to others: nothing of it is kept, and nothing is answered."""


@dataclass(frozen=True, slots=True)
class FormWanted:
    """The tap asks for a form first; nothing was decided. `again`, `shown` as for an answer."""

    form: FormView
    again: RepeatOf = ""
    shown: NoteShown | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ConfirmWanted:
    """The tap would count and could not be taken back: the person is asked first."""

    confirm: ConfirmView


@dataclass(frozen=True, slots=True)
class FormRefused:
    """The form has faults: a sentence per field name; nothing was decided. The rest is as above."""

    errors: dict[str, str]
    again: RepeatOf = ""
    shown: NoteShown | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NotRecorded:
    """The store is away: an event wants 503; a tapper is shown `text`."""

    text: str


Outcome = (
    Accepted | DirectAnswer | NotForUs | FormWanted | ConfirmWanted | FormRefused | NotRecorded
)


async def note_shown(outcome: Outcome) -> None:
    """Note that an answer was shown: to a repeat of its update it is given as one `again`."""
    if isinstance(outcome, DirectAnswer | FormWanted | FormRefused) and outcome.shown:
        await outcome.shown()
