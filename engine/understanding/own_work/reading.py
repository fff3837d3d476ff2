"""A question about work is read against what there is: whose words explain it, and what it asks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from engine.frames.intents import WorkQuestion
from engine.text import wording
from engine.text.entities import fold
from engine.text.entity_kinds import NamedEntity
from engine.text.search_words import stem
from engine.understanding.own_work import words
from engine.understanding.own_work.naming import (
    holds_name,
    is_asked_for,
    is_like,
    names_word,
    points_somewhere,
    remove_words,
    unexplained,
)
from engine.understanding.own_work.subjects import CHINESE, LATIN, WorkSubject, WorkVocabulary

MAX_CHARS = 200
MOST = 3
"""So many requests are told of, the newest first; who asks for so many things asks for all."""


@dataclass(frozen=True, slots=True)
class _Match:
    """How a question fits a subject; `left` is what nothing explains.

    It is a guess where nothing is named, and only the kind of a value says which is asked for.
    """

    subject: WorkSubject
    paths: tuple[str, ...]
    strength: int
    left: str
    own_words: int = 0
    named: int = 0
    is_other: bool = False
    is_known: bool = False
    is_guess: bool = False


@dataclass(frozen=True, slots=True)
class WorkLink:
    """How near a text is to a request or case; `is_named` by words of its own, not by its form."""

    key: str
    strength: int
    is_named: bool
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkReader:
    """What questions may be about: the person's requests, the newest first, and their cases.

    `others` are words of requests that may be asked for, and of which the person has none. `named`
    is what the message names; what is asked of one thing is no question about another.
    """

    subjects: tuple[WorkSubject, ...] = ()
    others: tuple[WorkSubject, ...] = ()
    today: date = field(default=date.min)
    named: tuple[NamedEntity, ...] = ()

    def read(self, text: str, *, loosely: bool = False) -> WorkQuestion | None:
        """What the text asks of which; None where words of it stay unexplained.

        `loosely`, the nearest is taken, as long as something of it is named.
        """
        said = _as_read(text)
        if not said or len(text.strip()) > MAX_CHARS:
            return None
        if _asks_for_several(said) and any(e.is_here or e.is_case for e in self.subjects):
            return None
        aspects = _aspects(said)
        asks = wording.asks(said)
        if not asks and (wording.writes(said) or not aspects & words.STRONG):
            return None
        matches = [self._match(said, each, aspects) for each in self.subjects]
        fitting = [m for m in matches if self._fits(m, said, aspects, loosely=loosely)]
        if not fitting:
            return self._none(said, aspects, loosely=loosely)
        return _question(fitting, aspects)

    def explains(self, text: str) -> bool:
        """Whether what `read` takes of the text is all that it says."""
        return not words.QUALIFIES.search(_as_read(text))

    def names_other(self, said: str, known: str) -> bool:
        """Whether the folded text names things, and none of them is in the folded text `known`."""
        here = [each for each in self.named if holds_name(said, fold(each.text))]
        return bool(here) and not any(
            holds_name(known, fold(name)) for each in here for name in (each.id, each.text)
        )

    def rank(self, text: str) -> tuple["WorkLink", ...]:
        """How near the text is to each subject, the nearest first, the newest of those alike."""
        said = _as_read(text)
        aspects = _aspects(said)
        matches = [self._match(said, each, aspects) for each in self.subjects]
        links = [WorkLink(m.subject.key, m.strength, _is_named(m), m.paths) for m in matches]
        return tuple(sorted(links, key=lambda link: link.strength, reverse=True))

    def _fits(
        self, match: _Match, said: str, aspects: frozenset[words.Aspect], *, loosely: bool
    ) -> bool:
        told = match.paths or aspects & words.STRONG
        if not (told or (match.own_words and aspects & {"who", "when"})):
            return False
        if match.is_other or (match.subject.is_case and not match.paths):
            return False
        if not match.left and not match.is_guess:
            return True
        return loosely and (match.own_words > 0 or match.is_known or not match.left)

    def _none(
        self, said: str, aspects: frozenset[words.Aspect], *, loosely: bool
    ) -> WorkQuestion | None:
        """That there is no such request, where the words are surely about one."""
        decided = aspects & words.DECIDED
        if decided and (loosely or not self._match(said, WorkSubject(key=""), aspects).left):
            return WorkQuestion(keys=())
        if not aspects & words.STRONG or not words.OWN.search(said):
            return None
        for other in self.others:
            match = self._match(said, other, aspects)
            if match.own_words and not match.left:
                return WorkQuestion(keys=(), about=other.key)
        return None

    def _match(self, said: str, subject: WorkSubject, aspects: frozenset[words.Aspect]) -> _Match:
        rest, values = _without_values(said, subject)
        paths, rest = _fields_in(said, subject, rest)
        named = frozenset(paths)
        rest, own = _without_words(rest, subject.vocabulary)
        is_guess = False
        if not paths and not aspects & words.STRONG:
            paths = _typed_fields(said, subject)
            is_guess = bool(paths) and not words.ALL.search(said)
        if not paths and (own or values) and _asks_for_all(said, aspects):
            paths = tuple(f.path for f in subject.fields if f.is_known)
        for _, pattern in words.ASPECTS:
            rest = pattern.sub(" ", rest)
        left, short = unexplained(rest, subject.letters)
        own += short
        known = {f.path for f in subject.fields if f.is_known}
        strength = 12 * values + 3 * own + 4 * len(named & known)
        strength += 2 * _suits(subject, aspects) + subject.is_here
        strength += 2 * (subject.is_put_forward and bool(aspects & words.DECIDED))
        is_other = not values and any(holds_name(said, value) for value in subject.other_values)
        is_other = is_other or self.names_other(said, subject.named)
        is_known = bool(known & named)
        is_guess = is_guess and not (own or values)
        return _Match(
            subject,
            paths,
            strength,
            left,
            own_words=own + values,
            named=len(named),
            is_other=is_other,
            is_known=is_known,
            is_guess=is_guess,
        )


def _question(fitting: Sequence[_Match], aspects: frozenset[words.Aspect]) -> WorkQuestion:
    """The best matches, the newest of those that are alike first."""
    best = max(match.strength for match in fitting)
    top = [match for match in fitting if match.strength == best]
    # Of one value there is one answer, of how things stand one for each.
    most = 1 if top[0].paths or aspects & {"reason", "rejected", "cancelled"} else MOST
    chosen = top[:most]
    return WorkQuestion(
        keys=tuple(match.subject.key for match in chosen),
        paths=chosen[0].paths,
        aspects=tuple(sorted(aspects)),
        more=len(top) - len(chosen),
    )


def pointing_words(text: str) -> str:
    """The words of a question that are not those of any question about work, folded."""
    return unexplained(_as_read(text), frozenset())[0]


def _as_read(text: str) -> str:
    """The text folded, without quotations, and no longer than a question."""
    return words.SLURRED.sub(r"\1's", fold(wording.unquoted(text))).strip()[:MAX_CHARS]


def _aspects(said: str) -> frozenset[words.Aspect]:
    return frozenset(a for a, pattern in (*words.ASPECTS, *words.APART) if pattern.search(said))


def _is_named(match: _Match) -> bool:
    return match.own_words > 0 or match.named > 0


def _asks_for_all(said: str, aspects: frozenset[words.Aspect]) -> bool:
    """Whether the question is about the matter itself: "what did I claim?", "who do we sue?"."""
    if aspects & words.STRONG:
        return False
    return bool("who" in aspects or words.DID.search(said))


def _asks_for_several(said: str) -> bool:
    """Whether one value, or one request, would leave out most of what is asked for."""
    return bool(words.WIDE.search(said)) or len(words.ASKING_WORD.findall(said)) >= MOST


def _suits(subject: WorkSubject, aspects: frozenset[words.Aspect]) -> int:
    """Whether the request has what is asked for, such as a reason."""
    end = subject.end
    if "rejected" in aspects:
        return int(end in ("rejected", "refused", "failed"))
    if "cancelled" in aspects:
        return int(end in ("cancelled", "withdrawn", "expired"))
    if "missing" in aspects:
        return int(end is None)
    if "reason" in aspects and not subject.is_case:
        return int(end not in (None, "done"))
    return 0


def _without_values(said: str, subject: WorkSubject) -> tuple[str, int]:
    """The text without what the request is about, and how much of that it names."""
    count = 0
    for value in subject.known_values:
        if holds_name(said, value):
            said, count = said.replace(value, " "), count + 1
    return said, count


def _fields_in(whole: str, subject: WorkSubject, said: str) -> tuple[tuple[str, ...], str]:
    """The fields that the text names best, and what is `said` of it without their names.

    What names most of a field's words goes first, and of these whole names.
    """
    for each in subject.fields:
        if (
            sum(any(holds_name(whole, fold(name)) for name in option) for option in each.options)
            > 1
        ):
            return (each.path,), said
    spoken = {stem(word): word for word in LATIN.findall(said)}
    pairs = {run[i : i + 2] for run in CHINESE.findall(said) for i in range(len(run))}
    scored: list[tuple[float, str, frozenset[str]]] = []
    for named, vocabularies in subject.by_name:
        for name, vocabulary in zip(map(fold, named.names), vocabularies, strict=True):
            if holds_name(said, name) and (points_somewhere(name) or is_asked_for(said, name)):
                size = len(LATIN.findall(name)) or len(name) / 2
                scored.append((size + 1.5, named.path, frozenset((name,))))
                continue
            hits = {w for w in spoken if any(is_like(w, known) for known in vocabulary.latin)}
            hits |= vocabulary.pairs & pairs
            if hits:
                size = len(vocabulary.latin) + len(vocabulary.pairs)
                texts = frozenset(spoken.get(hit, hit) for hit in hits)
                scored.append((len(hits) + len(hits) / size, named.path, texts))
    if not scored:
        return (), said
    best = max(score for score, *_ in scored)
    chosen = [each for each in scored if each[0] == best]
    for text in sorted({t for _, _, texts in chosen for t in texts}, key=len, reverse=True):
        said = remove_words(said, text)
    return tuple(dict.fromkeys(path for _, path, _ in chosen))[:MOST], said


def _typed_fields(said: str, subject: WorkSubject) -> tuple[str, ...]:
    """The fields whose kind of value is asked for: how much, which days; or all of them."""
    hints = (
        (words.MONEY, ("money",)),
        (words.DAYS, ("date", "time")),
        (words.NUMBERS, ("integer", "number")),
    )
    for pattern, types in hints:
        if pattern.search(said):
            found = tuple(f.path for f in subject.fields if f.type in types and f.is_known)
            if found:
                return found[:MOST]
    if words.ALL.search(said):
        return tuple(f.path for f in subject.fields if f.is_known)
    return ()


def _without_words(said: str, vocabulary: WorkVocabulary) -> tuple[str, int]:
    """The text without the words of the request, and how many these were."""
    found = [w for w in LATIN.findall(said) if names_word(stem(w), vocabulary, w)]
    for word in set(found):
        said = remove_words(said, word)
    count = len(set(found))

    def spare(run: re.Match[str]) -> str:
        nonlocal count
        text = run[0]
        hits = [i for i in range(len(text) - 1) if text[i : i + 2] in vocabulary.pairs]
        count += len(hits)
        taken = {i + k for i in hits for k in (0, 1)}
        return "".join(" " if i in taken else c for i, c in enumerate(text))

    return CHINESE.sub(spare, said), count
