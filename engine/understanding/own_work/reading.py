"""A question about work is read against what there is: whose words explain it, and what it asks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from engine.frames.intents import WorkQuestion
from engine.text import wording
from engine.text.entities import fold, fold_cue
from engine.text.entity_kinds import NamedEntity
from engine.text.search_words import stem
from engine.understanding.own_work import words
from engine.understanding.own_work.kinds import first_of_kind, of_wanted_kind
from engine.understanding.own_work.naming import (
    has_like,
    holds_name,
    is_asked_for,
    names_word,
    points_somewhere,
    remove_words,
    unexplained,
)
from engine.understanding.own_work.subjects import CHINESE, LATIN, WorkSubject, WorkVocabulary

MAX_CHARS = 200
SHORTEST = 4
"""So many characters ask for a reason and nothing more."""

MOST = 3
"""So many requests are told of, the newest first; who asks for so many things asks for all."""


@dataclass(frozen=True, slots=True)
class _Match:
    """How a question fits a subject; `left` is what nothing explains.

    `letters` of its `own_words` are single characters, which may be of any word.
    It is a guess where nothing is named, and only the kind of a value says which is asked for.
    """

    subject: WorkSubject
    paths: tuple[str, ...]
    strength: int
    left: str
    own_words: int = 0
    named: int = 0
    distinct: int = 0
    letters: int = 0
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


@dataclass(frozen=True)
class WorkReader:
    """What questions may be about: the person's requests, the newest first, and their cases.

    `others` are words of requests that may be asked for, and of which the person has none. `named`
    is what the message names; what is asked of one thing is no question about another.
    """

    subjects: tuple[WorkSubject, ...] = ()
    others: tuple[WorkSubject, ...] = ()
    today: date = field(default=date.min)
    named: tuple[NamedEntity, ...] = ()
    _kept: dict[str, tuple[_Match, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def read(self, text: str, *, loosely: bool = False) -> WorkQuestion | None:
        """What the text asks of which; None where words of it stay unexplained.

        `loosely`, the nearest is taken, as long as something of it is named.
        """
        said = _as_read(text)
        if not said or len(text.strip()) > MAX_CHARS:
            return None
        if _asks_for_several(said) and self.knows_here:
            return None
        aspects = _aspects(said)
        asks = wording.asks(said)
        if not asks and (wording.writes(said) or not aspects & words.STRONG):
            return None
        matches = self._matches(said, aspects)
        fitting = [m for m in matches if self._fits(m, said, aspects, loosely=loosely)]
        if not fitting:
            return self._none(said, aspects, loosely=loosely)
        if self._leaves_open_why(said, fitting, aspects):
            return None
        return _question(fitting, aspects, asks_what=bool(words.WHAT.search(said)))

    def explains(self, text: str, work: WorkQuestion) -> bool:
        """Whether what `read` takes of the text is all that it says.

        A value, such as a weight, is not only what was asked for elsewhere and is not named here.
        """
        said = _as_read(text)
        if words.QUALIFIES.search(said):
            return False
        asked = [each for each in self.subjects if work.paths and each.key in work.keys]
        matches = (self._match(said, each, frozenset()) for each in asked if not each.is_here)
        return all(match.own_words > match.letters for match in matches)

    def names_other(self, said: str, known: str) -> bool:
        """Whether the folded text names things, and none of them is in the folded text `known`."""
        here = [each for each in self.named if holds_name(said, fold(each.text))]
        return bool(here) and not any(
            holds_name(known, fold(name)) for each in here for name in (each.id, each.text)
        )

    @cached_property
    def people(self) -> WorkVocabulary:
        """Who has to do with any of it: whoever is asked for decided this, or something else."""
        return WorkVocabulary.of(text for each in self.subjects for text in each.people)

    @property
    def knows_here(self) -> bool:
        """Whether anything is known that was asked for in this conversation, or of its case."""
        return any(each.is_here or each.is_case for each in self.subjects)

    def rank(self, text: str) -> tuple["WorkLink", ...]:
        """How near the text is to each subject, the nearest first, the newest of those alike."""
        said = _as_read(text)
        aspects = _aspects(said)
        matches = self._matches(said, aspects)
        links = [WorkLink(m.subject.key, m.strength, _is_named(m), m.paths) for m in matches]
        return tuple(sorted(links, key=lambda link: link.strength, reverse=True))

    def _leaves_open_why(
        self, said: str, fitting: Sequence[_Match], aspects: frozenset[words.Aspect]
    ) -> bool:
        """Whether a reason is asked for, of one among several requests, and of no refusal."""
        if aspects & words.STRONG != {"reason"} or len(said) <= SHORTEST:
            return False
        several = sum(not subject.is_case for subject in self.subjects) > 1
        return several and not any(m.paths or m.own_words > m.letters for m in fitting)

    def _fits(
        self, match: _Match, said: str, aspects: frozenset[words.Aspect], *, loosely: bool
    ) -> bool:
        told = match.paths or aspects & words.STRONG
        dated = any(f.is_known and f.type in ("date", "time") for f in match.subject.fields)
        if not (
            told or (match.own_words and ("who" in aspects or ("when" in aspects and not dated)))
        ):
            return False
        if match.is_other or (match.subject.is_case and not match.paths):
            return False
        if not match.left and not match.is_guess:
            return True
        return loosely and (match.own_words > 0 or match.is_known or not match.left)

    def _none(
        self, said: str, aspects: frozenset[words.Aspect], *, loosely: bool
    ) -> WorkQuestion | None:
        """That there is no such request, where the words are surely about one.

        `loosely`, it is enough that somebody asks of their own what was decided.
        """
        is_own = bool(words.OWN.search(said))
        loosely = loosely and is_own
        decided = aspects & words.DECIDED
        is_of_none = all(self.names_other(said, each.named) for each in self.subjects)
        plain = self._without_named(said) if is_of_none else said
        if decided and (loosely or not self._match(plain, WorkSubject(key=""), aspects).left):
            return WorkQuestion(keys=())
        if not aspects & words.STRONG or not is_own:
            return None
        for other in self.others:
            match = self._match(said, other, aspects)
            if match.own_words and not match.left:
                return WorkQuestion(keys=(), about=other.key)
        return None

    def _without_named(self, said: str) -> str:
        """The text without what it names."""
        for text in sorted((fold(each.text) for each in self.named), key=len, reverse=True):
            said = said.replace(text, " ")
        return " ".join(said.split())

    def _matches(self, said: str, aspects: frozenset[words.Aspect]) -> tuple[_Match, ...]:
        """How the text fits each of the subjects."""
        if said not in self._kept:
            self._kept[said] = tuple(self._match(said, each, aspects) for each in self.subjects)
        return self._kept[said]

    def _match(self, said: str, subject: WorkSubject, aspects: frozenset[words.Aspect]) -> _Match:
        rest, values = _without_values(said, subject)
        paths, rest = _fields_in(said, subject, rest)
        named = frozenset(paths)
        rest, own = _without_words(rest, subject.vocabulary)
        rest = _without_words(rest, self.people)[0]
        distinct = _without_words(said, subject.own_vocabulary)[1]
        distinct += any(holds_name(said, value) for value in subject.own_values_as_compared)
        is_guess = False
        if not paths and not aspects & words.STRONG:
            paths = _typed_fields(said, subject, is_named=distinct > 0)
            is_guess = bool(paths) and not words.ALL.search(said)
        if not paths and (own or values) and _asks_for_all(said, aspects):
            paths = tuple(f.path for f in subject.fields if f.is_known)
        for _, pattern in words.ASPECTS:
            rest = pattern.sub(" ", rest)
        left, short = unexplained(rest, subject.letters)
        own += short
        known = {f.path for f in subject.fields if f.is_known}
        # A single character may be one of any word.
        strength = 12 * values + 3 * (own - short) + short + 4 * len(named & known)
        own_paths = {f.path for f in subject.fields if f.is_own}
        strength += 2 * distinct + 3 * bool(own_paths & {*paths})
        strength += 2 * _suits(subject, aspects) + subject.is_here
        strength += 2 * (subject.is_put_forward and bool(aspects & words.DECIDED))
        is_other = not values and any(holds_name(said, value) for value in subject.other_values)
        is_other = is_other or self.names_other(said, subject.named)
        if not (values or named or distinct):
            is_other = is_other or _without_words(said, subject.sibling_vocabulary)[1] > 0
        is_known = bool(known & named)
        is_guess = is_guess and not (own > short or values)
        return _Match(
            subject,
            paths,
            strength,
            left,
            own_words=own + values,
            named=len(named),
            distinct=distinct,
            letters=short,
            is_other=is_other,
            is_known=is_known,
            is_guess=is_guess,
        )


def _own_known(chosen: Sequence[_Match], *, asks_what: bool) -> tuple[str, ...]:
    """What the one request that is meant has itself, where that is asked for."""
    if len(chosen) > 1 or not asks_what or not chosen[0].distinct:
        return ()
    return tuple(f.path for f in chosen[0].subject.fields if f.is_own and f.is_known)


def _question(
    fitting: Sequence[_Match], aspects: frozenset[words.Aspect], *, asks_what: bool
) -> WorkQuestion:
    """The best matches, the newest of those that are alike first."""
    best = max(match.strength for match in fitting)
    top = [match for match in fitting if match.strength == best]
    # Of one value there is one answer, of how things stand one for each.
    most = 1 if top[0].paths or aspects & {"reason", "rejected", "cancelled"} else MOST
    chosen = top[:most]
    if not chosen[0].paths and not any(match.distinct for match in chosen):
        # What is named by itself goes before whom people ask: did she approve this, or that?
        chosen = [*(m for m in fitting if m.distinct and m not in top), *chosen][:MOST]
    return WorkQuestion(
        keys=tuple(match.subject.key for match in chosen),
        paths=chosen[0].paths or _own_known(chosen, asks_what=asks_what),
        aspects=tuple(sorted(aspects)),
        more=0 if chosen[0].paths else max(0, len(top) - len(chosen)),
    )


def pointing_words(text: str) -> str:
    """The words of a question that are not those of any question about work, folded."""
    return unexplained(_as_read(text), frozenset())[0]


def aspects_of(text: str) -> frozenset[words.Aspect]:
    """What is asked of a request: how it stands, what was decided, why, by whom, when."""
    return _aspects(_as_read(text))


def _as_read(text: str) -> str:
    """The text folded, without quotations, and no longer than a question."""
    return words.SLURRED.sub(r"\1's", fold(wording.unquoted(text))).strip()[:MAX_CHARS]


def _aspects(said: str) -> frozenset[words.Aspect]:
    found = {a for a, pattern in (*words.ASPECTS, *words.APART) if pattern.search(said)}
    # Who asks for both is told of all; what was refused alone is none of it.
    return frozenset(found - {"rejected"} if words.BOTH.search(said) else found)


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
    for each in subject.with_options:
        named = (any(holds_name(whole, fold_cue(n)) for n in names) for names in each.options)
        if sum(named) > 1:
            return (each.path,), said
    spoken = {stem(word): word for word in LATIN.findall(said)}
    pairs = {run[i : i + 2] for run in CHINESE.findall(said) for i in range(len(run))}
    scored: list[tuple[float, str, frozenset[str]]] = []
    for each, name, vocabulary in subject.by_name:
        if holds_name(said, name) and (points_somewhere(name) or is_asked_for(said, name)):
            size = len(LATIN.findall(name)) or len(name) / 2
            scored.append((size + 1.5, each.path, frozenset((name,))))
            continue
        hits = {word for word in spoken if has_like(vocabulary, word)}
        hits |= vocabulary.pairs & pairs
        if hits:
            size = len(vocabulary.latin) + len(vocabulary.pairs)
            texts = frozenset(spoken.get(hit, hit) for hit in hits)
            scored.append((len(hits) + len(hits) / size, each.path, texts))
    if not scored:
        return (), said
    best = max(score for score, *_ in scored)
    chosen = [each for each in scored if each[0] == best]
    for text in sorted({t for _, _, texts in chosen for t in texts}, key=len, reverse=True):
        said = remove_words(said, text)
    paths = tuple(dict.fromkeys(path for _, path, _ in chosen))[:MOST]
    near = [path for _, path, _ in sorted(scored, key=lambda each: each[0], reverse=True)]
    return of_wanted_kind(paths, tuple(dict.fromkeys(near)), subject.fields, whole)[:MOST], said


def _typed_fields(said: str, subject: WorkSubject, *, is_named: bool) -> tuple[str, ...]:
    """The fields whose kind of value is asked for: how much, which days; or all of them."""
    if found := first_of_kind(said, subject.fields, is_named=is_named, most=MOST):
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
