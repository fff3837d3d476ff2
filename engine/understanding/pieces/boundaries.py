"""Where a message may be split: sentence ends, connectives, and some commas."""

import re
from collections.abc import Callable
from dataclasses import replace

from engine.text import wording
from engine.text.entities import ENTITY_MARKS, fold, simplified
from engine.understanding.context import Stretch
from engine.understanding.grammar.reading import GRAMMAR, level

# Without case, so that compiling does not look for that of each character.
_HAN = r"(?-i:[\u3400-\u9fff])"
_ZH = (
    r"[然燃让]后再?|其次|第[二三四五六](?:步|件)?[,，:：]|接着再?|随后再?|之后再|另外|此外|(?:[录改写做跑出发]完[了事]?)?(?:顺便|顺带"
    r"|顺手)|以及请|并且|最后再?|完[了事]再|做完再?|(?<![核校面针])对了"
    r"|(?<=[,，\s])[改写弄录做跑核出]?[好完]了?(?:之后|以后|后)就?"
    r"|(?<![不别要勿用必甭没])再(?![见次三者说过度])"
)
_EN = (
    r"(?<![A-Za-z])(?:and\s+then|then|and\s+also|(?<!\bi\s)(?<!\bwe\s)also|(?:and\s+)?after\s+that|(?:and\s+)?afterwards"
    r"|(?:and\s+)?(?:once|when)\s+(?:that|it|this|they|you)(?:'s|'re|\s+is|\s+are)"
    r"\s+(?:done|in|ready|through|finished)"
    r"|(?:and\s+)?finally|lastly|secondly|thirdly|(?:second|third)(?=[,:])|by\s+the\s+way|btw|in\s+addition"
    r"|(?:and\s+)?next(?=,))(?![A-Za-z'])"
)
_BOUNDARY = re.compile(
    rf"(?P<mark>[。!！?？;；\n.]{{0,9}})[\s,，、]{{0,9}}(?P<link>{_ZH}|{_EN})[\s,，:：]*"
    r"|(?P<end>[。!！?？\n]+"
    r"|(?<! v)(?<! vs)(?<! no)(?<!\bmr)(?<!\bdr)(?<!\bms)(?<!\bmrs)\.(?=\s|$))\s*"
    rf"|(?P<soft>[;；]+|(?<={_HAN})\.(?={_HAN}))\s*"
    r"|(?P<weak>(?:，|(?<![0-9]),|,(?![0-9])|、|——)\s*(?:(?:and|so|plus)\s+)?"
    r"|\s{0,9}[+＋／]\s{0,9}|\s/\s|[，,]?(?:还要|还得|又要|又得|以及|一是|二是|三是|其一|其二)"
    r"|(?<![0-9A-Za-z.])[(（]?[0-9]{1,2}[)）、](?![0-9])\s{0,9}|[①-⑩]\s{0,9}"
    r"|(?m:^)[0-9]{1,2}[.．](?![0-9])\s{0,9}(?=\S)"
    rf"|(?<=[^\s.])\.(?={_HAN})|(?<=[a-z0-9])\.(?=[a-z]{{2,20}}\s)"
    rf"|\s(?P<item>[2-9])(?![0-9.,:/])\s?(?=[a-z]|{_HAN})"
    r"|\s{1,9}(?:and|adn|nad|&|plus)(?:\s{1,9}(?:then|thne|also))?\s{1,9}|(?<![合一归])并(?![且非发排列不行购存])"
    r"|(?<![总饱暖缓调温柔])和(?![解好平谐气睦])"
    rf"|(?<={_HAN})\s{{1,9}}(?={_HAN}))",
    re.IGNORECASE,
)
_FIRST_ITEM = re.compile(rf"\W*1(?![0-9.,:/])\s?(?=[a-z]|{_HAN})", re.IGNORECASE)
_THEN = re.compile(r"然后|再|接着|随后|之后|then|after|next", re.IGNORECASE)
LOOKAHEAD_CHARS = 100
"""In so many characters behind a comma it shows whether a request begins there."""

CONDITION_CHARS = 4
"""A stretch that opens with a condition does so in its first letters."""

WORD_CHARS = 30
"""A word on either side of a boundary is looked at in so many letters."""

_LAST = re.compile(rf"(?:[A-Za-z']{{1,{WORD_CHARS}}}|[\u3400-\u9fff]{{1,2}}|[{ENTITY_MARKS}])$")
_FIRST = re.compile(rf"[A-Za-z']+|[\u3400-\u9fff]{{1,2}}|[{ENTITY_MARKS}]")
_MARKS = "?？!！"
_EDGES = " \t\r\n,，、;；:：.。"


