"""What a message tells of its matter, for the one text that its form still needs."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from cards.model import Field
from engine.text.entity_kinds import Entities
from engine.text.values import cue_pattern
from engine.text.vocabulary import NO_WORDS, Vocabulary, unexplained_text
from engine.understanding.grammar.reading import GRAMMAR, level

_CLAUSE_END: Final = re.compile(r"[;；。!！?？\n]|[,，](?![0-9])|\.(?=\s|$)")
# Whom it is for, and that somebody is to come or to see to it: no form asks for that.
_BIDS: Final = re.compile(
    r"赶紧|赶快|快点|尽快|尽早|马上|立刻|[来派找]个?人|看看|看一下|瞧瞧|处理|解决|安排|帮忙|管管"
    r"|我们?家里?|咱们?家?|家里|我们|申请|一?[来个只台份张下]"
    r"|(?<![a-z])(?:asap|as soon as possible|quickly|urgently|soon|some(?:one|body)|send|come"
    r"|have|take|look|into|after|see|deal|help|check|thing|something|about|i'd|i'm|we'd"
    r"|our place|hurry|up|for me|for us)(?![a-z])",
    re.IGNORECASE,
)
_PLACED: Final = (" on ", " at ", " by ", " from ", " for ", "")
_DIGIT: Final = re.compile(r"[0-9]")
_FIGURES: Final = re.compile(r"[0-9]+")
_ASKS: Final = re.compile(r"[?？]|[吗么]$")
_WISH: Final = re.compile(r"(?:我们?|咱们?)?(?:是?想要?|打算|准备)")
_LEAD: Final = re.compile(r"^(?:to|for)\s(?:the|an?|our|my|your)\s", re.IGNORECASE)
_LEAST_CHARS, _LEAST_WORDS = 3, 3
_CHINESE: Final = re.compile(r"[\u3400-\u9fff]")


def bids_of(examples: Iterable[str], fields: Sequence[Field], entities: Entities) -> Iterator[str]:
    """What examples say before the id or number that they are about: "approve to deploy".

    That asks for the request, whichever words its author listed as cues; what fields call such a
    thing may stand there too: "approve to deploy the release". So does a clause of its own that
    begins with "please" and names nothing: "please put him down".
    """
    yield from (field.label for field in fields if field.entity)
    for example in examples:
        yield from _asking_clauses(example, entities)
        starts = [found.start for found in entities.matches(example)]
        starts += [found.start() for found in _DIGIT.finditer(example)]
        before = example[: min(starts, default=0)]
        bid = _core(_CLAUSE_END.split(before)[-1])
        if bid and unexplained_text(bid, NO_WORDS):
            yield bid


def without_names(
    examples: Iterable[str], fields: Sequence[Field], entities: Entities
) -> Iterator[str]:
    """The examples without what they name of the fields' kinds: a name in one explains none."""
    kinds = {field.entity for field in fields if field.entity}
    for example in examples:
        for match in reversed(entities.matches(example) if kinds else ()):
            if match.kind in kinds:
                example = f"{example[: match.start]}\n{example[match.end :]}"
        yield example


def _asking_clauses(example: str, entities: Entities) -> Iterator[str]:
    """The clauses of several that ask and name neither a thing nor a number."""
    clauses = [each for each in _CLAUSE_END.split(example) if each.strip()]
    for clause in clauses if len(clauses) > 1 else ():
        core = _core(clause)
        asks = len(core) < len(clause.strip()) and not _DIGIT.search(clause)
        if asks and not entities.matches(clause) and unexplained_text(core, NO_WORDS):
            yield core


def without_bids(parts: str, cues: Collection[str]) -> str:
    """Those of several parts, with a comma between them, that tell more than what is to be done.

    `cues` are the words that ask for the request.
    """
    return ", ".join(part for part in parts.split(", ") if not _is_bid(part, cues))


def _is_bid(part: str, cues: Collection[str]) -> bool:
    plain = re.sub(cue_pattern(cues), " ", part, flags=re.IGNORECASE) if cues else part
    return not unexplained_text(_BIDS.sub(" ", plain), NO_WORDS)


