"""What the router has learned: the playbooks' requests, the tools, and talk, as classes of text."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from engine import wording
from engine.entities import SUBJECT_MARK, fold, fold_cue, subject_ids
from engine.intents import Candidate
from engine.lookup import cue_found
from engine.playbooks.model import PlaybookFile, Request
from engine.router.classifier import Classifier, Example, Scores
from engine.router.plea import plea
from engine.router.talk import Talk
from engine.tools.model import Tool

QUESTION, SMALLTALK, STATEMENT, ELSEWHERE = "qa_query", "smalltalk", "statement", "elsewhere"
"""Routes beside the playbooks: to know something, talk, things told, work that nobody here does."""

FIRST = 0.25
"""A word that begins so large a share of the examples it stands in is a verb."""

ANCHORED = 4
"""In so many examples of a playbook stands what tells that a text is of its work."""

EXAMPLES_EACH = 30
"""A playbook with few examples needs only one, and one more for each so many that it has."""

LONG = 5
"""A shorter word is taken as it is written."""

_LATIN = re.compile(r"[a-z][a-z'-]*")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_CHINESE_RUN = re.compile(r"[\u3400-\u9fff]+")
_BY = frozenset("按照用以从在这那我要需")
_SMALL_WORDS = frozenset(
    re.findall(r"\w+", "a an the of for to in on at with and or my our his her this that all")
)


@dataclass(frozen=True, slots=True)
class Route:
    """A playbook as people ask for it; `cues` are words that ask for work."""

    playbook: str
    names: tuple[str, str]
    requests: tuple[Request, ...]
    cues: tuple[str, ...]


class RouteTable:
    """The routes and a classifier that has learned their examples."""

    def __init__(
        self, playbooks: Mapping[str, PlaybookFile], tools: Sequence[Tool[Any]], talk: Talk
    ) -> None:
        self.routes = tuple(
            Route(name, (d.name.zh, d.name.en), d.requests, d.cues) for name, d in playbooks.items()
        )
        self.talk = talk
        self._tools = tuple(tool for tool in tools if tool.readonly)
        self.cues = tuple(fold_cue(cue) for route in self.routes for cue in route.cues)

    def learn(self) -> None:
        """Do now what is otherwise done for the first message."""
        self.classifier.scores("")
        self.foreign(self.mended("begins"))
        self.nearest("", self.examples[0].group)
        cue_found("", (*self.cues, *(cue for tool in self._tools for cue in tool.cues)))

    @property
    def learned(self) -> bool:
        """Whether the router has been used with it, or `learn` was called."""
        return "classifier" in self.__dict__

    @cached_property
    def classifier(self) -> Classifier:
        """Learned once, at the first use."""
        return _learned(self.examples)

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        """Every example, with its route."""
        return tuple(self._examples())

    def _examples(self) -> Iterable[Example]:
        for route in self.routes:
            for request in route.requests:
                group = f"{route.playbook}/{request.id}"
                yield from (Example(text, route.playbook, group) for text in request.examples)
        for tool in self._tools:
            yield from (Example(text, QUESTION, tool.name) for text in tool.examples)
        for texts, route_name in (
            (self.talk.questions, QUESTION),
            (self.talk.smalltalk, SMALLTALK),
            (self.talk.statements, STATEMENT),
            (self.talk.elsewhere, ELSEWHERE),
        ):
            yield from (Example(text, route_name, f"talk/{route_name}") for text in texts)

    @cached_property
    def heads(self) -> frozenset[str]:
        """English words that requests and questions begin with: verbs, not nouns."""
        texts = [e.text for e in self.examples if e.route not in (SMALLTALK, STATEMENT)]
        words = [_LATIN.findall(plain(text)) for text in texts]
        first = Counter(found[0] for found in words if found)
        every = Counter(word for found in words for word in found)
        often = (w for w, n in first.items() if n > 1 and n >= every[w] * FIRST)
        return frozenset(w for w in often if len(w) > 1 and w not in _SMALL_WORDS)

    @cached_property
    def _sizes(self) -> Counter[str]:
        """How many examples each route has."""
        return Counter(example.route for example in self.examples)

    @cached_property
    def _tokens(self) -> Mapping[str, Counter[str]]:
        """How many examples of each route have a word, or a pair of Chinese characters."""
        counted: dict[str, Counter[str]] = {}
        for example, words in _tokenized(self.examples):
            counted.setdefault(example.route, Counter()).update(words)
        return counted

    @cached_property
    def _by_group(self) -> Mapping[str, list[tuple[frozenset[str], str]]]:
        found: dict[str, list[tuple[frozenset[str], str]]] = {}
        for example, words in _tokenized(self.examples):
            found.setdefault(example.group, []).append((words, example.text))
        return found

    def nearest(self, said: str, group: str) -> str:
        """The example of the group that has most in common with a folded text."""
        own = tokens(said)
        every = self._by_group[group]
        return max(every, key=lambda one: len(one[0] & own) / (len(one[0] | own) or 1))[1]

    @cached_property
    def _question_groups(self) -> frozenset[str]:
        return frozenset(e.group for e in self.examples if e.route == QUESTION)

    def nearest_question(self, said: str, scores: Scores) -> str:
        """The example question that has most in common with a folded text."""
        groups = self._question_groups
        return self.nearest(said, max(groups, key=lambda name: (scores.groups[name], name)))

    def foreign(self, said: str) -> tuple[str, ...]:
        """What of a folded text only examples of work that nobody here does have."""
        others = [counted for name, counted in self._tokens.items() if name != ELSEWHERE]
        away = self._tokens[ELSEWHERE]
        return tuple(w for w in tokens(said) if away[w] and not any(c[w] for c in others))

    def anchors(self, said: str, playbook: str) -> tuple[str, ...]:
        """What of a folded text is of this playbook's work, and hardly of anybody else's."""
        own, away = self._tokens[playbook], self._tokens[ELSEWHERE]
        others = [self._tokens[r.playbook] for r in self.routes if r.playbook != playbook]
        enough = min(ANCHORED, 1 + self._sizes[playbook] // EXAMPLES_EACH)
        often = (w for w in tokens(said) if own[w] >= enough and w not in self.heads)
        return tuple(
            w for w in often if own[w] >= 6 * away[w] and own[w] >= 2 * sum(c[w] for c in others)
        )

    @cached_property
    def openings(self) -> frozenset[str]:
        """Chinese characters that many requests begin with."""
        first = Counter(
            plain(text)[:1]
            for route in self.routes
            for request in route.requests
            for text in request.examples
        )
        often = [c for c, n in first.items() if n > 3 and c not in _BY]
        return frozenset(c for c in often if _CHINESE.match(c))

    def begins(self, said: str) -> bool:
        """The folded text opens as a request or a question does."""
        said, _ = plea(said)
        word = _LATIN.match(said)
        if said[:1] in self.openings or (word and self._is_verb(word[0])):
            return True
        return self.begins_with_cue(said)

    def _is_verb(self, word: str) -> bool:
        stem = word.removesuffix("ing")
        return word in self.heads or (
            stem != word and bool({stem, f"{stem}e", stem[:-1]} & self.heads)
        )

    def begins_with_cue(self, said: str) -> bool:
        """The folded text opens with a word that asks for work."""
        said, _ = plea(said)
        return any(_starts(said, cue) for cue in self.cues)

    @cached_property
    def _words(self) -> frozenset[str]:
        """The English words that stand in more than one example."""
        seen = Counter(w for e in self.examples for w in set(_LATIN.findall(fold(e.text))))
        return frozenset(word for word, n in seen.items() if n > 1)

    @cached_property
    def _slips(self) -> Mapping[str, str]:
        """Words by what is left of them without one letter."""
        long = sorted(word for word in self._words if len(word) >= LONG)
        return {slip: word for word in long for slip in (word, *_shortened(word))}

    def mended(self, said: str) -> str:
        """The folded text with slips of the pen made good, where an example has a word so near."""
        return _LATIN.sub(lambda found: self._mended(found[0]), said)

    def _mended(self, word: str) -> str:
        if len(word) < LONG or word in self._words or not word.isalpha():
            return word
        near = [self._slips[slip] for slip in (word, *_shortened(word)) if slip in self._slips]
        return next((w for w in near if not (w.startswith(word) or word.startswith(w))), word)

    def playbook(self, name: str) -> Route | None:
        """The route of that playbook; None for the other routes."""
        return next((route for route in self.routes if route.playbook == name), None)

    def way(self, group: str) -> tuple[str, ...] | None:
        """The phases of the request of that group (`playbook/request`), () for all of them.

        None when it cannot be done.
        """
        name, _, request = group.partition("/")
        route = self.playbook(name)
        requests = route.requests if route else ()
        return next((r.phases for r in requests if r.id == request and not r.not_yet), None)

    def bids_so(self, group: str, said: str) -> bool:
        """Whether an example of that group has a cue of the folded text, or opens as it does."""
        name, _, request = group.partition("/")
        route = self.playbook(name)
        requests = (r for r in (route.requests if route else ()) if r.id == request)
        told = [plain(example) for r in requests for example in r.examples]
        cues, opening = cue_found(said, self.cues), _opening(said)
        return any(_opening(text) == opening or cue_found(text, cues) for text in told)

    def candidates(self, scores: Scores, *, least: float, limit: int = 3) -> tuple[Candidate, ...]:
        """What a text may mean, the likeliest first: requests of playbooks, or a question."""
        found = [Candidate(kind="qa_query", score=scores.routes[QUESTION])]
        for group, score in scores.groups.items():
            name, _, request = group.partition("/")
            if self.playbook(name):
                one = Candidate(kind="workflow", playbook=name, request=request, score=score)
                found.append(one)
        found.sort(key=lambda candidate: -candidate.score)
        return tuple(c for c in found[:limit] if c.score >= least)


@lru_cache(maxsize=2)
def _learned(examples: tuple[Example, ...]) -> Classifier:
    """Learning takes about a second: a process does it once for the same examples."""
    return Classifier(examples, [plain(example.text) for example in examples])


@lru_cache(maxsize=2)
def _tokenized(examples: tuple[Example, ...]) -> Sequence[tuple[Example, frozenset[str]]]:
    return [(example, tokens(plain(example.text))) for example in examples]


def tokens(said: str) -> frozenset[str]:
    """The words of a folded text, its pairs of neighbouring Chinese characters, and a subject."""
    words = [word for word in _LATIN.findall(said) if len(word) > 1]
    words += [SUBJECT_MARK] if subject_ids(said) else []
    runs = _CHINESE_RUN.findall(said)
    return frozenset(words).union(run[i : i + 2] for run in runs for i in range(len(run) - 1))


def _opening(said: str) -> str:
    """The first English word or the first two Chinese characters, without politeness."""
    bare = plea(said)[0].strip()
    word = _LATIN.match(bare)
    return word[0] if word else bare[:2]


def _starts(said: str, cue: str) -> bool:
    behind = said[len(cue) : len(cue) + 1]
    inside = cue[-1].isascii() and behind.isascii() and behind.isalpha()
    return said.startswith(cue) and not inside


def _shortened(word: str) -> list[str]:
    return [word[:at] + word[at + 1 :] for at in range(len(word))]


def plain(text: str) -> str:
    """A text as it is compared: folded, without what is quoted, and without politeness."""
    return plea(fold(wording.unquoted(text)))[0]
