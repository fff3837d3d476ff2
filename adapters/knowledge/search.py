"""Search in documents: SQLite's full-text index in memory, ranked by BM25."""

import asyncio
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

from engine.errors import DefinitionError, ToolFailed
from engine.ports.library import Document, Quote, Section
from engine.text.search_words import query_words, words

SHARE = 0.3
"""A passage with less of a query's weight than this share does not answer it."""

CANDIDATES = 50

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

    Chinese is indexed by pairs of characters, since SQLite's own tokenizers take a whole run of
    characters for one word, or find nothing shorter than three of them.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self._rooms = _rooms(documents)
        # No index is closed while it is searched.
        self._lock = threading.Lock()

    async def search(self, project: str, query: str, *, limit: int = 3) -> Sequence[Quote]:
        """The passages of the project that answer the query, best first; none when nothing does.

        Whatever the query holds is looked for as words; raises ToolFailed once closed.
        """
        return await asyncio.to_thread(self._search, project, query, limit)

    def _search(self, project: str, query: str, limit: int) -> Sequence[Quote]:
        with self._lock:
            room = self._rooms.get(project)
            return room.search(query, limit) if room else ()

    async def section(self, project: str, document: str, heading: str) -> Quote | None:
        """The whole section of the document (`playbook/file`); None when it is not there."""
        with self._lock:
            room = self._rooms.get(project)
            return room.section(document, heading) if room else None

    def replace(self, documents: Sequence[Document]) -> None:
        """Search in these from now on; for a thread, since they are indexed first."""
        rooms = _rooms(documents)
        with self._lock:
            old, self._rooms = self._rooms, rooms
            for room in old.values():
                room.close()

    def close(self) -> None:
        """No search after this one is answered."""
        with self._lock:
            for room in self._rooms.values():
                room.close()


class _Room:
    """The index of one project, so that how rare a word is there says nothing of another."""

    def __init__(self, documents: Iterable[Document]) -> None:
        documents = list(documents)
        self._sections = {(_name(d), s.heading): (d, s) for d in documents for s in d.sections}
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

    def section(self, document: str, heading: str) -> Quote | None:
        """The whole section of that heading."""
        found = self._sections.get((document, heading))
        return _quote(*found, "\n".join(found[1].paragraphs), 1.0) if found else None

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


def _rooms(documents: Sequence[Document]) -> dict[str, _Room]:
    return {
        project: _Room([d for d in documents if d.project == project])
        for project in sorted({document.project for document in documents})
    }


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
