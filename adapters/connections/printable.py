"""Makes text of outside servers harmless: one line, all visible, of bounded length."""

import unicodedata

from cards.clipping import shorten

# Control, invisible and direction characters, halves of characters, and what has no meaning.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def clean(text: str, limit: int) -> str:
    """Return the text on one line, without invisible characters, in at most `limit` characters."""
    # What would be cut anyway is not looked at.
    seen = (" " if unicodedata.category(c) in _UNSEEN else c for c in text[: limit * 4])
    line = " ".join("".join(seen).split())
    return shorten(line, limit)


def cut(text: str, limit: int) -> str:
    """Return the text up to `limit` characters, with a count of the rest."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … [cut: {len(text) - limit} more characters]"
