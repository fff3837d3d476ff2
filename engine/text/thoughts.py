"""What a model thinks aloud in tags, taken out of what it says: whole, or while it is written."""

import re
from typing import Final

THOUGHT_ENDS: Final = "</think>"
_TAG: Final = re.compile(r"(?<!`)<(/?)(think|thinking|thoughts?|reasoning)>", re.IGNORECASE)
# The longest beginning of a tag, or the mark of code before it: more has to come to tell.
_BEGUN: Final = re.compile(r"(?:`|`?</?[a-z]{0,9})\Z", re.IGNORECASE)


class ThoughtFilter:
    """Takes a model's text in pieces; `text` is what people may read of it so far.

    A thought stands between a tag and its end, wherever in the text; one without an end goes on to
    the text's end. What stands before an end that nothing began is a thought too, for some servers
    leave its beginning out: `text` begins anew then, which `losses` counts; `ends` counts all ends.
    A tag right after a backtick is text.
    """

    def __init__(self) -> None:
        self.text = ""
        self.losses = 0
        self.ends = 0
        self._thinks = ""
        self._held = ""

    @property
    def is_thinking(self) -> bool:
        """Whether a thought has begun and not ended."""
        return bool(self._thinks)

    def feed(self, piece: str) -> None:
        """Take the next piece; what may be the beginning of a tag is held back."""
        held, at = self._held + piece, 0
        for tag in _TAG.finditer(held):
            self._take(held[at : tag.start()])
            self._turn(ends=bool(tag[1]), name=tag[2].lower())
            at = tag.end()
        begun = _BEGUN.search(held, at)
        end = begun.start() if begun else len(held)
        self._take(held[at:end])
        self._held = held[end:]

    def end(self) -> str:
        """The whole text that people may read; nothing more comes."""
        self._take(self._held)
        self._held = ""
        return self.text

    def _take(self, text: str) -> None:
        if not self._thinks:
            self.text += text if self.text else text.lstrip()

    def _turn(self, *, ends: bool, name: str) -> None:
        if not ends:
            self._thinks = self._thinks or name
            return
        self.ends += 1
        if self._thinks == name:
            self._thinks = ""
        elif not self._thinks:
            self.text = ""
            self.losses += 1


def without_thoughts(text: str) -> str:
    """The text without its thoughts; JSON in which a tag stands alone is left as it is."""
    if not _TAG.search(text):
        return text
    kept = ThoughtFilter()
    kept.feed(text)
    told = kept.end()
    if text.lstrip()[:1] in ("{", "[") and (kept.is_thinking or kept.losses):
        return text
    return told
