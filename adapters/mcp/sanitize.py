"""Text of outside servers made harmless: one line, nothing invisible, of bounded length."""

import unicodedata

from cards.clipping import shorten

# Control, invisible and direction characters, halves of characters, and what has no meaning.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def clean(text: str, limit: int) -> str:
    """The text on one line, without characters that nobody sees, in at most `limit` characters."""
    # What would be cut anyway is not looked at.
    seen = (" " if unicodedata.category(c) in _UNSEEN else c for c in text[: limit * 4])
    line = " ".join("".join(seen).split())
    return shorten(line, limit)


def cut(text: str, limit: int) -> str:
    """The text, of which what is beyond `limit` characters is only counted."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … [cut: {len(text) - limit} more characters]"
