"""The web chat: a page, server-sent events, and taps as HTTP requests; visitors choose who they
are, or sign in."""

from adapters.webchat.texts import TEXTS
from cards.texts import add_room_texts

add_room_texts("webchat", TEXTS)