def find_stretches(
    text: str, begins: Callable[[str], bool], binds: Callable[[str], bool]
) -> tuple[Stretch, ...]:
    """The stretches of a message that are never split, in order, without edge punctuation.

    A comma, "and" or space parts only where a request or question begins behind it, as `begins`
    tells of a folded text, and where no example has what stands around it as it stands, as
    `binds` tells. A condition stays with all that follows it in its sentence.
    """
    text = simplified(text)
    found: list[Stretch] = []
    quoted = wording.quotations(text)
    start, joint, then = 0, "end", False
    for match in (*_BOUNDARY.finditer(text), None):
        # A question mark belongs to the piece that it ends.
        stop = len(text) if match is None else match.start()
        while match and stop < match.end() and text[stop] in _MARKS:
            stop += 1
        if match and any(begin < match.start() < end for begin, end in quoted):
            continue
        if match and _is_in_politeness(text, start, match):
            continue
        if match and match["item"] and not _FIRST_ITEM.match(text):
            continue
        if (
            match
            and _boundary_kind(match) == "weak"
            and (
                not begins(fold(text[match.end() : match.end() + LOOKAHEAD_CHARS]))
                or binds(_around(text, match))
            )
        ):
            continue
        span = _trim(text, start, stop)
        if span:
            found.append(Stretch(start=span[0], end=span[1], boundary=joint, is_sequel=then))
            joint, then = "", False
        if match:
            start = match.end()
            joint, then = (
                _stronger_boundary(joint, _boundary_kind(match)),
                then or bool(_THEN.match(match["link"] or "")),
            )
    return _join_conditions(text, _join_politeness(text, found))


def _is_in_politeness(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a connective is a part of the politeness before what is asked for: 能不能顺便…"""
    if not match["link"] or not text[start : match.start()].strip(_EDGES):
        return False
    core = GRAMMAR.core(level(text[start : match.end() + LOOKAHEAD_CHARS]))
    return start + core.start >= match.end()


def _around(text: str, match: re.Match[str]) -> str:
    """What joins two stretches, folded, with the last word before and the first behind."""
    before = _LAST.search(text, max(0, match.start() - WORD_CHARS), match.start())
    behind = _FIRST.match(text, match.end(), match.end() + WORD_CHARS)
    if before is None or behind is None:
        return ""
    return fold(text[before.start() : behind.end()])


def _boundary_kind(match: re.Match[str]) -> str:
    if match["link"] or match["soft"]:
        return "soft"
    return "end" if match["end"] else "weak"


def _stronger_boundary(one: str, other: str) -> str:
    # "。然后" joins two sentences: what follows leans on what was before.
    order = ("", "weak", "end", "soft")
    return max(one, other, key=order.index)


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    while start < end and text[start] in _EDGES:
        start += 1
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    has_word = any(c.isalnum() for c in text[start:end])
    return (start, end) if has_word else None


def _join_politeness(text: str, found: list[Stretch]) -> list[Stretch]:
    """A stretch that is nothing but politeness goes with what it asks for, behind it."""
    joined: list[Stretch] = []
    for stretch in found:
        last = joined[-1] if joined else None
        if (
            last
            and stretch.boundary != "end"
            and GRAMMAR.is_prelude(level(text[last.start : last.end]))
        ):
            joined[-1] = replace(
                last, end=stretch.end, is_sequel=last.is_sequel or stretch.is_sequel
            )
        else:
            joined.append(stretch)
    return joined


def _join_conditions(text: str, found: list[Stretch]) -> tuple[Stretch, ...]:
    """A piece that begins with a condition takes in the rest of its sentence."""
    whole: list[Stretch] = []
    hinged = False
    for stretch in found:
        if stretch.boundary == "end":
            hinged = False
        if hinged:
            whole[-1] = replace(whole[-1], end=stretch.end)
        else:
            whole.append(stretch)
            hinged = _begins_with_condition(text[stretch.start : stretch.end])
    return tuple(whole)


def _begins_with_condition(text: str) -> bool:
    said = level(text)
    core = GRAMMAR.core(said)
    hangs = [mark for mark in GRAMMAR.marks(said) if mark.role == "hang"]
    return any(m.start < core.start + CONDITION_CHARS or m.end >= core.end for m in hangs)
