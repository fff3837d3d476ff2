"""What may part two things that a message says: marks, connectives, and spaces of dictated text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
    rf"|(?<=[^\s.])\.(?={_HAN})|(?<=[a-z0-9])\.(?=[a-z]{{2,20}}\s)"
    rf"|\s(?P<item>[2-9])(?![0-9.,:/])\s?(?=[a-z]|{_HAN})"
    r"|\s{1,9}(?:and|adn|nad|&|plus)(?:\s{1,9}(?:then|thne|also))?\s{1,9}|(?<![合一归])并(?![且非发排列不行购存])"
    r"|(?<![总饱暖缓调温柔])和(?![解好平谐气睦])"
    rf"|(?<={_HAN})\s{{1,9}}(?={_HAN}))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Gap:
    """Where a text may be parted: `text[start:end]` stands between two of its stretches."""

    start: int
    end: int


def find_boundaries(text: str) -> Iterator[re.Match[str]]:
    """What may part a text, by the groups `link`, `end`, `soft`, `weak` (`item`: in a list)."""
    return _BOUNDARY.finditer(text)


def find_places(text: str) -> tuple[Gap, ...]:
    """All of them, in order, with some letter or digit on either side of each."""
    found: list[Gap] = []
    start = at = 0
    while match := _BOUNDARY.search(text, at):
        at = match.end()
        if match["item"]:
            # Only a list has numbers that part; " and " may stand behind this one.
            at = match.start("item")
            continue
        if any(letter.isalnum() for letter in text[start : match.start()]):
            found.append(Gap(*match.span()))
        elif found:
            found[-1] = Gap(found[-1].start, match.end())
        start = match.end()
    behind = any(letter.isalnum() for letter in text[start:])
    return tuple(found if behind else found[:-1])
