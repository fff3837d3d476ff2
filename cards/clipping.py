"""Cutting text to a length: at words where there are any, never inside a character."""

import re
import unicodedata
from itertools import takewhile

# Chinese and Japanese: each character may end a line.
_IDEOGRAPH = re.compile(
    "[\u2e80-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
# What belongs to the character before it, besides combining marks: joiners, skin tones, tags of
# flags, and the second half of a Korean syllable or of a surrogate pair.
_FOLLOWS = re.compile(
    "[\u200c\u200d\u1160-\u11ff\ud7b0-\ud7fb\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\udc00-\udfff]"
)
_JOINER = "\u200d"
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")
# No character that people write is longer; a longer one is cut all the same.
_LONGEST = 40
_LOOSE_END = " \t\r\n,;:-–—(（[【「“，、；："


def units(text: str) -> int:
    """The length in UTF-16 units: what Telegram and browsers count, and the most Slack can."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def head(text: str, limit: int) -> str:
    """Return the longest beginning of at most `limit` UTF-16 units that ends with a character."""
    end = max(0, min(len(text), limit))
    # No character takes more than two units, so this drops none that fits.
    while (excess := units(text[:end]) - limit) > 0 and end:
        end -= (excess + 1) // 2
    whole = next((at for at in range(end, max(0, end - _LONGEST), -1) if _ends(text, at)), end)
    return text[:whole]


def without_stop(text: str) -> str:
    """Return a text to which the sentence around it adds its own full stop, without one."""
    return text if text.endswith("..") else text.removesuffix(".").removesuffix("。")


def clip(text: str, limit: int) -> str:
    """Return the text in at most `limit` UTF-16 units, with "…" where it was cut.

    It ends with a whole word where that leaves more than half of it.
    """
    if units(text) <= limit:
        return text
    kept = head(text, limit - 1)
    at = len(kept)
    while at > len(kept) // 2 and _in_word(text, at):
        at -= 1
    short = kept[:at] if at > len(kept) // 2 else kept
    return f"{short.rstrip(_LOOSE_END) or kept}…" if limit > 0 else ""


def shorten(text: str, limit: int) -> str:
    """The text in at most `limit` code points, ended by "…" where it was cut, at any place."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _ends(text: str, at: int) -> bool:
    """Whether a character that people see ends before `at`."""
    if at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before == _JOINER or _FOLLOWS.match(after) or before + after == "\r\n":
        return False
    if unicodedata.category(after) in ("Mn", "Mc", "Me"):
        return False
    if not _FLAG_LETTER.match(after):
        return True
    # Two of them make a flag.
    before_it = takewhile(_FLAG_LETTER.match, reversed(text[:at]))
    return len(list(before_it)) % 2 == 0


def _in_word(text: str, at: int) -> bool:
    """Whether a word goes on over `at`."""
    if at >= len(text) or not _ends(text, at):
        return at < len(text)
    sides = text[at - 1], text[at]
    return all(_is_letter(side) and not _IDEOGRAPH.match(side) for side in sides)


def _is_letter(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] == "M" or char in "'’_"
