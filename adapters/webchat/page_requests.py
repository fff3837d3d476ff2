"""The page's requests: rooms and positions of the address, bodies, the updates they become."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from aiohttp import web
from pydantic import (
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from adapters.webchat.room_names import conversation_of
from cards.frozen import Frozen
from engine.errors import BadPayload
from engine.events import Actor, CardTapped, CommandGiven, FormSubmitted, MessageReceived

MAIN = "main"
MAX_ROOMS = 20
_POSITION = re.compile(r"\d{1,20}(?:-\d{1,20})?")
_PAGE = re.compile(r"[1-9][0-9]{0,2}")
MAX_TEXT = 8_000
MAX_FILES = 10
# More than any field takes, so that too long a value gets its field's own message.
_MAX_VALUE = 100_000
_COMMAND = re.compile(r"/([A-Za-z][A-Za-z0-9_-]{0,31})(?:\s(.*))?", re.DOTALL)
Room = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,32}\z")]
UpdateId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{8,64}\z")]
ButtonData = Annotated[str, StringConstraints(min_length=1, max_length=256)]
FieldName = Annotated[str, StringConstraints(min_length=1, max_length=64)]
FieldText = Annotated[str, StringConstraints(max_length=_MAX_VALUE)]
_ROOM = TypeAdapter[str](Room)
AnyT = TypeVar("AnyT", bound=Frozen)


class SeenBody(Frozen):
    """That a person saw what is in a room by now; `person` is "" where the sign-in says who."""

    room: Room
    person: Annotated[str, StringConstraints(max_length=64)] = ""


class DeleteBody(SeenBody):
    """That a person wants a conversation deleted."""


class RenameBody(SeenBody):
    """What a person calls a conversation in their list."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]


class _Body(SeenBody):
    id: UpdateId

    @property
    def conversation(self) -> str:
        """The conversation of the room."""
        return conversation_of(self.room)

    def update_id(self, kind: str, about: str) -> str:
        """Return the update's id: a browser's id is one for a person, and what it is `about`."""
        return f"web:{self.person}:{kind}:{about}:{self.id}"


class UploadRef(Frozen):
    """An uploaded file: its id, and the sender's name of it."""

    id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}\z")]
    name: Annotated[str, StringConstraints(max_length=255)]


class SayBody(_Body):
    """What the composer sends; with files, the text may be empty."""

    files: Annotated[tuple[UploadRef, ...], Field(max_length=MAX_FILES)] = ()
    text: Annotated[str, StringConstraints(max_length=MAX_TEXT)]

    @field_validator("text")
    @classmethod
    def _check_not_empty(cls, text: str, info: ValidationInfo) -> str:
        stripped = text.strip()
        if not stripped and not info.data.get("files"):
            raise ValueError("is empty")
        return stripped

    @property
    def said_id(self) -> str:
        """The id of its update."""
        return self.update_id("said", self.room)

    def update(self, actor: Actor) -> MessageReceived | CommandGiven:
        """A command when the text is `/name ...`, else a message."""
        update_id = self.said_id
        if command := _COMMAND.fullmatch(self.text):
            return CommandGiven(
                id=update_id,
                conversation=self.conversation,
                actor=actor,
                name=command[1].lower(),
                text=(command[2] or "").strip(),
            )
        return MessageReceived(
            id=update_id, conversation=self.conversation, actor=actor, text=self.text
        )


class TapBody(_Body):
    """What a tapped button sends; `confirmed` unless the person is to be asked first."""

    button: ButtonData
    confirmed: bool = True

    def update(self, actor: Actor) -> CardTapped:
        """The tap, its data still to be unpacked."""
        return CardTapped(
            id=self.update_id("tap", self.button),
            conversation=self.conversation,
            actor=actor,
            button=self.button,
            confirmed=self.confirmed,
        )


class FormBody(_Body):
    """What a sent form carries: raw strings by field name."""

    button: ButtonData
    values: Annotated[dict[FieldName, FieldText], Field(max_length=64)]
    files: Annotated[dict[FieldName, UploadRef], Field(max_length=MAX_FILES)] = {}

    def update(self, actor: Actor) -> FormSubmitted:
        """The form as it was typed; the service judges the values."""
        return FormSubmitted(
            id=self.update_id("form", self.button),
            conversation=self.conversation,
            actor=actor,
            button=self.button,
            values=self.values,
        )


class EnterBody(Frozen):
    """What the button of a sign-in link sends."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=128)]


BodyT = TypeVar("BodyT", SayBody, TapBody, FormBody)


def parse_body(model: type[AnyT], raw: bytes) -> AnyT:
    """Return the parsed body. Raises BadPayload that names the first wrong field."""
    try:
        return model.model_validate_json(raw)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_context=False, include_input=False)[0]
        # Names of unknown keys are the sender's text; the answer is JSON, so they stay data.
        field = ".".join(str(part) for part in first["loc"]) or "body"
        raise BadPayload(f"{field}: {first['msg']}") from wrong


def page_number(request: web.Request) -> int:
    """Return which page the address asks for, from 1. Raises BadPayload."""
    page = request.query.get("page", "1")
    if not _PAGE.fullmatch(page):
        raise BadPayload("page: must be a number from 1 to 999")
    return int(page)


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """A room, its claimed reader, and the position after which they read on."""

    room: str
    person: str
    after: str


def room_of(request: web.Request) -> str:
    """Return the room that the address names. Raises BadPayload."""
    return _check_room(request.query.get("room", MAIN))


def read_positions(request: web.Request) -> Sequence[ReadPosition]:
    """Return the rooms of the address, each with its person and position. Raises BadPayload.

    Positions in `Last-Event-ID`, joined by commas, replace those of the address.
    """
    query = request.query
    rooms = [_check_room(room) for room in query.getall("room", [MAIN])]
    if len(rooms) > MAX_ROOMS:
        raise BadPayload(f"room: at most {MAX_ROOMS} at once")
    people = query.getall("person", [""] * len(rooms))
    last = request.headers.get("Last-Event-ID")
    name, values = (
        ("Last-Event-ID", last.split(",")) if last else ("after", query.getall("after", [""]))
    )
    if not len(rooms) == len(people) == len(values):
        raise BadPayload(f"{name}: each room needs one, and a person")
    positions = [position or "0" for position in values]
    if not all(_POSITION.fullmatch(position) for position in positions):
        raise BadPayload(f"{name}: not a position of this conversation")
    return [ReadPosition(*place) for place in zip(rooms, people, positions, strict=True)]


def _check_room(name: str) -> str:
    try:
        return _ROOM.validate_python(name)
    except ValidationError as wrong:
        raise BadPayload("room: must be 1 to 32 of a-z, 0-9 and -") from wrong
