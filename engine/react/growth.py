"""The final answer while the model still writes it: how much of it people may see.

Shown is the part that the model marked as its answer, or else its whole text. A sentence or two
may still lead to a tool call and are held back, as are thoughts in tags. Nothing is shown that a
check of the whole answer could refuse: the end of the text is held back, and nothing more is shown
once the text has a longer run of the model's instructions.
"""

import re

from engine.ports.storage.drafts import ShowDraft
from engine.react.prompts import RUN_LETTERS, letters_of, recites_run
from engine.text.thoughts import ThoughtFilter, without_thoughts

_OPENS = re.compile(r"^[ \t]*<answer>[ \t]*\n?", re.IGNORECASE | re.MULTILINE)
_CLOSES = re.compile(r"(?<!\s)\s*</answer>\s*\Z", re.IGNORECASE)
PREAMBLE_CHARS = 120
"""A text without a mark is shown once it is longer than models write before a tool call."""
# An unfinished name, number or key can neither be shown nor checked.
_UNFINISHED = re.compile(r"(?<![!-~])[!-~]+\Z")


def marked_answer(text: str) -> str:
    """The answer in a model's text: the part that it marked, or else the whole text."""
    text = without_thoughts(text)
    opens = _OPENS.search(text)
    return _CLOSES.sub("", text[opens.end() :] if opens else text).strip()


class AnswerGrowth:
    """The growing answer to one question, through all its completions.

    `has_heard` once pieces of the current completion came, `has_shown` once people saw some of
    what the model marked as its answer. Nothing is shown where `show` is None. After an answer that
    broke off, what people saw stays until as much of the next one can be shown.
    """

    def __init__(self, show: ShowDraft | None) -> None:
        self._show = show
        self._least = 0
        self.begin("")

    def begin(self, text: str) -> None:
        """Begin a completion; it continues the answer that begins with `text`."""
        self.has_heard = self.has_shown = False
        self._shown = ""
        self._said = ThoughtFilter()
        self._begin_text()
        self._append(text)

    def _begin_text(self) -> None:
        self._text = ""
        self._losses = self._said.losses
        self._answer_at = -1
        self._tail = ""
        self._recites = False

    @property
    def is_open(self) -> bool:
        """Whether pieces may be shown."""
        return self._show is not None

    def break_off(self, note: str) -> str:
        """The current completion broke off: what was shown of it stays, with a note below.

        Returns what was shown.
        """
        kept, self._least = self._shown, len(self._shown)
        if self._show and kept:
            self._show(f"{kept}\n\n{note}")
        return kept

    def hear(self, piece: str) -> None:
        """Take the next piece that the model wrote, and show what may be shown."""
        self.has_heard = True
        self._append(piece)
        if self._show is None or self._recites:
            return
        safe = self._safe_text()
        if len(safe) <= self._least:
            return
        if self._answer_at >= 0 and safe:
            self.has_shown = self._present(safe) or self.has_shown
        elif len(safe) > PREAMBLE_CHARS:
            self._present(safe)

    def _take_back(self) -> None:
        if self._show and self._shown:
            self._show("")
        self._shown, self._least, self.has_shown = "", 0, False

    def _present(self, safe: str) -> bool:
        assert self._show is not None
        shown = self._show(safe)
        self._shown = safe if shown else self._shown
        return shown

    def _append(self, piece: str) -> None:
        self._said.feed(piece)
        if self._said.losses > self._losses:
            # All of it so far was a thought: who read of it reads no more of it from now on.
            self._begin_text()
            self._take_back()
        piece = self._said.text[len(self._text) :]
        self._text += piece
        # With the tail, this has every run that ends in the piece.
        run = self._tail + letters_of(piece)
        self._recites = self._recites or recites_run(run)
        self._tail = run[-RUN_LETTERS + 1 :]
        if self._answer_at < 0 and (opens := _OPENS.search(self._text)):
            self._answer_at = opens.end()

    def _safe_text(self) -> str:
        """The answer without its end, which may be the beginning of a recital."""
        text = self._text[max(self._answer_at, 0) :]
        end, letters = len(text), 0
        while end and letters < RUN_LETTERS:
            end -= 1
            letters += len(letters_of(text[end]))
        return _UNFINISHED.sub("", text[:end]).strip()
