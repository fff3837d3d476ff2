"""Days, files and names that a text has, and marks for what it names (design §1, promise 4)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import lru_cache
from importlib.resources import files
from zlib import crc32

from engine.text.language import HAN

_ENDING = (
    r"\.(?:txt|md|csv|tsv|json|xml|html?|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|webp|zip)"
    r"(?![A-Za-z0-9])"
)
# A Chinese name begins after a space or a quotation mark: a verb may stand right before another.
_FILE = re.compile(
    rf"(?<![A-Za-z0-9_.\-/\\])[A-Za-z0-9][A-Za-z0-9_.-]{{0,80}}{_ENDING}"
    rf"|(?:^|(?<=[\s“「《\"']))[\w.-]{{0,80}}(?-i:[\u4e00-\u9fff]){_ENDING}",
    re.IGNORECASE,
)

_NUMERIC = re.compile(
    r"(?<![0-9./-])(?P<y>[0-9]{4})(?P<sep>[-/.])(?P<m>[0-9]{1,2})(?P=sep)(?P<d>[0-9]{1,2})"
    r"(?![0-9]|[-/.][0-9])"
)
_CHINESE = re.compile(
    r"(?:(?<![0-9])(?P<y>[0-9]{4})\s*年\s*)?(?<![0-9])(?P<m>[0-9]{1,2})\s*月\s*"
    r"(?P<d>[0-9]{1,2})\s*[日号]"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<m>January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?"
)
_DAY = r"(?P<d>[0-9]{1,2})(?:st|nd|rd|th)?"
_DAY_FIRST = re.compile(
    rf"(?<![0-9A-Za-z]){_DAY}\s+(?:of\s+)?{_MONTH}(?![A-Za-z])(?:,?\s+(?P<y>[0-9]{{4}})(?![0-9]))?",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"(?<![A-Za-z]){_MONTH}\s+{_DAY}(?![0-9A-Za-z])(?:,?\s+(?P<y>[0-9]{{4}})(?![0-9]))?",
    re.IGNORECASE,
)
_WORDS: tuple[tuple[re.Pattern[str], int], ...] = tuple(
    (re.compile(words, re.IGNORECASE), days)
    for words, days in (
        (r"今天|今日|(?<![a-z])todays?(?![a-z])", 0),
        (r"昨天|昨日|(?<!day before )(?<![a-z])yesterdays?(?![a-z])", -1),
        (r"(?<!大)前天|(?<![a-z])day before yesterday(?![a-z])", -2),
        (r"明天|明日|(?<!day after )(?<![a-z])tomorrow(?![a-z])", 1),
        (r"(?<!大)后天|(?<![a-z])day after tomorrow(?![a-z])", 2),
    )
)
_SOME_WORD = re.compile("[今昨明天]|day|morrow", re.IGNORECASE)
"""Each of the words has one of these."""
_DIGIT = re.compile("[0-9]")

_LEAP = date(2000, 6, 1)


_TRADITIONAL, _SIMPLIFIED = (
    files(__package__).joinpath("traditional.txt").read_text("utf-8").splitlines()
)
"""Letters of traditional Chinese, and each in simplified Chinese as OpenCC 1.4 writes it."""

_WRITTEN = re.compile(f"[{_TRADITIONAL}]")
_AS_SIMPLIFIED = str.maketrans(_TRADITIONAL, _SIMPLIFIED)

_ENDINGS = (
    (re.compile(r"(?<=[a-z])ies$"), "y"),
    (re.compile(r"(?<=ch|sh)es$|(?<=[sxz])es$"), ""),
    (re.compile(r"(?<=[a-rt-z])s$"), ""),
)
_COMMON = re.compile(r".*[\s-][a-z]{2,}|[a-z]{4,}")
"""A name whose last word is a common noun; of "Acme" there is one, and "its" is none of "it"."""


def is_traditional(text: str) -> bool:
    """Whether a letter of the text is written so in traditional Chinese only."""
    return bool(_WRITTEN.search(text))


def simplified(text: str) -> str:
    """The text with simplified Chinese letters for traditional ones, as long as before."""
    return text.translate(_AS_SIMPLIFIED) if is_traditional(text) else text


def fold(text: str) -> str:
    """The text as it is compared: NFKC, lower case, in simplified Chinese."""
    if text.isascii():
        return text.lower()
    return simplified(unicodedata.normalize("NFKC", text).lower())


@lru_cache(maxsize=4096)
def fold_cue(cue: str) -> str:
    """A cue as it is compared; cues are few and looked for in every text."""
    return fold(cue)


def file_names(text: str) -> tuple[str, ...]:
    """The files named, in order, each once: a name without a path, with a known ending."""
    return tuple(dict.fromkeys(_FILE.findall(text)))


def dates(text: str, today: date) -> tuple[date, ...]:
    """The days named, in order, each once. A day without its year is the one nearest to today."""
    found = sorted(day_spans(unicodedata.normalize("NFKC", text), today))
    return tuple(dict.fromkeys(day for _, _, day in found))


DAY_MARK, NUMBER_MARK, FILE_MARK = "●", "◆", "▲"
ENTITY_MARKS = "\U00012000-\U00012399"
"""The letters that stand for an entity in a text, as a class of a pattern: nobody writes them."""

MARKS = ENTITY_MARKS + DAY_MARK + NUMBER_MARK + FILE_MARK
_FIRST_MARK, _MARK_COUNT = 0x12000, 0x39A
_ENTITIES = re.compile(f"[{ENTITY_MARKS}]+")


@lru_cache(maxsize=256)
def entity_mark(kind: str) -> str:
    """The letter that stands for every entity of the kind, always the same."""
    return chr(_FIRST_MARK + crc32(kind.encode()) % _MARK_COUNT)


def masked(text: str, today: date) -> str:
    """The folded text with files, marked entities, days and numbers replaced, to compare the rest.

    An entity is one letter then, which stands by itself.
    """
    plain = unicodedata.normalize("NFKC", text)
    if "." in plain:
        plain = _FILE.sub(f" {FILE_MARK} ", plain)
    for start, end, _ in sorted(day_spans(plain, today), reverse=True):
        plain = f"{plain[:start]} {DAY_MARK} {plain[end:]}"
    plain = _ENTITIES.sub(lambda found: f" {' '.join(dict.fromkeys(found[0]))} ", plain)
    plain = re.sub(r"[0-9]+(?:[./][0-9]+)*", f" {NUMBER_MARK} ", plain)
    return " ".join(plain.lower().split())


def file_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where files are named."""
    return (match.span() for match in _FILE.finditer(text))


