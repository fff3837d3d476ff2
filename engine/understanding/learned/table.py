"""What the router has learned: the playbooks' requests, the tools, and talk, as classes of text."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Any

from engine.frames.intents import Candidate
from engine.playbooks.leaf import Leaf
from engine.playbooks.model import PlaybookFile, Request, pattern_kinds
from engine.ports.library import Document
from engine.text.entities import fold, fold_cue
from engine.text.entity_kinds import Entities, PatternKind, entities_of
from engine.tools.model import Tool
from engine.understanding.learned.classifier import Classifier, Example, Scores
from engine.understanding.learned.domain import DomainWords, texts_of_fields, words_of
from engine.understanding.learned.lessons import (
    ELSEWHERE,
    QUESTION,
    SMALLTALK,
    STATEMENT,
    Lessons,
    first_word,
    normalize,
    opening_of,
    tokens,
)
from engine.understanding.learned.politeness import strip_politeness
from engine.understanding.learned.talk import Talk
from engine.understanding.lookups.examples import index_examples
from engine.understanding.lookups.find import cue_found
from engine.understanding.lookups.sections import index_sections

ANCHORED = 4
"""In so many examples of a playbook stands what tells that a text is of its work."""

CUED = 1.0
"""What a cue of a playbook weighs beside the words, as it is what asks for its work."""

OWN_CUE = 0.25
"""What it weighs besides for those requests that have it in an example, together."""

EXAMPLES_EACH = 30
"""A playbook with few examples needs only one, and one more for each so many that it has."""

OFTEN = 5
"""A cue asks for a request where one of so many of its examples has it, whatever else it means."""

TOLD_OFTEN = 4
"""A request takes reports of what does not work, or undoes things, where one of so many of its
examples does."""

_Taught = tuple[str, str, tuple[str, ...], bool]
"""A route, a group, texts of it, and whether they are names."""

_TOPIC = ("关于", "至于", "对于", "有关")
"""What begins so names what it is about, though its first character may open requests."""


@dataclass(frozen=True, slots=True)
class Route:
    """A playbook as people ask for it; `cues` are words that ask for work."""

    playbook: str
    names: tuple[str, ...]
    requests: tuple[Request, ...]
    cues: tuple[str, ...]


class RouteTable:
    """The routes, a classifier that has learned their examples, and the documents' sections.

    `sections` are those of all documents; `fields` are, by group (`playbook/request`), what the
    request's forms ask for, and all of its playbook's where that is not said; `day_cues` the cues
    of the days and times among them.
    """

    def __init__(
        self,
        playbooks: Mapping[str, PlaybookFile],
        tools: Sequence[Tool[Any]],
        talk: Talk,
        documents: Sequence[Document] = (),
        fields: Mapping[str, Sequence[Leaf]] | None = None,
    ) -> None:
        self.routes = tuple(
            Route(name, d.name.texts, d.requests, d.cues) for name, d in playbooks.items()
        )
        self.talk = talk
        self.day_cues = {group: _day_cues(leaves) for group, leaves in (fields or {}).items()}
        self._fields = fields or {
            f"{name}/{each.id}": tuple(d.data_fields.values())
            for name, d in playbooks.items()
            for each in d.requests
        }
        self.sums = frozenset(name for name, d in playbooks.items() if _asks_for_one_sum(d))
        """The playbooks whose numbers are one amount of money."""
        answers = tuple(tool for tool in tools if tool.is_answer and not tool.roles)
        self.sections = index_sections(tuple(documents), answers)
        self.entity_kinds = pattern_kinds(playbooks.values())
        self._tools = tuple(tool for tool in tools if tool.readonly)
        self.cues = tuple(fold_cue(cue) for route in self.routes for cue in route.cues)
        self._field_names = cache(self._name_fields)

    def learn(self) -> None:
        """Do now what is otherwise done for the first message."""
        self.classifier.scores("")
        self.foreign_words(self.correct_typos("begins"))
        self.nearest("", self.examples[0].group)
        index_examples(self._tools, self.entities)
        self.verbatim.get("")
        self.word_shares("")
        self.lessons.troubled.get("")
        cue_found("", (*self.cues, *(cue for tool in self._tools for cue in tool.cues)))

    @property
    def learned(self) -> bool:
        """Whether the router has been used with it, or `learn` was called."""
        return "lessons" in self.__dict__

    @cached_property
    def lessons(self) -> Lessons:
        """What the examples teach; a process learns the same examples once."""
        return _lessons_of(self._taught, self.entity_kinds)

    @cached_property
    def entities(self) -> Entities:
        """What the examples, and texts, may name by the form of its id."""
        return entities_of(self.entity_kinds)

    def normalize(self, text: str) -> str:
        """An example as it is compared: marked, folded, without politeness."""
        return normalize(self.entities.marked(text))

    @property
    def classifier(self) -> Classifier:
        """Learned at the first use."""
        return self.lessons.classifier

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        """Every example, with its route."""
        return _examples_of(self._taught)

    @cached_property
    def _taught(self) -> tuple[_Taught, ...]:
        return tuple(self._teach())

    def _teach(self) -> Iterator[_Taught]:
        for route in self.routes:
            for request in route.requests:
                group = f"{route.playbook}/{request.id}"
                yield route.playbook, group, request.examples, False
                # Beside a request of the same playbook a name may have the other's words.
                if len(route.requests) == 1:
                    yield route.playbook, group, tuple(request.name.texts), True
        for tool in self._tools:
            yield QUESTION, tool.name, tool.examples, False
        for texts, route_name in (
            (self.talk.questions, QUESTION),
            (self.talk.smalltalk, SMALLTALK),
            (self.talk.statements, STATEMENT),
            (self.talk.elsewhere, ELSEWHERE),
        ):
            yield route_name, f"talk/{route_name}", texts, False

    @property
    def verbatim(self) -> Mapping[str, frozenset[str]]:
        """The groups (`playbook/request`, a tool, talk) that each example is one of."""
        return self.lessons.verbatim

    @property
    def request_verbs(self) -> frozenset[str]:
        """English words that requests and questions begin with: verbs, not nouns."""
        return self.lessons.request_verbs

    def nearest(self, said: str, group: str) -> str:
        """The example of the group that has most in common with a folded text."""
        own = tokens(said)
        every, where = self.lessons.by_group[group], self.lessons.places[group]
        common = Counter(chain.from_iterable(where.get(word, ()) for word in own))
        size = len(own)
        alike = [(n / (every[at][0] + size - n), -at) for at, n in common.items()]
        return every[-max(alike, default=(0.0, 0))[1]][1]

    def nearest_question(self, said: str, scores: Scores) -> str:
        """The example question that has most in common with a folded text."""
        groups = self.lessons.question_groups
        return self.nearest(said, max(groups, key=lambda name: (scores.groups[name], name)))

    def foreign_words(self, said: str) -> tuple[str, ...]:
        """What of a folded text only examples of work that nobody here does have."""
        every = self.lessons.tokens
        others = [counted for name, counted in every.items() if name != ELSEWHERE]
        away = every[ELSEWHERE]
        words = sorted(tokens(said))
        return tuple(w for w in words if away[w] and not any(c[w] for c in others))

    def anchor_words(self, said: str, playbook: str) -> tuple[str, ...]:
        """What of a folded text is of this playbook's work, and hardly of anybody else's."""
        every = self.lessons.tokens
        own, away = every[playbook], every[ELSEWHERE]
        others = self._words_of_others(playbook)
        enough = min(ANCHORED, 1 + self.lessons.sizes[playbook] // EXAMPLES_EACH)
        often = [w for w in tokens(said) if own[w] >= enough]
        telling = tuple(
            w
            for w in often
            if w not in self.request_verbs
            and own[w] >= 6 * away[w]
            and own[w] >= 2 * sum(c[w] for c in others)
        )
        # A verb tells it where nobody else's work is asked for by it.
        return telling or tuple(w for w in often if not away[w] and not any(c[w] for c in others))

    @cached_property
    def trouble_groups(self) -> frozenset[str]:
        """The requests (`playbook/request`) that take reports of what does not work, by their
        examples.
        """
        return self._told_often(self.lessons.troubled)

    @cached_property
    def undoes(self) -> bool:
        """Whether the work of a request is to cancel, stop or take back, by its examples."""
        return bool(self._told_often(self.lessons.undoing))

    def _told_often(self, told: Mapping[str, int]) -> frozenset[str]:
        return frozenset(
            f"{route.playbook}/{each.id}"
            for route in self.routes
            for each in route.requests
            if told[f"{route.playbook}/{each.id}"] * TOLD_OFTEN >= len(each.examples) > 0
        )

    def asking_cues(self, said: str, playbook: str) -> tuple[str, ...]:
        """The cues of a folded text by which alone a request of the playbook is often asked for."""
        own, others = set[str](), set[str]()
        for route in self.routes:
            cues = own if route.playbook == playbook else others
            cues.update(map(fold_cue, route.cues))
        found = cue_found(said, tuple(own - others))
        return tuple(cue for cue in sorted(found) if self._asks_often(cue, playbook))

    def _asks_often(self, cue: str, playbook: str) -> bool:
        every = self.lessons.said_by_group
        texts = (every[group].split("\n") for group in every if group.startswith(f"{playbook}/"))
        return any(
            OFTEN * sum(bool(cue_found(line, (cue,))) for line in lines) >= len(lines)
            for lines in texts
        )

    def _words_of_others(self, playbook: str) -> list[Counter[str]]:
        """The words of each other playbook's examples; one that asks for no work has none."""
        every, names = self.lessons.tokens, (route.playbook for route in self.routes)
        return [every[name] for name in names if name != playbook and name in every]

    def begins_request(self, said: str) -> bool:
        """The folded text opens as a request or a question does."""
        said, _ = strip_politeness(said)
        if said.startswith(_TOPIC):
            return False
        if said[:1] in self.lessons.openings or self._is_verb(first_word(said)):
            return True
        return self.begins_with_cue(said)

    def _is_verb(self, word: str) -> bool:
        stem = word.removesuffix("ing")
        return word in self.request_verbs or (
            stem != word and bool({stem, f"{stem}e", stem[:-1]} & self.request_verbs)
        )

    def begins_with_cue(self, said: str) -> bool:
        """The folded text opens with a word that asks for work."""
        said, _ = strip_politeness(said)
        lengths, cues = self._cue_lengths
        return any(said[:n] in cues and _starts(said, said[:n]) for n in lengths)

    def cue_places(self, said: str) -> Iterator[int]:
        """Where words that ask for work stand in a folded text."""
        # Few of them stand in it at all.
        for cue in [cue for cue in self.cues if cue in said]:
            at = said.find(cue)
            while at >= 0:
                if not (
                    cue[0].isascii() and at and said[at - 1].isalpha() and said[at - 1].isascii()
                ):
                    yield at
                at = said.find(cue, at + 1)

    def says_like(self, said: str, playbook: str) -> bool:
        """Whether an example of the playbook has these words as they stand."""
        return said in self.lessons.said_by_route.get(playbook, "")

    def binds(self, said: str) -> bool:
        """Whether an example of a playbook has these words as they stand, joined as they are."""
        return bool(said) and any(self.says_like(said, route.playbook) for route in self.routes)

    @cached_property
    def _cue_lengths(self) -> tuple[tuple[int, ...], frozenset[str]]:
        return tuple({len(cue) for cue in self.cues}), frozenset(self.cues)

    def correct_typos(self, said: str) -> str:
        """The folded text with slips of the pen made good, where an example has a word so near."""
        return self.lessons.correct_typos(said)

    def playbook(self, name: str) -> Route | None:
        """The route of that playbook; None for the other routes."""
        return self._by_playbook.get(name)

    @cached_property
    def _by_playbook(self) -> Mapping[str, Route]:
        return {route.playbook: route for route in reversed(self.routes)}

    def phases_of(self, group: str) -> tuple[str, ...] | None:
        """The phases of the request of that group (`playbook/request`), () for all of them.

        None when it cannot be done.
        """
        name, _, request = group.partition("/")
        route = self.playbook(name)
        requests = route.requests if route else ()
        return next((r.phases for r in requests if r.id == request and not r.not_yet), None)

    def matches_request(self, group: str, said: str) -> bool:
        """Whether an example of that group has a cue of the folded text, or opens as it does."""
        if self._has_any(group, cue_found(said, self.cues)):
            return True
        return opening_of(said) in self.lessons.openings_of(group)

    def has_cue(self, group: str, said: str) -> bool:
        """Whether an example of that group has a cue of the folded text."""
        return self._has_any(group, cue_found(said, self.cues))

    def _has_any(self, group: str, cues: Sequence[str]) -> bool:
        return bool(cue_found(self.lessons.said_by_group.get(group, ""), cues))

    def has_word(self, group: str, word: str) -> bool:
        """Whether an example of that group has a word."""
        return word in tokens(self.lessons.said_by_group.get(group, ""))

    def candidates(self, scores: Scores, *, least: float, limit: int = 3) -> tuple[Candidate, ...]:
        """What a text may mean, the likeliest first: requests of playbooks, or a question."""
        found = [(scores.routes[QUESTION], "")]
        for group, score in scores.groups.items():
            if score >= least and self.playbook(group.partition("/")[0]):
                found.append((score, group))
        found.sort(key=lambda each: -each[0])
        return tuple(_candidate(group, score) for score, group in found[:limit] if score >= least)

    def begins_with_field(self, group: str, said: str) -> bool:
        """Whether a folded text begins with what a field of the request is called."""
        return said.startswith(self._field_names(group))

    def field_labels(self, group: str) -> frozenset[str]:
        """What people read for the request's fields, in every language."""
        leaves = self._fields.get(group, ())
        return frozenset(text for leaf in leaves for text in leaf.label.texts)

    def _name_fields(self, group: str) -> tuple[str, ...]:
        leaves = self._fields.get(group, ())
        bare = (leaf.model_copy(update={"options": {}, "entity": ""}) for leaf in leaves)
        return tuple(texts_of_fields(bare))

    def word_shares(self, said: str) -> Mapping[str, float]:
        """By request, how much the words of a folded, marked text tell of it: of its examples,
        names and cues, and of what its forms ask for.
        """
        shares = dict(self._domain.shares(said))
        for route in self.routes:
            if cues := cue_found(said, route.cues):
                groups = [f"{route.playbook}/{each.id}" for each in route.requests]
                # Of which request a cue is, its examples tell.
                meant = [group for group in groups if self._has_any(group, cues)]
                for group in groups:
                    weight = CUED / len(groups) + (OWN_CUE / len(meant) if group in meant else 0.0)
                    shares[group] = shares.get(group, 0.0) + weight
        return shares

    @cached_property
    def _domain(self) -> DomainWords:
        return _domain_of(self.lessons, tuple(self._named_requests()))

    def _named_requests(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """By request, its playbook's names and cues, and the texts of what its forms ask for."""
        for route in self.routes:
            for each in route.requests:
                group = f"{route.playbook}/{each.id}"
                names = map(fold, (*route.names, *route.cues, *each.name.texts))
                yield group, (*names, *texts_of_fields(self._fields.get(group, ())))

    def rival_words(self, said: str, playbook: str) -> tuple[str, ...]:
        """What of a folded text another playbook has, and this one, with few examples, not."""
        every = self.lessons.tokens
        if self.lessons.sizes[playbook] >= EXAMPLES_EACH:
            return ()
        others = self._words_of_others(playbook)
        words = sorted(tokens(said) - self.request_verbs)
        return tuple(w for w in words if not every[playbook][w] and any(o[w] for o in others))


@lru_cache(maxsize=2)
def _examples_of(taught: tuple[_Taught, ...]) -> tuple[Example, ...]:
    return tuple(
        Example(text, route, group, is_name)
        for route, group, texts, is_name in taught
        for text in texts
    )


@lru_cache(maxsize=2)
def _lessons_of(taught: tuple[_Taught, ...], kinds: tuple[PatternKind, ...]) -> Lessons:
    return Lessons(_examples_of(taught), entities_of(kinds))


@lru_cache(maxsize=2)
def _domain_of(lessons: Lessons, named: tuple[tuple[str, tuple[str, ...]], ...]) -> DomainWords:
    """A process weighs the words of the same examples and requests once."""
    requests = dict(named)
    bare, places = lessons.bare, lessons.places
    every = (
        (name, words_of((*bare.get(name, ()), *requests.get(name, ())), places.get(name, ())))
        for name in dict.fromkeys((*places, *requests))
    )
    return DomainWords(every, requests)


def _day_cues(leaves: Iterable[Leaf]) -> frozenset[str]:
    timed = (leaf for leaf in leaves if leaf.type in ("date", "time"))
    return frozenset(fold_cue(cue) for leaf in timed for cue in leaf.cues)


def _asks_for_one_sum(definition: PlaybookFile) -> bool:
    kinds = [each.type for each in definition.data_fields.values()]
    return kinds.count("money") == 1 and not {"integer", "number", "list"} & {*kinds}


def _candidate(group: str, score: float) -> Candidate:
    if not group:
        return Candidate(kind="qa_query", score=score)
    playbook, _, request = group.partition("/")
    return Candidate(kind="workflow", playbook=playbook, request=request, score=score)


def _starts(said: str, cue: str) -> bool:
    behind = said[len(cue) : len(cue) + 1]
    inside = cue[-1].isascii() and behind.isascii() and behind.isalpha()
    return said.startswith(cue) and not inside
