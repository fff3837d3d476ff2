"""Telegram: verified updates come in, rendered messages go out (design §3, §8)."""

from adapters.telegram.texts import TEXTS
from cards.texts import add_room_texts

add_room_texts("telegram", TEXTS)
