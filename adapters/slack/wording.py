"""In which language somebody is spoken to of whom nothing else is known."""

import re

from cards.model import Lang

_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def lang_of(text: str) -> Lang:
    """The language of a text."""
    return "zh" if _CHINESE.search(text) else "en"
