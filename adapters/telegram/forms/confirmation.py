"""Asks whether a person is sure of a tap that nobody can take back: two buttons below the card.

What they carry is all that is kept of the question: the card's button as it was shown, and who
tapped it. So it outlives a restart, and an edit of the card takes it away with its keyboard.
"""

import base64
import re
from dataclasses import dataclass

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from adapters.telegram.outbound.answers import Interaction
from adapters.telegram.outbound.render import turn_of
from adapters.telegram.outbound.richtext import plain
from cards.buttons import MAX_BYTES, BadButton, Button
from cards.clipping import clip
from cards.showing.view import ConfirmView
from cards.texts import say

_SURE = re.compile(r"y1:(?P<button>[^:]+:[^:]+:[0-9]+):(?P<who>[A-Za-z0-9_-]{11})")
_NAME_CHARS = 24


@dataclass(frozen=True, slots=True)
class Sure:
    """A tap on "really": the card's own button, and the `key_of` the user who was asked."""

    button: str
    asked: str


def sure(data: str) -> Sure | None:
    """What a button says that confirms a tap; None for any other button."""
    match = _SURE.fullmatch(data)
    return Sure(f"s1:{match['button']}", match["who"]) if match else None


def key_of(user: int) -> str:
    """A user's id in eleven characters."""
    return base64.urlsafe_b64encode(user.to_bytes(8, "big")).decode().rstrip("=")


def keyboard(confirm: ConfirmView, visit: Interaction) -> InlineKeyboardMarkup:
    """The two answers; in a group the first says whom it asks.

    Raises BadButton when the card's data leaves no room for who was asked.
    """
    data = f"y1:{confirm.data.removeprefix('s1:')}:{key_of(visit.person.id)}"
    if len(data) > MAX_BYTES:
        raise BadButton(f"not a button: {data!r}")
    asked = confirm.confirm
    if visit.at.place.is_group:
        name = clip(plain(visit.person.name), _NAME_CHARS)
        asked = f"{name}{say('list.colon', confirm.lang)}{asked}"
    style = None if confirm.style == "plain" else confirm.style
    yes = InlineKeyboardButton(asked, callback_data=data, style=style)
    # Any page of the card's own buttons takes the place of the question.
    back = turn_of(Button.unpack(confirm.data).token, 0)
    return InlineKeyboardMarkup([[yes], [InlineKeyboardButton(confirm.cancel, callback_data=back)]])
