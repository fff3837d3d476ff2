"""Search in documents: SQLite's full-text index in memory, ranked by BM25."""

import asyncio
import sqlite3
import threading
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

from engine.errors import DefinitionError, ToolFailed
from engine.ports.library import Document, Quote, Section, Serves
from engine.text.search_words import query_words, words

SHARE = 0.3
"""A passage with less of a query's weight than this share does not answer it."""

CANDIDATES = 50

MAX_ROOMS = 32
"""So many sets of playbooks keep their index."""

_Shelf = tuple[str, str]
"""A playbook, and the project that it names."""

MAX_CACHED = 128
"""So many unchanged documents are not read again when another one has changed."""

_CREATE = "CREATE VIRTUAL TABLE passages USING fts5(title, section, text, content='')"
_FIND = (
    "SELECT rowid, bm25(passages, 1.0, 3.0, 1.0) AS rank FROM passages"
    " WHERE passages MATCH ? ORDER BY rank, rowid LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class _Passage:
    document: Document
    section: Section
    text: str
    words: frozenset[str]
    columns: tuple[str, str, str]


class DocumentSearch:
    """The knowledge port over documents that were loaded, all of which may be replaced at once.

    Those are indexed when they are first searched, or replaced.

    Chinese is indexed by pairs of characters, since SQLite's own tokenizers take a whole run of
    characters for one word, or find nothing shorter than three of them.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self._shelves = _shelves(documents)
        self._rooms = OrderedDict[frozenset[_Shelf], _Room]()
        self._is_closed = False
        # No index is closed while it is searched.
        self._lock = threading.Lock()

    async def search(self, serves: Serves, query: str, *, limit: int = 3) -> Sequence[Quote]:
        """The passages of these playbooks that answer the query, best first; none if nothing does.

        Whatever the query holds is looked for as words; raises ToolFailed once closed.
        """
        return await asyncio.to_thread(self._search, serves, query, limit)

    def _search(self, serves: Serves, query: str, limit: int) -> Sequence[Quote]:
        with self._lock:
            if self._is_closed:
                raise ToolFailed("knowledge.away")
            own = frozenset(shelf for shelf in self._shelves if serves(*shelf))
            return self._room(own).search(query, limit) if own else ()

    async def section(self, serves: Serves, document: str, heading: str) -> Quote | None:
        """The whole section of the document (`playbook/file`); None when it is not there."""
        with self._lock:
            own = (shelf for shelf in self._shelves if serves(*shelf))
            found = (each for shelf in own for each in self._shelves[shelf])
            return next(
                (
                    _quote(each, section, "\n".join(section.paragraphs), 1.0)
                    for each in found
                    if _name(each) == document
                    for section in each.sections
                    if section.heading == heading
                ),
                None,
            )

    def replace(self, documents: Sequence[Document]) -> None:
        """Search in these from now on; for a thread, since those of the projects that playbooks
        name are indexed first.
        """
        shelves = _shelves(documents)
        rooms = OrderedDict((own, _index(own, shelves)) for own in _wings(shelves))
        with self._lock:
            old, self._rooms, self._shelves = self._rooms, rooms, shelves
            for room in old.values():
                room.close()

    def close(self) -> None:
        """No search after this one is answered."""
        with self._lock:
            self._is_closed = True
            for room in self._rooms.values():
                room.close()

    def _room(self, own: frozenset["_Shelf"]) -> "_Room":
        """The index of these playbooks; of the many that may be asked for, the last are kept."""
        room = self._rooms.get(own) or _index(own, self._shelves)
        self._rooms[own] = room
        self._rooms.move_to_end(own)
        while len(self._rooms) > MAX_ROOMS:
            self._rooms.popitem(last=False)[1].close()
        return room


class _Room:
    """The index of some playbooks, so that how rare a word is there says nothing of others."""

    def __init__(self, documents: Iterable[Document]) -> None:
        documents = list(documents)
        self._passages = [passage for d in documents for passage in _passages_of(d)]
        self._having = Counter(word for passage in self._passages for word in passage.words)
        # Threads take turns: SQLite itself serialises what they ask of one connection.
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        try:
            self._db.execute(_CREATE)
        except sqlite3.OperationalError as error:
            raise DefinitionError(f"Python's SQLite has no full-text search: {error}") from error
        rows = ((n, *passage.columns) for n, passage in enumerate(self._passages))
        insert = "INSERT INTO passages (rowid, title, section, text) VALUES (?, ?, ?, ?)"
        self._db.executemany(insert, rows)

    def search(self, query: str, limit: int) -> Sequence[Quote]:
        """The best passages, each with its score against the best."""
        terms = query_words(query)
        if not terms:
            return ()
        expression = " OR ".join(f'"{term}"' for term in terms)
        try:
            rows = self._db.execute(_FIND, (expression, CANDIDATES)).fetchall()
        except sqlite3.Error as error:
            raise ToolFailed("knowledge.away") from error
        found = [(self._passages[n], -rank) for n, rank in rows if self._answers(n, terms)]
        best = max((score for _, score in found), default=0.0)
        return [
            _quote(passage.document, passage.section, passage.text, score / best)
            for passage, score in found[:limit]
        ]

    def close(self) -> None:
        """No search after this one is answered."""
        self._db.close()

    def _answers(self, number: int, terms: Sequence[str]) -> bool:
        # A word that no passage has weighs as much as one that a single passage has.
        having = {term: max(1, self._having[term]) for term in terms}
        weights = {term: log(1 + len(self._passages) / n) for term, n in having.items()}
        own = self._passages[number].words
        return sum(w for t, w in weights.items() if t in own) >= SHARE * sum(weights.values())


@lru_cache(maxsize=MAX_CACHED)
def _passages_of(document: Document) -> tuple[_Passage, ...]:
    """The passages of a document, in order."""
    return tuple(
        _index_passage(document, section, text)
        for section in document.sections
        for text in section.passages()
    )


def _index_passage(document: Document, section: Section, text: str) -> _Passage:
    columns = [words(each) for each in (document.title, section.heading, text)]
    title, heading, body = (" ".join(column) for column in columns)
    return _Passage(
        document, section, text, frozenset[str]().union(*columns), (title, heading, body)
    )


def _shelves(documents: Sequence[Document]) -> dict[_Shelf, tuple[Document, ...]]:
    own = dict.fromkeys((document.playbook, document.project) for document in documents)
    return {shelf: tuple(d for d in documents if (d.playbook, d.project) == shelf) for shelf in own}


def _wings(shelves: Collection[_Shelf]) -> Collection[frozenset[_Shelf]]:
    """The playbooks of each project that one of them names; all of them where none does."""
    named = {project for _, project in shelves} - {""} or {""}
    found = (frozenset(each for each in shelves if each[1] in ("", p)) for p in sorted(named))
    return dict.fromkeys(own for own in found if own)


def _index(own: Collection[_Shelf], shelves: Mapping[_Shelf, Sequence[Document]]) -> _Room:
    return _Room([document for shelf in sorted(own) for document in shelves[shelf]])


def _name(document: Document) -> str:
    return f"{document.playbook}/{document.file}"


def _quote(document: Document, section: Section, text: str, score: float) -> Quote:
    return Quote(
        document=_name(document),
        title=document.title,
        section=section.heading,
        text=text,
        link=document.link(section),
        score=round(score, 3),
    )
