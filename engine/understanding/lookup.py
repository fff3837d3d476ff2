"""Which read-only tool answers a text without a model, and with which arguments (promise 4)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from cards.model import Lang
from engine.frames.intents import Lookup
from engine.text import wording
from engine.text.entities import (
    MARKS,
    SUBJECT_MARK,
    dates,
    file_names,
    fold,
    fold_cue,
    masked,
    subject_ids,
)
from engine.text.language import suits_language
from engine.text.similarity import Grams, bigrams, cosine
from engine.text.values import remove_values
from engine.tools.model import Tool

MAX_QUERY = 500
LEANS_ON = 6
"""How many earlier texts a follow-up may lean on."""

_JUST_SUBJECT = re.compile(
    rf"(?:那|那么|还有|and|what about|how about)?\s*(?:for\s+)?{SUBJECT_MARK}\s*(?:呢\s*)?[?。.!]*"
)
_KEYWORDS = re.compile(
    r"的|最近|最新|上次|一次|访视|时候?|现在|当前|目前|数据|情况|结果|评分|记录|受试者|患者|在|和|与|及"
    r"|\b(?:of|the|for|at|on|in|and|latest|last|most|recent|current|visit|score|value|data|subject"
    r"|patient|please|s|a|an|all|how is|how was)\b|[\s■●◆▲,、.。!:;'’\"()&/-]"
)
_FILLERS = re.compile(
    rf"[{MARKS}的吗呢吧]|怎么样?|什么|多少|哪[些个]?|一下|请问"
    r"|\b(?:what|is|the|of|how|an?|to|do|does|did|are|there|me|please|for|in|i|can|s)\b"
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The text as looked at: folded without quotations, masked, and what it names."""

    text: str
    said: str
    clear: str
    subjects: tuple[str, ...]
    days: tuple[date, ...]
    files: tuple[str, ...]
    today: date


def find(
    text: str, tools: Sequence[Tool[Any]], *, today: date, recent: Sequence[str] = ()
) -> tuple[Lookup, str] | None:
    """The look-up that surely answers the text, and why; None when none does or several might.

    `recent` are the person's earlier texts, the newest last; only a follow-up leans on them.
    """
    asked = _look_at(text, today)
    found = _by_cue(asked, tools) or _by_example(asked, tools)
    if found or not wording.follows_up(asked.said):
        return found
    return next(
        (found for t in _continued(asked, recent) if (found := find(t, tools, today=today))), None
    )


def cue_found(text: str, cues: Sequence[str] | Mapping[str, Any]) -> list[str]:
    """The cues in a folded text; Latin ones only from the start of a word."""
    return [
        cue for cue in cues if (said := fold_cue(cue)) in text and _begins_with(said).search(text)
    ]


def suggestions(text: str, tools: Sequence[Tool[Any]], lang: Lang, n: int = 3) -> tuple[str, ...]:
    """The `n` example questions of that language nearest to the text, no two of them alike.

    With nothing in common, the first of each tool.
    """
    asked = _subject_matter(text)
    ranked: list[tuple[float, int, str]] = []
    for tool in tools:
        told = [e for e in tool.examples if tool.readonly and suits_language(e, lang)]
        ranked += [(-cosine(asked, _subject_matter(e)), i, e) for i, e in enumerate(told)]
    ranked.sort(key=lambda found: found[:2])
    kinds: dict[str, str] = {}
    for _, _, example in ranked:
        kinds.setdefault(_plain_example(example), example)
    return tuple(kinds.values())[:n]


def _subject_matter(text: str) -> Grams:
    """What the text is about, whoever and whenever it is about."""
    return bigrams(_FILLERS.sub(" ", masked(text, date(2000, 1, 1))))


def _look_at(text: str, today: date) -> _Asked:
    said = fold(wording.unquoted(text))
    return _Asked(
        text=text.strip(),
        said=said,
        clear=masked(said, today),
        subjects=subject_ids(text),
        days=dates(text, today),
        files=file_names(text),
        today=today,
    )


def _by_cue(asked: _Asked, tools: Sequence[Tool[Any]]) -> tuple[Lookup, str] | None:
    hits: list[tuple[int, Tool[Any], list[str]]] = []
    for tool in tools:
        cues = cue_found(asked.said, tool.cues) if tool.readonly else []
        if cues and _fits(tool, asked) and _is_request(asked, cues):
            hits.append((max(map(_width, cues)), tool, cues))
    hits.sort(key=lambda hit: -hit[0])
    if not hits or (len(hits) > 1 and hits[0][0] == hits[1][0]):
        return None
    _, tool, cues = hits[0]
    return Lookup(tool=tool.name, arguments=_arguments(tool, cues, asked)), (
        f"{tool.name}: says {', '.join(cues)}" + "".join(f", {s}" for s in asked.subjects)
    )


