"""The Slack room: signed requests or Socket Mode in, Block Kit out."""

from adapters.slack.texts import TEXTS
from cards.texts import add_room_texts

add_room_texts("slack", TEXTS)
