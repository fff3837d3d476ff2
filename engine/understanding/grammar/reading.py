"""A sentence read by the grammar: what is politeness around it, and what holds it back."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.text.entities import fold
from engine.understanding.grammar import en, zh
from engine.understanding.grammar.rule import Role, Rule
from engine.understanding.grammar.slips import SLIPS

TABLES: tuple[tuple[Rule, ...], ...] = (en.RULES, zh.RULES)
"""A table for each language; a further language is a file, and a name here."""

MARKS: tuple[Role, ...] = (
    *("reason", "undo", "off", "hang", "say", "tell", "past", "ask", "maybe"),
)
"""Roles of what stands beside what is asked for, and says something about it."""

SIGNS: tuple[Role, ...] = ("wish", "seek", "cancel", "retract", "chat", "trouble")
"""Roles that say something of the whole text, wherever they stand in it."""

KEPT = 1024
"""So many readings of stretches are kept."""

_TAIL_CHARS = 90
_MOST_PEELED = 12
_SPACE = re.compile(r"[\s,，.。:：;；!！~…—*()（）\-]")
_PICTURE = re.compile(
    "[\U0001f000-\U0001f6aa\U0001f6ac-\U0001faff\u2600-\u2610\u2612-\u2704\u2706-\u2713]"
    "|[\u2715-\u274b\u274d-\u27bf\ufe0f]"
)
"""Those but for the signs that say no, or that it is done."""

_BULLET = re.compile(
    r"#[0-9]{1,2}(?![0-9])|\[(?!x\])|[\]【】\"'•·□]|(?<![0-9])[0-9]{1,2}[.)、．）](?![0-9])"
)
_WORD = re.compile(r"[a-z]+")
_PARTICLE = re.compile(r"(?<![什怎多])[吗么]$|呢$|不$")


@dataclass(frozen=True, slots=True)
class Core:
    """Where what is asked for stands in a text; `favour`: it was asked for as one."""

    start: int
    end: int
    favour: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """A turn of phrase that holds back what stands beside it, and where."""

    role: Role
    start: int
    end: int


# Several ask for the text of one message, one behind the other.
@lru_cache(maxsize=64)
def level(text: str) -> str:
    """The text folded letter by letter, so that places in it are places in the text."""
    return text.lower() if text.isascii() else "".join(map(_fold_letter, text))


@lru_cache(maxsize=8192)
def _fold_letter(letter: str) -> str:
    folded = fold(letter)
    return folded if len(folded) == 1 else letter


class Grammar:
    """The rules of all languages, put together for reading."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        every = tuple(rules)
        self._favours = _at_start(every, "favour")
        self._openings = _at_start(every, "opening")
        self._closings = _at_end(every, "closing")
        self._tags = _at_end(every, "tag")
        self._inquiries = _at_start(every, "inquiry")
        self._inquiry_ends = _at_end(every, "inquiry")
        self._marks = tuple((role, _anywhere(every, role)) for role in MARKS)
        self._signs = {role: _anywhere(every, role) for role in SIGNS}
        # The same stretches are asked for again and again while a message is read.
        self.core = lru_cache(maxsize=KEPT)(self._core)
        self.asked = lru_cache(maxsize=KEPT)(self._find_asked)
        self.marks = lru_cache(maxsize=KEPT)(self._find_marks)

    def _core(self, said: str) -> Core:
        """What a leveled text is about, politeness taken away at both ends."""
        start, favour = self._peel_start(said)
        end, tagged = self._peel_end(said, start, favour=favour)
        return Core(start, end, favour or tagged)

    def _find_asked(self, said: str) -> Core | None:
        """What a leveled text asks that says before or behind it that it asks; None for others.

        Its question mark is left out. It is empty where nothing else is said.
        """
        start, opened = self._peel_inquiry(said)
        end, closed = len(said), False
        for _ in range(_MOST_PEELED):
            bare = _trim_end(said, start, end, asked=True)
            low = max(start, bare - _TAIL_CHARS)
            inquiry = self._inquiry_ends.search(said, low, bare)
            found = inquiry or self._closings.search(said, low, bare)
            if not found:
                particle = _PARTICLE.search(said, max(start, bare - 2), bare) if opened else None
                end = particle.start() if particle else bare
                break
            end, closed = found.start(), closed or bool(inquiry)
        return Core(start, max(start, end), False) if opened or closed else None

    def _peel_inquiry(self, said: str) -> tuple[int, bool]:
        """Where what is asked begins, and whether something before it says that it is."""
        at, opened = 0, False
        for _ in range(_MOST_PEELED):
            at = _skip_marks(said, at)
            inquiry = self._inquiries.match(said, at)
            every = (inquiry, self._favours.match(said, at), self._openings.match(said, at))
            ends = [found.end() for found in every if found]
            if not ends:
                break
            at = max(ends)
            opened = opened or bool(inquiry and inquiry.end() == at)
        return at, opened

    def _find_marks(self, said: str) -> tuple[Mark, ...]:
        """What holds back in a leveled text, also where its word is mistyped.

        What is only wished for politely hangs on nothing, and that something does not work is no
        work done, where something is wished for behind it: 灯不亮了，麻烦报修.
        """
        every = [
            Mark(role, *found.span()) for role, form in self._marks for found in form.finditer(said)
        ]
        slips = ((SLIPS.get(found[0]), found) for found in _WORD.finditer(said))
        every += [Mark(role, *found.span()) for role, found in slips if role]
        last = max((found.start() for found in self._signs["wish"].finditer(said)), default=0)
        faults = [found.span() for found in self._signs["trouble"].finditer(said, 0, last)]
        every = [mark for mark in every if mark.role != "past" or not _ends_one(mark, faults)]
        reasons = [mark for mark in every if mark.role == "reason"]
        return tuple(
            mark
            for mark in every
            if mark.role != "hang"
            or not any(each.start <= mark.start <= each.end for each in reasons)
        )

    def says(self, role: Role, said: str) -> bool:
        """Whether a folded text has one of the `SIGNS`."""
        return bool(self._signs[role].search(said))

    def is_prelude(self, said: str) -> bool:
        """Whether a leveled text is nothing but politeness, or says only that it asks."""
        core, asked = self.core(said), self.asked(said)
        return core.start >= core.end or (asked is not None and asked.start >= asked.end)

    def without_politeness(self, parts: str) -> str:
        """Those of several parts, with a comma between them, that are more than politeness."""
        kept = []
        for part in parts.split(", "):
            core = self.core(level(part))
            if part[core.start : core.end].strip(" ?!."):
                kept.append(part)
        return ", ".join(kept)

    def parts(self, text: str) -> list[tuple[str, str]]:
        """What each part of a text was read as: politeness, its matter, what holds it back."""
        said = level(text)
        core = self.core(said)
        about = said[core.start : core.end]
        found = [
            ("politeness", text[: core.start].strip()),
            ("about", text[core.start : core.end]),
            ("politeness", text[core.end :].strip()),
        ]
        found += [
            (mark.role, text[core.start + mark.start : core.start + mark.end])
            for mark in sorted(self.marks(about), key=lambda mark: mark.start)
        ]
        return [(role, part) for role, part in found if part]

    def _peel_start(self, said: str) -> tuple[int, bool]:
        at, favour = 0, False
        for _ in range(_MOST_PEELED):
            at = _skip_marks(said, at)
            asked, opened = self._favours.match(said, at), self._openings.match(said, at)
            ends = [found.end() for found in (asked, opened) if found]
            if not ends:
                break
            at = max(ends)
            favour = favour or bool(asked and asked.end() == at)
        return at, favour

    def _peel_end(self, said: str, start: int, *, favour: bool) -> tuple[int, bool]:
        end, tagged = len(said), False
        for _ in range(_MOST_PEELED):
            before = end
            low = max(start, end - _TAIL_CHARS)
            end = _trim_end(said, start, end)
            bare = _trim_end(said, start, end, asked=True)
            if tag := self._tags.search(said, low, bare):
                end, tagged = tag.start(), True
            elif (bare == end or favour or tagged) and (
                closing := self._closings.search(said, low, bare)
            ):
                end = closing.start()
            elif favour or tagged:
                particle = _PARTICLE.search(said, max(low, bare - 2), bare)
                end = particle.start() if particle else bare
            if end == before:
                break
        return max(end, start), tagged


