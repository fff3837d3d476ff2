"""The final answer while the model still writes it: what of it people may see already.

What the model wrote so far is shown, or of it what it marked as its answer; a sentence or two may
still lead to a tool call, and are kept back, as are thoughts in tags. What a check of the whole
answer could refuse is never among it: the end of the text is held back, and nothing more is shown
once a longer run of the model's instructions stands anywhere in what it wrote.
"""

import re

from engine.ports.storage.drafts import ShowDraft
from engine.react.prompts import RUN, letters_of, recites_a_run

_OPENS = re.compile(r"^[ \t]*<answer>[ \t]*\n?", re.IGNORECASE | re.MULTILINE)
_CLOSES = re.compile(r"(?<!\s)\s*</answer>\s*\Z", re.IGNORECASE)
_THINKS = re.compile(r"\s*<(think|thinking)>", re.IGNORECASE)
PREAMBLE_CHARS = 120
"""A text without a mark is shown once it is longer than what models say before they call a tool."""
# A name, a number or a key that is not written to its end yet is nothing to show or to judge.
_UNFINISHED = re.compile(r"(?<![!-~])[!-~]+\Z")


def marked(text: str) -> str:
    """The answer in a model's text: what it marked, or the whole text where it marked nothing."""
    text = _without_thought(text)
    opens = _OPENS.search(text)
    return _CLOSES.sub("", text[opens.end() :] if opens else text).strip()


def _without_thought(text: str) -> str:
    thinks = _THINKS.match(text)
    if thinks is None:
        return text
    closes = f"</{thinks[1].lower()}>"
    _, _, after = text[thinks.end() :].partition(closes)
    return after.lstrip()


class AnswerGrowth:
    """One question's answer as it grows, completion by completion; `show` may be None.

    `open` while it may be shown, `heard` once pieces of the present completion came, `shown` once
    people saw some of what the model marked as its answer.
    """

    def __init__(self, show: ShowDraft | None) -> None:
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
        if self._show is None or self._refused:
            return
        safe = self._safe()
        if self._from >= 0 and safe:
            self.shown = self._show(safe) or self.shown
        elif len(safe) > PREAMBLE_CHARS:
            self._show(safe)

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
        text = self._text[self._from :] if self._from >= 0 else _without_thought(self._text)
        end, letters = len(text), 0
        while end and letters < RUN:
            end -= 1
            letters += len(letters_of(text[end]))
        return _UNFINISHED.sub("", text[:end]).strip()
