"""In which language somebody is spoken to: their own, else that of what they wrote."""

import re
from collections.abc import Callable

from cards.model import Lang
from engine.events import Actor

Speaks = Callable[[Actor], Lang | None]
"""The language that a person wants to read, None where that is left open."""


def unknown(actor: Actor) -> None:
    """Nobody's language is known."""


_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def lang_of(text: str) -> Lang:
    """The language of a text."""
    return "zh" if _CHINESE.search(text) else "en"