def _ends_one(mark: Mark, places: Sequence[tuple[int, int]]) -> bool:
    """Whether a mark stands within one of these places, or right behind it."""
    return any(start <= mark.start <= end for start, end in places)


def _skip_marks(said: str, at: int) -> int:
    """Where what is said goes on behind marks, pictures, bullets and numbers of a list."""
    while found := (_SPACE.match(said, at) or _PICTURE.match(said, at) or _BULLET.match(said, at)):
        at = found.end()
    return at


def _trim_end(said: str, start: int, end: int, *, asked: bool = False) -> int:
    """Where what is said ends before marks and pictures; with `asked` question marks too."""
    while end > start:
        last = said[end - 1]
        if not (_SPACE.match(last) or _PICTURE.match(last) or (asked and last in "?？")):
            break
        end -= 1
    return end


def _forms(rules: Sequence[Rule], role: Role) -> str:
    # All ways beside each other, none in groups: those that begin otherwise cost little.
    return "|".join(rule.form for rule in rules if rule.role == role) or "(?!)"


def _at_start(rules: Sequence[Rule], role: Role) -> re.Pattern[str]:
    # A Latin word ends where it ends.
    return re.compile(rf"(?:{_forms(rules, role)})(?:(?<![a-z])|(?![a-z0-9'’-]))")


def _at_end(rules: Sequence[Rule], role: Role) -> re.Pattern[str]:
    return re.compile(rf"(?:(?<![a-z0-9'’-])|(?![a-z]))(?:{_forms(rules, role)})$")


def _anywhere(rules: Sequence[Rule], role: Role) -> re.Pattern[str]:
    return re.compile(_forms(rules, role))


GRAMMAR = Grammar(rule for table in TABLES for rule in table)
"""The rules of every language."""
