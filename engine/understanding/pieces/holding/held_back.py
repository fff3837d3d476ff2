"""What in a piece speaks against beginning the work that it names (promise 4)."""

import re
from collections.abc import Iterator

from engine.text.language import HAN
from engine.text.search_words import QUESTION_WORDS
from engine.understanding.grammar.reading import GRAMMAR, Mark
from engine.understanding.grammar.rule import Role
from engine.understanding.learned.lessons import tokens
from engine.understanding.learned.table import RouteTable
from engine.understanding.lookups.words import LINKS
from engine.understanding.pieces.scoring import ScoredPiece

CLAUSE_HEAD = 5
"""What holds off behind the work does so in the first letters of its clause."""

FEW = 5
"""A word that no more examples of the playbook have says nothing of its work."""

ASIDE_CHARS = 20
"""A clause that says who wants it, or that it is done, is no longer than this."""

NEIGHBOUR_CHARS = 20
"""So far from a mark stand the words beside it."""

_CLAUSE = re.compile(r"[,;。!?\n(（—]|(?<![0-9])[:.]|[:.](?![0-9])|\s-{1,2}\s")
_SENTENCE = re.compile(r"[。.!?\n]")
_NEIGHBOUR = re.compile(r"[a-z']+\W{0,3}|[\u3400-\u9fff]")
_WORD = re.compile(r"[a-z][a-z'-]*")
_TELLER = re.compile("\\s*([\u3400-\u9fff]{2,8}?)[想会将要]")
_HANDLE = re.compile("[把将]|帮[我忙]|[给请]")
_PRONOUNS = ("他", "她")
_SAID: dict[Role, str] = {
    "undo": "something is taken back",
    "hang": "it hangs on something",
    "off": "it is held off",
    "say": "somebody else says it",
    "tell": "it is told",
    "past": "it is told",
    "ask": "it is asked after",
    "maybe": "it may be asked after",
}


def held_back(scored: ScoredPiece, table: RouteTable, said: str, *, asked: bool = False) -> str:
    """What in a piece holds it back, and is in no example of the playbook; "" for nothing.

    `said` is the piece as it is bare, without days that its request asks for. Where nothing names
    the work, every word may be strange, unless it is known to be `asked` for.
    """
    bid = _place_of_bid(said, table)
    for mark in GRAMMAR.marks(said):
        if _counts(mark, said, bid, polite=scored.polite) and not _is_known(
            mark, said, scored.route, table
        ):
            return f"{said[mark.start : mark.end]!r}: {_SAID[mark.role]}"
    if asked and bid == len(said):
        return ""
    strange = (
        next(_strange_before(said, bid, scored.route, table), "")
        or _teller(said, bid, table)
        or _heading(said, bid, scored.route, table)
    )
    return f"{strange!r} is not understood" if strange else ""


def _place_of_bid(said: str, table: RouteTable) -> int:
    """Where the work is named first: by a verb of the examples, a cue, or what takes hold of it."""
    verbs = (m.start() for m in _WORD.finditer(said) if m[0] in table.request_verbs)
    handle = _HANDLE.search(said)
    places = [next(verbs, len(said)), min(table.cue_places(said), default=len(said))]
    return min(*places, handle.start() if handle else len(said))


def _counts(mark: Mark, said: str, bid: int, *, polite: bool) -> bool:
    """Whether what the mark says is about the work."""
    heads = [m.end() for m in _CLAUSE.finditer(said, 0, mark.start)]
    head = heads[-1] if heads else 0
    tail = _CLAUSE.search(said, mark.end)
    length = (tail.start() if tail else len(said)) - head
    low, high = sorted((mark.start, bid))
    same_clause = not _CLAUSE.search(said, low, high)
    match mark.role:
        case "reason":
            return False
        case "maybe":
            return not polite
        case "off":
            return mark.start < bid or same_clause or mark.start - head <= CLAUSE_HEAD
        case "say":
            before = mark.start < bid and not _SENTENCE.search(said, low, high)
            # Whom the work is for may be told behind it: "…, she takes over the project".
            of_person = said[mark.start : mark.end] in _PRONOUNS
            return before or (length <= ASIDE_CHARS and not of_person)
        case "tell":
            aside = mark.start - head <= 2 and length <= ASIDE_CHARS and mark.start > bid
            unbidden = bid == len(said) and not (polite or GRAMMAR.says("wish", said))
            return (mark.start < bid and (same_clause or unbidden)) or aside
        case "past":
            return same_clause
        case "hang":
            return not _gives_reason(said, head)
        case _:
            return True


def _gives_reason(said: str, head: int) -> bool:
    return any(
        mark.role == "reason" and abs(mark.start - head) <= 2 for mark in GRAMMAR.marks(said)
    )


def _is_known(mark: Mark, said: str, playbook: str, table: RouteTable) -> bool:
    """Whether an example of the playbook says it with the words that stand beside it here."""
    first = max(0, mark.start - NEIGHBOUR_CHARS)
    before = [m for m in _NEIGHBOUR.finditer(said, first, mark.start) if m.end() == mark.start]
    gap = mark.end + (said[mark.end : mark.end + 1] == " ")
    behind = _NEIGHBOUR.match(said, gap, gap + NEIGHBOUR_CHARS)
    start = before[-1].start() if before else mark.start
    end = gap + len(behind[0].rstrip()) if behind else mark.end
    return table.says_like(said[start:end], playbook)


def _strange_before(said: str, bid: int, playbook: str, table: RouteTable) -> Iterator[str]:
    """English words before the bid, in its clause, that no example of the playbook has."""
    heads = [m.end() for m in _CLAUSE.finditer(said, 0, bid)]
    head = heads[-1] if heads else 0
    known = table.lessons.tokens[playbook]
    for found in _WORD.finditer(said, head, bid) if not HAN.search(said, head, bid) else ():
        word = found[0]
        if not (known[word] or word in LINKS or word in QUESTION_WORDS):
            yield word


def _teller(said: str, bid: int, table: RouteTable) -> str:
    """Who wants or will do it, in Chinese, where the work is only told: words of no example."""
    heads = [m.end() for m in _CLAUSE.finditer(said, 0, bid)]
    found = _TELLER.match(said[heads[-1] if heads else 0 : bid])
    if found is None:
        return ""
    every = table.lessons.tokens.values()
    known = any(words[found[1][n : n + 2]] for n in range(len(found[1]) - 1) for words in every)
    return "" if known else found[0]


def _heading(said: str, bid: int, playbook: str, table: RouteTable) -> str:
    """What stands before a colon in front of the bid, and is of no work of the playbook."""
    colon = said.rfind(":", 0, bid)
    if colon < 0 or _SENTENCE.search(said[colon + 1 : bid].lstrip(" \n-*•")):
        return ""
    sentences = [m.end() for m in _SENTENCE.finditer(said, 0, colon)]
    heading = said[sentences[-1] if sentences else 0 : colon]
    known = table.lessons.tokens[playbook]
    own = {word for word in tokens(heading) if known[word] > FEW}
    own -= LINKS | QUESTION_WORDS
    return "" if own else heading.strip()
