"""All values in a text, none of them over another."""

from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from engine.text.entities import simplified
from engine.text.language import HAN
from engine.text.readers.clock import find_time
from engine.text.readers.cursor import Items
from engine.text.readers.days import find_day
from engine.text.readers.durations import find_duration, iso_duration
from engine.text.readers.lexer import LONGEST, Item, lex
from engine.text.readers.money import find_money
from engine.text.readers.numbers import find_number
from engine.text.readers.ranges import find_pair, find_range
from engine.text.readers.reading import Reading
from engine.text.readers.words import OPENERS

MOST = 12
"""So many values of a text are read; who says more fills in the form."""
KEPT, KEPT_CHARS = 64, 500
"""The readings of so many texts of so many characters are kept."""
MOST_TRIES = 200
"""At so many places of a text is a value looked for."""


def find_readings(text: str, today: date, *, weak: bool = False) -> tuple[Reading, ...]:
    """What a text that people wrote gives as values, in order; at each place the longest.

    `weak` ones, which are values only behind a field's name, and days that no calendar has, which
    are a date of no value, come on request.
    """
    # A step and the one after it read the same message.
    return (_find_kept if len(text) <= KEPT_CHARS else _find)(simplified(text), today, weak)


def _find(text: str, today: date, weak: bool) -> tuple[Reading, ...]:
    items = Items(lex(text), today, chinese=bool(HAN.search(text)))
    found: list[Reading] = []
    at = tries = 0
    while at < len(items.items) and len(found) < MOST and tries < MOST_TRIES:
        if not _may_begin(items.at(at)):
            at += 1
            continue
        tries += 1
        end, reading = _longest(items, at)
        if reading is not None and (weak or not reading.weak):
            found.append(reading)
        at = end
    return tuple(found)


_find_kept = lru_cache(maxsize=KEPT)(_find)


def _longest(items: Items, at: int) -> tuple[int, Reading | None]:
    found = [(end, reading) for end, reading in _all(items, at) if _is_short(reading)]
    if not found:
        return at + 1, None
    return max(found, key=lambda each: each[0])


def _may_begin(item: Item) -> bool:
    if item.kind in ("number", "date", "time"):
        return True
    return item.text in OPENERS or (len(item.exact) == len("EUR") and item.exact.isupper())


def _is_short(reading: Reading) -> bool:
    return reading.end - reading.start <= LONGEST


def _all(items: Items, at: int) -> Iterator[tuple[int, Reading]]:
    """What may begin there; of those that are as long, the first is meant."""
    start = items.at(at).start

    def end_of(index: int) -> int:
        return items.at(index - 1).end

    if ranged := find_range(items, at):
        yield ranged
    if money := find_money(items, at):
        yield money.end, Reading("money", start, end_of(money.end), money.values)
    if day := find_day(items, at):
        days = tuple(found.isoformat() for found in day.days)
        yield day.end, Reading("date", start, end_of(day.end), days, weak=not days)
    if time := find_time(items, at):
        begin = at + (items.text(at) == "at")
        times = tuple(f"{minutes // 60:02}:{minutes % 60:02}" for minutes in time.times)
        yield time.end, Reading("time", items.at(begin).start, end_of(time.end), times)
    if duration := find_duration(items, at):
        iso = (iso_duration(duration.amounts),)
        yield duration.end, Reading("duration", start, end_of(duration.end), iso)
    if pair := find_pair(items, at):
        yield pair
    if number := find_number(items, at):
        reading = Reading("number", start, end_of(number.end), number.values, number.weak)
        yield number.end, reading
