"""Whether a piece surely asks to start a playbook: never on a guess (spec 003, promise 4)."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from functools import lru_cache

from engine import wording
from engine.entities import MARKS, fold, fold_cue, masked
from engine.lookup import cue_found
from engine.router.model import Route, RouteContext
from engine.router.smalltalk import smalltalk
from engine.similarity import Grams, grams, nearest
from engine.values import without_values

WITH_CUE = 0.45
"""How like an example a piece with a cue word of the playbook must be."""

WITHOUT_CUE = 0.9
MARGIN = 0.05
"""How much nearer than any other playbook or question it must be."""

ONE_ODD_LETTER = 0.55
"""From here on one Chinese character that no example has is taken for a slip."""

_POLITE = re.compile(
    r"(?:\s|[,!~]|(?:能不能|可不可以|可以|可否|能否|能)(?=请|帮|麻烦)(?:请|麻烦)?你?|麻烦(?:你|您|帮我|帮忙)?|请(?:你|您)?"
    r"|帮(?:我|忙|我们)|劳驾|我(?:想|要|想要|需要|得|来)|我们(?:要|需要|来)|需要|给我|现在|马上|立即|先"
    r"|好的|你好|您好|那就?|接下来"
    r"|(?:please|pls|kindly|(?:could|can|would|will) you|i (?:want|need|have)(?: you)? to"
    r"|i(?: would|'d) like(?: you)? to|let's|lets|let us|let me|help me(?: to)?"
    r"|go ahead and|now|just|ok|okay|hi|hello|hey|time to|we need to|first)(?![a-z']))+"
)
_TAGS = re.compile(
    r"(?:[,\s]*(?:好吗|好不好|行吗|可以吗|可以么|吧|谢谢|多谢|哦|啊|呀|thanks|thank you|please"
    r"|ok|right now|now|for me|would you))+\s*[?.!。]*$"
)
_SMALL_WORDS = frozenset(
    re.findall(
        r"\w+", "a an the of for to in on at with and my our his her their its this that s data"
    )
)
_SMALL_LETTERS = frozenset("的了一下把给和在将对是为个吧") | frozenset(MARKS)
_VALUE_LIKE = re.compile(r"[0-9:]|(?:^|[^有])[无没]|\bno\b|\bnone\b")
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_LATIN = re.compile(r"[a-z][a-z']*")


@dataclass(frozen=True, slots=True)
class Start:
    """How a piece stands to the nearest playbook; `why` tells also what speaks against it."""

    playbook: str
    sure: bool
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class _Known:
    """What the examples of a playbook teach."""

    examples: tuple[str, ...]
    grams: tuple[Grams, ...]
    words: frozenset[str]
    heads: frozenset[str]
    pairs: frozenset[str]


def start(piece: str, context: RouteContext) -> Start:
    """The nearest playbook, and whether the piece surely asks to start it."""
    said, polite = _plea(fold(wording.unquoted(piece)))
    head, rest = _head(said, context)
    best = max((_score(head, r, context.today) for r in context.routes), default=None, key=_rank)
    if best is None or not head:
        return Start("", False, 0.0, "no playbook is like it")
    fault = _fault(said, head, rest, best, context, polite=polite)
    why = f"like {best.why!r} ({best.score:.2f})"
    return Start(best.playbook, not fault, best.score, f"{why}; {fault}" if fault else why)


def begins_with_cue(text: str, routes: Iterable[Route]) -> bool:
    """The text opens with a word that starts a playbook."""
    said, _ = _plea(fold(text))
    cues = [fold_cue(cue) for route in routes for cue in route.cues]
    return any(said.startswith(cue) and cue_found(said, [cue]) for cue in cues)


def _plea(said: str) -> tuple[str, bool]:
    """The text without politeness at either end, and whether a question mark was part of it."""
    begun = _unbegged(said)
    asked = bool(re.match(r".{0,8}?(?:能|可以|可否|can you|could you|would you|will you)", said))
    ended = _TAGS.sub("", begun)
    polite = (asked and begun != said) or ended != begun
    if polite:
        ended = re.sub(r"[吗么]?\s*[?]*\s*$", "", ended)
    return ended.strip(), polite


def _unbegged(said: str) -> str:
    begging = _POLITE.match(said)
    return said[begging.end() :] if begging else said


def _head(said: str, context: RouteContext) -> tuple[str, list[str]]:
    """The clause that bids, masked and without stated values; and the other clauses."""
    cues = [fold_cue(cue) for tool in context.tools for cue in tool.cues]
    spare = without_values(said, [*cues, "bp", "ae"])
    clauses = [c.strip() for c in re.split(r"(?<![0-9])[,:]|[,:](?![0-9])|[。!;\n]|\.\s", spare)]
    for index, clause in enumerate(clauses):
        plain = masked(_unbegged(clause), context.today)
        if plain.strip(MARKS + " .的") and not smalltalk(clause):
            rest = [c for c in clauses[index + 1 :] if c and not smalltalk(c)]
            return plain, rest
    return "", []


def _fault(
    said: str, head: str, rest: list[str], best: Start, context: RouteContext, *, polite: bool
) -> str:
    """What speaks against starting; "" when nothing does."""
    route = next(r for r in context.routes if r.playbook == best.playbook)
    known = _learn(route)
    head = _mended(head, known.words)
    cues = cue_found(head, route.cues)
    needed = WITH_CUE if cues else WITHOUT_CUE
    fields = [cue for tool in context.tools for cue in tool.cues]
    # In the order of what they cost: the first that holds is told, the rest is not looked at.
    checks: tuple[tuple[Callable[[], bool], str], ...] = (
        (lambda: best.score < needed, f"below {needed}"),
        (lambda: wording.denies(said), "it holds off"),
        (lambda: wording.conditional(said), "it has a condition"),
        (lambda: wording.told(said), "it tells of something"),
        (lambda: wording.asks_how(said) or wording.asks(said), "it asks"),
        (lambda: wording.reads(head), "it bids to show something"),
        (lambda: not _bids(head, known.heads), "it does not begin like a request"),
        (lambda: _rival(head, best, context) > best.score - MARGIN, "another request is as near"),
        (lambda: not all(_is_value(c, fields) for c in rest), "there is more in it than values"),
    )
    fault = next((fault for holds, fault in checks if holds()), "")
    odd = "" if fault else _odd(head, known, best.score)
    return f"no example has {odd!r}" if odd else fault


def _score(head: str, route: Route, today: date) -> Start:
    known = _learn(route)
    score, index = nearest(grams(_mended(head, known.words)), known.grams)
    return Start(route.playbook, False, score, route.examples[index] if index >= 0 else "")


def _rank(found: Start) -> float:
    return found.score


def _rival(head: str, best: Start, context: RouteContext) -> float:
    text = grams(head)
    others = [_learn(r).grams for r in context.routes if r.playbook != best.playbook]
    others += [_gramed(tool.examples) for tool in context.tools]
    return max((nearest(text, examples)[0] for examples in others), default=0.0)


def _bids(head: str, heads: frozenset[str]) -> bool:
    """English requests begin with a verb that an example begins with; Chinese ones need not."""
    words = _LATIN.findall(head)
    noun = words[1:2] == ["of"]  # "the record of", "a log of"
    return bool(_CHINESE.search(head)) or (words[:1] != [] and words[0] in heads and not noun)


def _odd(head: str, known: _Known, score: float) -> str:
    """What no example explains; one Chinese character is let pass as a slip."""
    words = [w for w in _LATIN.findall(head) if w not in known.words and w not in _SMALL_WORDS]
    letters = "".join(_unknown(run, known.pairs) for run in _CHINESE.findall(head))
    if words or len(letters) > (score >= ONE_ODD_LETTER):
        return " ".join((*words, letters)).strip()
    return ""


def _unknown(run: str, pairs: frozenset[str]) -> str:
    return "".join(
        letter
        for i, letter in enumerate(run)
        if letter not in _SMALL_LETTERS
        and run[max(0, i - 1) : i + 1] not in pairs
        and run[i : i + 2] not in pairs
    )


def _is_value(clause: str, fields: Sequence[str]) -> bool:
    clause = clause.strip()
    if any(clause.startswith(cue) for cue in cue_found(clause, fields)):
        return True
    plain = clause.strip(" .!。")
    return not plain or bool(_VALUE_LIKE.search(plain)) or plain in _SMALL_WORDS or _marked(plain)


def _marked(clause: str) -> bool:
    return not masked(clause, date(2000, 1, 1)).strip(MARKS + " ")


def _mended(head: str, words: frozenset[str]) -> str:
    """Slips of the pen in English words made good, when they are near one that examples use."""

    def mend(match: re.Match[str]) -> str:
        word = match[0]
        if word in words or word in _SMALL_WORDS or len(word) < 5:
            return word
        near = get_close_matches(word, words, n=1, cutoff=0.8)
        inflected = near and (word.startswith(near[0]) or near[0].startswith(word))
        return near[0] if near and not inflected and abs(len(near[0]) - len(word)) <= 1 else word

    return _LATIN.sub(mend, head)


@lru_cache(maxsize=64)
def _learn(route: Route) -> _Known:
    plain = [_plain(text) for text in (*route.examples, *route.cues, *route.names)]
    examples = plain[: len(route.examples)]
    words = frozenset(word for text in plain for word in _LATIN.findall(text))
    heads = [_LATIN.match(text) for text in plain[: len(route.examples) + len(route.cues)]]
    pairs = {
        run[i : i + 2] for text in plain for run in _CHINESE.findall(text) for i in range(len(run))
    }
    return _Known(
        tuple(examples),
        tuple(map(grams, examples)),
        words,
        frozenset(match[0] for match in heads if match),
        frozenset(pair for pair in pairs if len(pair) == 2),
    )


@lru_cache(maxsize=256)
def _gramed(examples: Sequence[str]) -> tuple[Grams, ...]:
    return tuple(grams(_plain(example)) for example in examples)


def _plain(example: str) -> str:
    """An example as heads of messages are compared: masked, without politeness."""
    return masked(_plea(fold(example))[0], date(2000, 1, 1))
