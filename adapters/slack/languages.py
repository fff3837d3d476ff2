"""Languages of people: the one they chose, else that of what they wrote."""

import re
from collections.abc import Callable

from cards.model import Lang
from engine.events import Actor

LanguageOf = Callable[[Actor], Lang | None]
"""Returns the language that a person wants to read, None where they chose none."""


def unknown_language(actor: Actor) -> None:
    """Return None: nobody's language is known."""


_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def lang_of(text: str) -> Lang:
    """Return the language of a text."""
    return "zh" if _CHINESE.search(text) else "en"