def without_taken(left: str, taken: Collection[str]) -> str:
    """What nothing takes, without the words that a value was read from; "" for small words."""
    for words in sorted(filter(None, taken), key=len, reverse=True):
        for before in _PLACED:
            left = f" {left}".replace(f"{before}{words}", " ").strip()
    parts = (" ".join(part.split()) for part in left.split(", "))
    return ", ".join(part for part in parts if unexplained_text(part, NO_WORDS))


def told_beside(parts: str, cues: Collection[str]) -> str:
    """Those of several parts, with a comma between them, that have no word of the request."""
    folded = [cue.lower() for cue in cues]
    told = (_core(part) for part in parts.split(", ") if not _has_word(part.lower(), folded))
    return ", ".join(part for part in told if len(part.split()) > 1 or _CHINESE.search(part[1:]))


def _has_word(part: str, cues: Collection[str]) -> bool:
    """Whether one of the words begins a word of it: `replaced` begins with `replace`."""
    words = part.split()
    return any(
        any(word.startswith(cue) for word in words) if cue.isascii() else cue in part
        for cue in cues
    )


def text_field(fields: Sequence[Field]) -> Field | None:
    """The one text that the form needs and that takes any words; None for none and for several."""
    lacking = [f for f in fields if f.required and not f.value and f.type == "text"]
    texts = [f for f in lacking if not (f.pattern or f.entity or f.columns)]
    return texts[0] if len(texts) == 1 and not texts[0].identity else None


def matter_told(
    left: str, text: str, fields: Sequence[Field], cues: Collection[str], taken: Collection[str]
) -> str:
    """The one part of what nothing takes that tells of the matter; "" for none, and for several.

    `taken` are the words that values were read from. What asks, what begins or goes on as the
    request does, names a field, or may be a value that another field needs, tells of none.
    """
    asked = re.compile(cue_pattern(cues), re.IGNORECASE)
    told = [part for part in left.split(", ") if _tells(part, fields)]
    parts = [part for part in told if not asked.match(_core(part))]
    if len(parts) != 1:
        return ""
    (part,) = parts
    if _core(text) == _core(part):
        # What is nothing else may as well ask for something.
        return ""
    place = text.find(part)
    ends = [m.start() for m in _CLAUSE_END.finditer(text)]
    begin = max((end + 1 for end in ends if end < place), default=0)
    end = min((end for end in ends if end >= place + len(part)), default=len(text))
    before, behind = text[begin:place], text[place + len(part) : end]
    for words in filter(None, taken):
        before, behind = before.replace(words, " "), behind.replace(words, " ")
    is_request = asked.search(before) or asked.search(behind)
    if place < 0 or is_request or text[end : end + 1] in ("?", "？"):
        return ""
    matter = _LEAD.sub("", _core(part))
    return matter if len(matter) > 1 else ""


def _core(part: str) -> str:
    """The part without politeness, and without that somebody wishes it."""
    core = GRAMMAR.core(level(part))
    said = part[core.start : core.end].strip(" .。!！,，")
    wish = _WISH.match(said)
    return said[wish.end() :].strip() if wish else said


def _tells(part: str, fields: Sequence[Field]) -> bool:
    """Whether it may be words about a matter, and no value or name of another field."""
    labels = cue_pattern([f.label for f in fields])
    if _ASKS.search(part) or re.search(labels, part, re.IGNORECASE):
        return False
    lacking = {f.type for f in fields if f.required and not f.value}
    if lacking - {"text", "choice", "boolean", "file"} and re.search(r"[0-9]", part):
        return False
    letters = len(_CHINESE.findall(part))
    return letters >= _LEAST_CHARS or len(part.split()) >= _LEAST_WORDS


def without_used(left: str, taken: Collection[str], known: Vocabulary) -> str:
    """What nothing takes, without parts of which only the figures of a value are in no example."""
    figures = {figure for words in taken for figure in _FIGURES.findall(words)}
    strange = ((part, unexplained_text(part, known).split()) for part in left.split(", "))
    return ", ".join(part for part, words in strange if not words or not figures.issuperset(words))