def _by_example(asked: _Asked, tools: Sequence[Tool[Any]]) -> tuple[Lookup, str] | None:
    """A question that is word for word an example but for its subject, days and numbers."""
    plain = _bare(asked.clear)
    for tool in tools:
        if not tool.readonly or not plain or not _takes(tool, asked):
            continue
        example = next((e for e in tool.examples if _plain_example(e) == plain), None)
        if example:
            lookup = Lookup(tool=tool.name, arguments=_arguments(tool, (), asked))
            return lookup, f"{tool.name}: like its example {example!r}"
    return None


def _fits(tool: Tool[Any], asked: _Asked) -> bool:
    """Whether the tool answers this kind of text, with all that the text names."""
    searches = "query" in tool.arguments.model_fields
    if wording.denies(asked.said) or not _takes(tool, asked):
        return False
    if searches:
        return wording.asks(asked.said) or not wording.writes(asked.said)
    return not (
        wording.writes(asked.said)
        or wording.asks_how(asked.said)
        or wording.conditional(asked.said)
        or wording.beyond_lookup(asked.said)
        or wording.vague_time(asked.clear)
    )


def _takes(tool: Tool[Any], asked: _Asked) -> bool:
    """Whether what the tool needs is named, and what is named the tool can take."""
    takes = tool.arguments.model_fields
    given = {
        "query": True,
        "subject_id": bool(asked.subjects),
        "visit_date": bool(asked.days),
        "name": len(asked.files) == 1,
    }
    if not all(given.get(need, False) for need in tool.needs):
        return False
    if asked.files and "name" not in takes:
        return False
    if asked.subjects and not {"subject_id", "subject_ids"} & set(takes):
        return False
    if len(asked.subjects) > 1 and "subject_ids" not in takes:
        return False
    if "visit_date" in takes:
        return len(asked.days) <= 1
    return set(asked.days) <= {asked.today}


def _is_request(asked: _Asked, cues: Sequence[str]) -> bool:
    """A question, a bidding, or bare key words; a value that is told is none of these."""
    if wording.asks(asked.said):
        return True
    if any(not cue_found(remove_values(asked.said, [fold_cue(cue)]), [cue]) for cue in cues):
        return False
    return wording.reads(asked.said) or not _left_over(asked.clear, cues)


def _left_over(clear: str, cues: Sequence[str]) -> str:
    for cue in sorted(cues, key=len, reverse=True):
        clear = _begins_with(fold_cue(cue)).sub(" ", clear)
    return _KEYWORDS.sub("", clear)


def _arguments(tool: Tool[Any], cues: Sequence[str], asked: _Asked) -> dict[str, Any]:
    """What the longest cues imply, and the entities; where cues disagree, the tool's default."""
    takes = tool.arguments.model_fields
    longest = [c for c in cues if not any(c != other and c in other for other in cues)]
    implied: dict[str, list[Any]] = {}
    for cue in longest:
        for name, value in tool.cues[cue].items():
            implied.setdefault(name, []).append(value)
    arguments = {name: v[0] for name, v in implied.items() if all(x == v[0] for x in v)}
    if "query" in takes:
        arguments.setdefault("query", asked.text[:MAX_QUERY])
    if "subject_ids" in takes and asked.subjects:
        arguments["subject_ids"] = list(asked.subjects)
    elif "subject_id" in takes and asked.subjects:
        arguments["subject_id"] = asked.subjects[0]
    if "name" in takes and asked.files:
        arguments["name"] = asked.files[0]
    if "visit_date" in takes and asked.days:
        arguments["visit_date"] = asked.days[0].isoformat()
    return arguments


def _continued(asked: _Asked, recent: Sequence[str]) -> list[str]:
    """What a follow-up means in full: the newest text about one subject lends what is missing."""
    recent = recent[-LEANS_ON:]
    for index in reversed(range(len(recent))):
        before = _in_full(recent[index], recent[:index], asked.today)
        subjects = subject_ids(before)
        if len(subjects) != 1:
            continue
        if not asked.subjects:
            return [f"{subjects[0]} {asked.text}"]
        if len(asked.subjects) == 1 and _JUST_SUBJECT.fullmatch(asked.clear):
            return [re.sub(subjects[0], asked.subjects[0], before, flags=re.IGNORECASE)]
    return []


def _in_full(text: str, recent: Sequence[str], today: date) -> str:
    """An earlier text with what it took itself from those before it."""
    asked = _look_at(text, today)
    leaning = not asked.subjects or _JUST_SUBJECT.fullmatch(asked.clear)
    if leaning and wording.follows_up(asked.said):
        return next(iter(_continued(asked, recent)), text)
    return text


def _width(cue: str) -> int:
    """Length as read: a Chinese character weighs two letters."""
    return sum(1 if c.isascii() else 2 for c in cue)


@lru_cache(maxsize=4096)
def _begins_with(cue: str) -> re.Pattern[str]:
    return re.compile((r"(?<![a-z0-9])" if cue[:1].isascii() else "") + re.escape(cue))


@lru_cache(maxsize=4096)
def _plain_example(example: str) -> str:
    return _bare(masked(example, date(2000, 1, 1)))


def _bare(clear: str) -> str:
    """A masked text without spaces and punctuation."""
    return re.sub(r"[\s,.;:!?。、'\"]+", "", clear)
