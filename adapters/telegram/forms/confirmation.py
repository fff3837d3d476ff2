"""Asks for confirmation of a tap that cannot be taken back, by two buttons below the card.

The buttons carry the whole question: the card's button, and who tapped it. So it survives a
restart, and an edit of the card removes it with the keyboard.
"""

import base64
import re
from dataclasses import dataclass

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from adapters.telegram.outbound.answers import Interaction
from adapters.telegram.outbound.render import page_button_data
from adapters.telegram.outbound.richtext import without_mentions
from cards.buttons import MAX_BYTES, BadButton, Button
from cards.clipping import clip
from cards.showing.view import ConfirmView
from cards.texts import say

_SURE = re.compile(r"y1:(?P<button>[^:]+:[^:]+:[0-9]+):(?P<who>[A-Za-z0-9_-]{11})")
_NAME_CHARS = 24
NOT_NOW = "n1"
"""What the other answer to a question that stands apart carries."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A confirming tap: the card's own button, and the `user_key` of whoever was asked."""

    button: str
    asked_key: str


def parse_confirmation(data: str) -> Confirmation | None:
    """Return what a confirming button carries; None for any other button."""
    match = _SURE.fullmatch(data)
    return Confirmation(f"s1:{match['button']}", match["who"]) if match else None


def user_key(user: int) -> str:
    """Return a user's id in eleven characters."""
    return base64.urlsafe_b64encode(user.to_bytes(8, "big")).decode().rstrip("=")


def confirm_keyboard(confirm: ConfirmView, interaction: Interaction) -> InlineKeyboardMarkup:
    """Return the two answers; in a group the first one names who is asked.

    Raises BadButton when the data would be too long.
    """
    data = f"y1:{confirm.data.removeprefix('s1:')}:{user_key(interaction.person.id)}"
    if len(data) > MAX_BYTES:
        raise BadButton(f"not a button: {data!r}")
    question = confirm.confirm
    if interaction.message.place.is_group:
        name = clip(without_mentions(interaction.person.name), _NAME_CHARS)
        question = f"{name}{say('list.colon', confirm.lang)}{question}"
    style = None if confirm.style == "plain" else confirm.style
    yes = InlineKeyboardButton(question, callback_data=data, style=style)
    # Any page of the card's own buttons takes the place of the question.
    back = NOT_NOW if confirm.apart else page_button_data(Button.unpack(confirm.data).token, 0)
    return InlineKeyboardMarkup([[yes], [InlineKeyboardButton(confirm.cancel, callback_data=back)]])
