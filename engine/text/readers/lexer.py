"""A text as items: numbers, words, dates and times in digits, marks, and what is none of these."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import zip_longest
from typing import Literal

from engine.text.readers import numerals
from engine.text.readers.words import (
    CODES,
    FALSE_FRIENDS,
    HAN_DIGITS,
    HAN_MULTIPLES,
    HAN_WORDS,
    LONGEST_HAN_WORD,
    SIGNS,
)

LONGEST = 40
"""No longer piece of Latin writing is looked into."""

ItemKind = Literal["number", "word", "han", "date", "time", "mark", "other"]
_FULL = {c: c - 0xFEE0 for c in range(0xFF01, 0xFF5F) if c != 0xFF0C}
_LOWER = {c: c + 32 for c in range(ord("A"), ord("Z") + 1)}
_ALIKE = {
    ord(a): ord(b) for a, b in zip("−–—〜～’‘￥\u00a0\u202f\u2009", "---~~''¥   ", strict=True)
}
_TO_ASCII = {**_FULL, **_ALIKE}
GROUPING = re.compile("(?<=[０-９])，(?=[０-９]{3}(?![０-９]))")
"""A full-width comma that groups the digits of a number."""

_PIECE = re.compile(
    "(?P<han>[\u3400-\u9fff\u3007]+)"
    '|(?P<latin>[^\\s\u3000-\u303f\u3400-\u9fff"“”()\\[\\]{}<>!?;，|]+)'
    "|(?P<mark>\\S)"
)
_EDGES = ".,:'*=~-/_"
_PART = re.compile(r"(?<![0-9])[:=,/]|[:=,/](?![0-9])")
_NUMBER = r"[0-9]{1,40}(?:[.,'][0-9]{1,40}){0,4}"
_DIGITS = re.compile(_NUMBER)
_SEGMENT = re.compile(rf"{_NUMBER}|[a-z]+\$?|[^0-9a-z]")
_ORDINAL = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)")
_DATE = re.compile(
    "|".join(
        rf"[0-9]{{4}}{m}[0-9]{{1,2}}{m}[0-9]{{1,2}}|[0-9]{{1,2}}{m}[0-9]{{1,2}}{m}[0-9]{{4}}"
        for m in ("-", "/", r"\.")
    )
    + "|[0-9]{1,2}/[0-9]{1,2}/[0-9]{2}"
)
_CLOCK = re.compile(r"[0-9]{1,2}(?::[0-9]{2}){1,2}(?:am|pm)?|[0-9]{1,2}(?:\.[0-9]{2})?(?:am|pm)")
_NUMERAL = re.compile(f"[{HAN_DIGITS}{HAN_MULTIPLES}廿]+")
_HAN_DECIMALS = re.compile(f"点([{HAN_DIGITS}]+)(?![{HAN_DIGITS}{HAN_MULTIPLES}分刻钟点])")


@dataclass(frozen=True, slots=True)
class Item:
    """A stretch of a text, folded: `glued` to what stands before it, `exact` as it was written.

    A number has its `numbers`, two of them where its marks have two readings.
    """

    kind: ItemKind
    text: str
    start: int
    end: int
    glued: bool = False
    exact: str = ""
    numbers: tuple[Decimal, ...] = ()
    style: Literal["digits", "words", "lone", "ordinal"] = "digits"

    @property
    def whole(self) -> int | None:
        """The number, if it is a whole one and sure."""
        if len(self.numbers) != 1 or self.numbers[0] != self.numbers[0].to_integral_value():
            return None
        return int(self.numbers[0])


def lex(text: str) -> tuple[Item, ...]:
    """The items of a text, in order; places are those of the text as it is given."""
    plain = text if text.isascii() else GROUPING.sub(",", text).translate(_TO_ASCII)
    folded = plain.translate(_LOWER)
    items: list[Item] = []
    end = -1
    for match in _PIECE.finditer(folded):
        start = match.start()
        if match["han"]:
            found = _han(match["han"], start, items)
        elif match["latin"]:
            found = _latin(match["latin"], start)
        else:
            found = iter([Item("mark", match[0], start, start + 1)])
        for item in found:
            items.append(_placed(item, plain, end))
            end = item.end
    return tuple(_join_words(items))


def _placed(item: Item, plain: str, end: int) -> Item:
    """The item as it was written, behind one that ends there; `replace` takes twice as long."""
    exact, glued = plain[item.start : item.end], item.start == end
    numbers, style = item.numbers, item.style
    return Item(item.kind, item.text, item.start, item.end, glued, exact, numbers, style)


def _latin(piece: str, start: int) -> Iterator[Item]:
    """What stands between spaces, without the marks around it."""
    core = piece.strip(_EDGES)
    at = piece.find(core) if core else len(piece)
    signed = core[:1].isdigit() and piece[at - 1 : at] == "-" and at == 1
    at -= signed
    for index in range(at):
        yield Item("mark", piece[index], start + index, start + index + 1)
    last = at
    for mark in _PART.finditer(piece, at, at + signed + len(core)):
        yield from _core(piece[last : mark.start()], start + last)
        yield Item("mark", mark[0], start + mark.start(), start + mark.end())
        last = mark.end()
    end = at + signed + len(core)
    yield from _core(piece[last:end], start + last)
    for index in range(end, len(piece)):
        yield Item("mark", piece[index], start + index, start + index + 1)


def _core(core: str, start: int) -> Iterator[Item]:
    if not core:
        return
    end = start + len(core)
    if core.isalpha() or core.replace("'", "").replace(".", "").isalpha():
        text = core.removesuffix("'s")
        yield Item("word", text, start, start + len(text))
        if text != core:
            yield Item("mark", "'s", start + len(text), end)
    elif len(core) > LONGEST:
        yield Item("other", core, start, end)
    else:
        yield from _value(core, start) or _parts(core, start)


def _value(core: str, start: int) -> list[Item]:
    """A core that is one value; nothing for any other."""
    end = start + len(core)
    if _DATE.fullmatch(core):
        return [Item("date", core, start, end)]
    if _CLOCK.fullmatch(core):
        return [Item("time", core, start, end)]
    if ordinal := _ORDINAL.fullmatch(core):
        number = (Decimal(ordinal[1]),)
        return [Item("number", core, start, end, numbers=number, style="ordinal")]
    if core[:1] == "-" and (inner := _value(core[1:], start + 1)) and inner[0].kind == "number":
        first = inner[0]
        numbers = tuple(-number for number in first.numbers)
        return [
            replace(first, start=start, text=core[: first.end - start], numbers=numbers),
            *inner[1:],
        ]
    return _segments(core, start)


def _segments(core: str, start: int) -> list[Item]:
    """Numbers with signs, codes and units beside them, as in `$2k`, `1h30` and `120usd`."""
    found: list[Item] = []
    for match in _SEGMENT.finditer(core):
        begin, end = start + match.start(), start + match.end()
        said = match[0]
        if said[0].isdigit():
            found.append(Item("number", said, begin, end, numbers=numerals.read_digits(said)))
        elif said in SIGNS or said.isalpha() or said in "%°²³℃℉":
            found.append(Item("word", said, begin, end))
        else:
            return []
    if not found:
        return []
    known = found[0].kind == "number" or found[0].text in SIGNS or found[0].text in CODES
    return found if known and len(found) <= 5 else []


def _parts(core: str, start: int) -> Iterator[Item]:
    """Parts that a dash or a stroke joins, if each of them is a word or a value."""
    for joiner in ("t", "~", "-", "/"):
        parts = core.split(joiner)
        if len(parts) == 1 or (joiner == "t" and not _DATE.fullmatch(parts[0])):
            continue
        read = [_part(part, begin) for part, begin in _places(parts, start)]
        if len(parts) <= 4 and all(read) and _go_together(read):
            for index, part in enumerate(read):
                yield from part
                if index < len(read) - 1:
                    yield Item("mark", joiner, part[-1].end, part[-1].end + 1)
            return
        break
    yield Item("other", core, start, start + len(core))


def _part(part: str, start: int) -> list[Item]:
    if part.isalpha():
        return [Item("word", part, start, start + len(part))]
    return _value(part, start)


def _places(parts: Sequence[str], start: int) -> Iterator[tuple[str, int]]:
    for part in parts:
        yield part, start
        start += len(part) + 1


def _go_together(read: Sequence[list[Item]]) -> bool:
    """Words alone; or two values; or a number and its unit, as in `45-minute`: no id is so."""
    kinds = [part[0].kind for part in read]
    words = [kind == "word" for kind in kinds]
    if all(words):
        return True
    long = any(len(part[0].text) > 6 for part in read if part[0].kind == "number")
    return len(read) == 2 and not words[0] and not (long and kinds == ["number", "number"])


def _han(run: str, start: int, before: Sequence[Item]) -> Iterator[Item]:
    """Words of the tables and numerals; other characters each by itself."""
    at = 0
    while at < len(run):
        numeral = _NUMERAL.match(run, at)
        word = _longest_word(run, at)
        if numeral and not (len(word) > 1 and _is_no_numeral(word, run, at)):
            # 三块五一斤 is 3.5 for one pound.
            end = at + 1 if run[at - 1 : at] == "块" else numeral.end()
            item = _numeral(run[at:end], start + at, run, end)
        else:
            text = word or run[at]
            item = Item("word" if word else "han", text, start + at, start + at + len(text))
        yield item
        at = item.end - start


def _longest_word(run: str, at: int) -> str:
    for length in range(min(LONGEST_HAN_WORD, len(run) - at), 0, -1):
        if run[at : at + length] in HAN_WORDS:
            return run[at : at + length]
    return ""


def _is_no_numeral(word: str, run: str, at: int) -> bool:
    """Whether a word that begins with a numeral is a word there: 十分 is, but not in 十分钟."""
    behind = run[at + len(word) : at + len(word) + 1]
    match word:
        case "十分":
            return behind not in ("钟", "之")
        case "一点":
            clock = behind and behind in f"半整钟到至{HAN_DIGITS}{HAN_MULTIPLES}一三刻"
            return not clock and not run[:at].endswith(("上", "午", "晨", "晚", "天", "早", "里"))
        case "一块":
            return behind not in ("钱", "五", *HAN_DIGITS[1:])
    return word in FALSE_FRIENDS or word in ("一半", "百分之", "零下")


def _numeral(numeral: str, start: int, run: str, end: int) -> Item:
    decimals = _HAN_DECIMALS.match(run, end)
    said = numeral + (decimals[0] if decimals else "")
    value = numerals.read_han(said) if len(said) <= LONGEST // 2 else None
    kind: ItemKind = "other" if value is None else "number"
    numbers = () if value is None else (value,)
    style: Literal["words", "lone"] = "lone" if len(said) == 1 or _spelt(said) else "words"
    return Item(kind, said, start, start + len(said), numbers=numbers, style=style)


def _spelt(numeral: str) -> bool:
    """Digits one after the other, as in a year or the number of a room."""
    return all(letter in HAN_DIGITS for letter in numeral)


def _join_words(items: Sequence[Item]) -> Iterator[Item]:
    """The items with English number words, and digits before 万 and the like, as one number."""
    at = 0
    for found in numerals.find_number_words(
        [i.text if i.kind in ("word", "mark") else "0" for i in items]
    ):
        yield from _join_multiples(items[at : found.start])
        first, last = items[found.start], items[found.end - 1]
        style = "ordinal" if found.ordinal else "lone" if found.lone else "words"
        text = " ".join(item.text for item in items[found.start : found.end])
        yield Item(
            "number",
            text,
            first.start,
            last.end,
            first.glued,
            text,
            (found.value,),
            style,  # type: ignore[arg-type]
        )
        at = found.end
    yield from _join_multiples(items[at:])


def _join_multiples(items: Sequence[Item]) -> Iterator[Item]:
    skip = False
    for item, behind in zip_longest(items, items[1:]):
        if skip:
            skip = False
            continue
        if (
            behind is not None
            and item.kind == "number"
            and behind.kind in ("number", "other")
            and behind.glued
            and behind.text[0] in HAN_MULTIPLES
            and len(item.numbers) == 1
        ):
            skip = True
            yield _joined(item, behind)
        else:
            yield item


def _joined(digits: Item, numeral: Item) -> Item:
    value = numerals.read_han(f"{digits.numbers[0]}{numeral.text}")
    return Item(
        "other" if value is None else "number",
        digits.text + numeral.text,
        digits.start,
        numeral.end,
        digits.glued,
        digits.exact + numeral.exact,
        () if value is None else (value,),
        "words",
    )
