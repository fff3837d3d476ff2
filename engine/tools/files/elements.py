"""Find days, entities, money, addresses and people's numbers in a text, by form alone."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import chain

from engine.text.elements import ElementKind
from engine.text.entities import day_spans
from engine.text.entity_kinds import NO_ENTITIES, Entities

_NUMBER = r"(?P<n>[0-9]{1,3}(?:,[0-9]{3}){1,9}(?:\.[0-9]{1,4})?|[0-9]{1,15}(?:\.[0-9]{1,4})?)"
_SIGNS = {"¥": "CNY", "$": "USD", "€": "EUR", "£": "GBP", "rmb": "CNY", "人民币": "CNY"}
_UNITS = {
    "元": "CNY", "圆": "CNY", "块钱": "CNY", "美元": "USD", "欧元": "EUR", "港元": "HKD",
    "港币": "HKD", "英镑": "GBP", "日元": "JPY", "yuan": "CNY", "dollars": "USD", "euros": "EUR",
    "pounds": "GBP", "rmb": "CNY",
}  # fmt: skip
_CODES = ("cny", "usd", "eur", "gbp", "hkd", "jpy")
_SCALES = {"万": 10**4, "亿": 10**8, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_SCALE = rf"(?:\s?(?P<scale>{'|'.join(_SCALES)}))?"
_BEFORE = "|".join(map(re.escape, (*_SIGNS, *_CODES)))
_AFTER = "|".join(sorted((*_UNITS, *_CODES), key=len, reverse=True))
_AMOUNTS = (
    re.compile(rf"(?<![a-z])(?P<c>{_BEFORE})\s?{_NUMBER}(?![0-9]){_SCALE}", re.IGNORECASE),
    re.compile(
        rf"(?<![0-9])(?<![0-9][.,]){_NUMBER}{_SCALE}\s?(?P<c>{_AFTER})(?![a-z])", re.IGNORECASE
    ),
)
_EMAIL = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?!\w)"
)
_PHONE = re.compile(
    r"(?<![\w+-])(?:(?:\+?86[ -]?)?1[3-9][0-9](?:[ -]?[0-9]{4}){2}|0[0-9]{2,3}-[0-9]{7,8}"
    r"|\+[1-9][0-9]{0,2}(?:[ -]?[0-9]{2,4}){2,5})(?![\w-])",
    re.ASCII,
)
_ID = re.compile(
    r"(?<![0-9A-Za-z])[1-9][0-9]{5}(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
    r"[0-9]{3}[0-9Xx](?![0-9A-Za-z])"
)
_BREAK = re.compile(r"[\s;。；]")
_PIECE_CHARS = 4000
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


@dataclass(frozen=True, slots=True)
class Element:
    """One thing in a text: its normalised value, and its words in the text.

    Both show only the last four characters of a Chinese identity number; `valid` is whether its
    check digit fits. `kind` is a `FormKind`, or a kind of entity, which are of the project.
    """

    kind: str
    value: str
    text: str
    valid: bool = True


def find_elements(
    text: str,
    today: date,
    entities: Entities = NO_ENTITIES,
    kinds: Sequence[ElementKind] = (),
) -> Iterator[Element]:
    """Each value in the text once, those of one kind in the order of the text.

    `kinds` are the project's own, which may hold others: a clause, the day that it names.
    """
    plain = unicodedata.normalize("NFKC", text)
    yield from _id_numbers(plain)
    # Matches are blanked, so that no other form matches a part of them.
    plain = _ID.sub(lambda match: " " * len(match[0]), plain)
    for kind in kinds:
        yield from (Element(kind.name, *found) for found in _by_value(kind, plain))
    days, plain = _days(plain, today)
    named, plain = _entities(plain, entities)
    seen: set[tuple[str, str]] = set()
    for element in chain(days, named, _amounts(plain), _contacts(plain)):
        if (element.kind, element.value) not in seen:
            seen.add((element.kind, element.value))
            yield element


def _by_value(kind: ElementKind, text: str) -> Iterator[tuple[str, str]]:
    """The values of the kind, each once, with the words of the first."""
    words: dict[str, str] = {}
    for value, said in kind.find(text):
        words.setdefault(value, said)
    yield from words.items()


def _days(text: str, today: date) -> tuple[list[Element], str]:
    """The days, and the text without them."""
    found: list[Element] = []
    rest: list[str] = []
    # Days are compared with each other, so a long text is searched piece by piece.
    for piece in _pieces(text):
        spans = sorted(day_spans(piece, today))
        found += [Element("date", day.isoformat(), piece[start:end]) for start, end, day in spans]
        rest.append(_blank(piece, [(start, end) for start, end, _ in spans]))
    return found, "".join(rest)


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces of at most 4,000 characters, each up to its last break."""
    at = 0
    while at < len(text):
        end = min(at + _PIECE_CHARS, len(text))
        if end < len(text):
            breaks = [match.end() for match in _BREAK.finditer(text, at, end)]
            end = breaks[-1] if breaks else end
        yield text[at:end]
        at = end


def _entities(text: str, entities: Entities) -> tuple[list[Element], str]:
    """What of the project the text names, and the text without it."""
    found: list[Element] = []
    rest: list[str] = []
    for piece in _pieces(text):
        matches = entities.find(piece)
        found += [Element(m.kind, m.id, piece[m.start : m.end]) for m in matches]
        rest.append(_blank(piece, [(match.start, match.end) for match in matches]))
    return found, "".join(rest)


def _blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], " "]
        last = max(last, end)
    return "".join((*parts, text[last:]))


def _amounts(text: str) -> Iterator[Element]:
    taken = 0
    matches = sorted((m for form in _AMOUNTS for m in form.finditer(text)), key=lambda m: m.start())
    for match in matches:
        if match.start() < taken:
            continue
        taken = match.end()
        unit = match["c"].lower()
        currency = _SIGNS.get(unit) or _UNITS.get(unit) or unit.upper()
        scale = _SCALES[match["scale"].lower()] if match["scale"] else 1
        amount = Decimal(match["n"].replace(",", "")) * scale
        yield Element("amount", f"{currency} {amount:.2f}", match[0].strip())


def _contacts(text: str) -> Iterator[Element]:
    for match in _EMAIL.finditer(text):
        yield Element("email", match[0].lower(), match[0])
    for match in _PHONE.finditer(text):
        yield Element("phone", re.sub(r"[ -]", "", match[0]), match[0])


def _id_numbers(text: str) -> Iterator[Element]:
    for number in dict.fromkeys(match[0].upper() for match in _ID.finditer(text)):
        masked = "*" * (len(number) - 4) + number[-4:]
        total = sum(int(n) * weight for n, weight in zip(number, _WEIGHTS, strict=False))
        yield Element("id_number", masked, masked, "10X98765432"[total % 11] == number[-1])
