"""The final answer while the model still writes it: what of it people may see already.

Only a text that the model has marked as its answer is shown. What a check of the whole answer could
refuse is never among it: the end of the text is held back, and nothing more is shown once a longer
run of the model's instructions stands anywhere in what it wrote.
"""

import re

from engine.ports.drafts import Show
from engine.react.texts import RUN, letters_of, recites_a_run

_OPENS = re.compile(r"^[ \t]*<answer>[ \t]*\n?", re.IGNORECASE | re.MULTILINE)
_CLOSES = re.compile(r"(?<!\s)\s*</answer>\s*\Z", re.IGNORECASE)
# A name, a number or a key that is not written to its end yet is nothing to show or to judge.
_UNFINISHED = re.compile(r"(?<![!-~])[!-~]+\Z")


def marked(text: str) -> str:
    """The answer in a model's text: what it marked, or the whole text where it marked nothing."""
    opens = _OPENS.search(text)
    return _CLOSES.sub("", text[opens.end() :] if opens else text).strip()


class Growth:
    """One question's answer as it grows, completion by completion; `show` may be None.

    `open` while it may be shown, `heard` once pieces of the present completion came, `shown` once
    people saw some of its text.
    """

    def __init__(self, show: Show | None) -> None:
        self._show = show
        self.begins("")

    def begins(self, text: str) -> None:
        """A completion begins; `text` is the beginning of the answer that it goes on with."""
        self.heard = self.shown = False
        self._text = ""
        self._from = -1
        self._tail = ""
        self._refused = False
        self._take(text)

    @property
    def open(self) -> bool:
        """Whether there is any use in hearing it piece by piece."""
        return self._show is not None

    def ends(self) -> None:
        """Nothing more is shown of this question's answer, and what was shown is not it."""
        self._show, self.shown = None, False

    def hear(self, piece: str) -> None:
        """The model wrote this."""
        self.heard = True
        self._take(piece)
        if self._show is None or self._refused or self._from < 0:
            return
        safe = self._safe()
        if safe:
            self.shown = self._show(safe) or self.shown

    def _take(self, piece: str) -> None:
        self._text += piece
        # Every run that ends in the piece.
        run = self._tail + letters_of(piece)
        self._refused = self._refused or recites_a_run(run)
        self._tail = run[-RUN + 1 :]
        if self._from < 0 and (opens := _OPENS.search(self._text)):
            self._from = opens.end()

    def _safe(self) -> str:
        """The answer without its end: as many letters as could be the beginning of a recital."""
        end, letters = len(self._text), 0
        while end > self._from and letters < RUN:
            end -= 1
            letters += len(letters_of(self._text[end]))
        return _UNFINISHED.sub("", self._text[self._from : end]).strip()