def impossible_days(text: str) -> Iterator[tuple[int, int]]:
    """Where a text that is NFKC already names a day that no calendar has, such as 30 February."""
    for form in (_NUMERIC, _CHINESE, _DAY_FIRST, _MONTH_FIRST):
        for match in form.finditer(text):
            if match["m"] != "may" and not _day(match, _LEAP):
                yield match.span()


def day_spans(text: str, today: date) -> Iterator[tuple[int, int, date]]:
    """Where days are named in a text that is NFKC already, and which."""
    text = simplified(text)
    taken: list[tuple[int, int]] = []
    # Most texts name none, and every piece of a message is asked again and again.
    forms = (_NUMERIC, _CHINESE, _DAY_FIRST, _MONTH_FIRST) if _DIGIT.search(text) else ()
    for form in forms:
        for match in form.finditer(text):
            day = _day(match, today)
            start, end = match.span()
            if day and not any(start < e and s < end for s, e in taken):
                taken.append((start, end))
                yield start, end, day
    for words, days in _WORDS if _SOME_WORD.search(text) else ():
        for match in words.finditer(text):
            yield match.start(), match.end(), today + timedelta(days=days)


def _day(match: re.Match[str], today: date) -> date | None:
    month = match["m"]
    if match["y"] is None and month == "may":  # "you may 2 days later", not a month
        return None
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    years = [int(match["y"])] if match["y"] else [today.year - 1, today.year, today.year + 1]
    days = [day for year in years if (day := _valid(year, number, int(match["d"])))]
    return min(days, key=lambda day: abs(day - today), default=None)


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def folded_name(text: str) -> str:
    """The text as names are compared: without regard to case, to spaces, to what stands around them
    and to how Chinese is written."""
    plain = simplified(unicodedata.normalize("NFKC", text).casefold())
    folded = " ".join(plain.split())
    inner = [at for at, letter in enumerate(folded) if letter.isalnum() or letter == "_"]
    return folded[inner[0] : inner[-1] + 1] if inner else ""


def singulars(folded: str) -> Iterator[str]:
    """What a folded text may be the plural of: "lunch" for "lunches"."""
    for ending, instead in _ENDINGS:
        if ending.search(folded):
            yield ending.sub(instead, folded)


def has_plural(name: str) -> bool:
    """Whether there may be several of what is called so: its last word is written small."""
    return _COMMON.fullmatch(name) is not None


def shown_names(names: Iterable[str]) -> tuple[str, ...]:
    """The first of the names, and the first in the other writing."""
    by_writing: dict[bool, str] = {}
    for name in names:
        by_writing.setdefault(bool(HAN.search(name)), name)
    return tuple(by_writing.values())
