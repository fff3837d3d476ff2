"""Messages, cards and answers in the making, as lines of a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.terminal.client import Entry
from bot.terminal.html_text import html_to_text, strip_controls
from bot.terminal.output import paint, table
from bot.terminal.room import View
from cards.model import Lang
from cards.texts import say

_STATES = {
    "working": "dim",
    "waiting": "dim",
    "needs_you": "yellow",
    "in_review": "yellow",
    "done": "green",
    "rejected": "red",
    "refused": "red",
    "failed": "red",
    "withdrawn": "dim",
    "cancelled": "dim",
    "expired": "red",
}
_TONES = {"good": ("✓", "green"), "bad": ("✕", "red")}
_TABLE, _TABLE_ENDS = "<table", "</table>"


@dataclass(frozen=True, slots=True)
class NumberedButton:
    """A button of a card, as the web chat shows it, and the language of its card."""

    number: int
    button: Mapping[str, Any]
    lang: Lang


@dataclass(frozen=True, slots=True)
class NumberedCard:
    """A card as the web chat shows it, its language, and its choices with their numbers."""

    card: Mapping[str, Any]
    lang: Lang
    choices: tuple[NumberedButton, ...]


class NumberedChoices:
    """The numbers of buttons; none is used twice, so that a late one never means another card."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._open: dict[str, tuple[NumberedButton, ...]] = {}

    def number_buttons(self, card: Mapping[str, Any], lang: str) -> tuple[NumberedButton, ...]:
        """The numbered buttons of a card as it is now; none of a closed card."""
        numbered = tuple(
            NumberedButton(self._number(str(button["data"])), button, lang)
            for button in card["buttons"]
        )
        self._open[str(card["token"])] = numbered
        return numbered

    def find(self, number: int) -> NumberedButton | None:
        """The open choice of that number."""
        every = (one for numbered in self._open.values() for one in numbered)
        return next((one for one in every if one.number == number), None)

    def is_known(self, number: int) -> bool:
        """Whether the number belongs to a choice, open or not."""
        return number in self._numbers.values()

    def _number(self, data: str) -> int:
        return self._numbers.setdefault(data, len(self._numbers) + 1)


def part_lines(view: View, before: View | None = None) -> Iterator[str]:
    """The parts of a message; of one that was shown before, those that changed."""
    known = before["parts"] if before else ()
    for part in view["parts"]:
        if part not in known:
            yield from _part(part, lang_of(view))


def lang_of(view: View) -> Lang:
    """The language of a message."""
    return str(view["lang"])


def card_lines(
    card: Mapping[str, Any], lang: Lang, choices: Sequence[NumberedButton]
) -> Iterator[str]:
    """A card with its numbered choices, or with its outcome."""
    kind = say(f"terminal.kind.{card['kind']}", lang)
    yield paint(f"[{kind}] {_line(card['title'])}", "bold")
    if card["outcome"]:
        mark, style = _TONES.get(card["tone"], ("-", "dim"))
        outcome = _line(card["outcome"])
        yield f"  {paint(f'{mark} {outcome}', style)}"
        return
    for html in (card["html"], card["origin"]["html"]):
        yield from _indented(html_to_text(html))
    if card["problems"]:
        yield f"  {paint(say('terminal.problems', lang), 'red')}"
        for problem in card["problems"]:
            yield from _indented(f"- {html_to_text(problem['html'])}")
    if rows := [*_rows(card), *_filled_rows(card)]:
        yield from _indented(table(rows))
    if card["note"]:
        yield from _indented(paint(strip_controls(card["note"]), "dim"))
    for one in choices:
        yield f"  {paint(f'{one.number})', 'bold cyan')} {_line(one.button['label'])}"


def _rows(card: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(_line(row["label"]), _line(row["value"])) for row in card["rows"]]


def _filled_rows(card: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the card's form holds already, which a page shows in the form itself."""
    form = next((each["form"] for each in card["buttons"] if each["form"]), ())
    if card["kind"] != "clarify":
        return []
    return [(_line(field["label"]), _filled(field)) for field in form if field["value"]]


def _filled(field: Mapping[str, Any]) -> str:
    value = str(field["labels"].get(field["value"], field["value"]))
    return _line(f"{value} {field['unit']}")


def message_data(view: View, cards: Sequence[NumberedCard]) -> dict[str, Any]:
    """A message for programs: its parts and its cards as plain text, choices with their numbers.

    `card` is the first of the `cards`.
    """
    parts = [
        {key: part[key] for key in ("number", "state", "label")}
        | {"text": html_to_text(part["html"])}
        for part in view["parts"]
    ]
    every = [_card_data(each.card, each.choices) for each in cards]
    first = every[0] if every else None
    return {"lang": view["lang"], "parts": parts, "card": first, "cards": every}


def _card_data(card: Mapping[str, Any], choices: Sequence[NumberedButton]) -> dict[str, Any]:
    same = {key: card[key] for key in ("token", "kind", "title", "rows", "note", "outcome")}
    return same | {
        "text": html_to_text(card["html"]),
        "problems": [html_to_text(problem["html"]) for problem in card["problems"]],
        "choices": [
            {"number": one.number, "label": one.button["label"], "fields": one.button["form"]}
            for one in choices
        ],
    }


def _part(part: Mapping[str, Any], lang: Lang) -> Iterator[str]:
    text = html_to_text(part["html"])
    if not part["number"]:
        yield text
        return
    state = paint(say(f"terminal.state.{part['state']}", lang), _STATES.get(part["state"], ""))
    yield f"{part['number']}. {_line(part['label'])} ({state})"
    yield from _indented(text)


def _indented(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if line:
            yield f"  {line}"


def _line(text: str) -> str:
    return " ".join(strip_controls(text).split())


class AnswerPrinter:
    """Splits answers that are being written into whole lines, which a terminal can keep."""

    def __init__(self) -> None:
        self._shown: dict[str, list[str]] = {}

    def next_lines(self, draft: Entry) -> list[str]:
        """The finished lines of a draft that were not returned before.

        None of a reply with several parts, since each would have to grow in its place.
        """
        parts = draft["view"]["parts"]
        if len(parts) != 1 or parts[0]["number"]:
            return []
        known = self._shown.get(str(draft["id"]), [])
        lines = _finished_lines(str(parts[0]["html"]))
        more = _lines_after(known, lines)
        if not more:
            return []
        self._shown[str(draft["id"])] = lines
        return more

    def remaining_lines(self, message_id: str, lines: list[str]) -> list[str]:
        """The lines of the whole answer that were not printed; all, if it begins otherwise."""
        more = _lines_after(self._shown.pop(message_id, []), lines)
        return lines if more is None else more


def _lines_after(known: list[str], lines: list[str]) -> list[str] | None:
    return lines[len(known) :] if lines[: len(known)] == known else None


def _finished_lines(html: str) -> list[str]:
    """All lines but the last, and but a table at the end, whose columns may still widen."""
    if html.rstrip().endswith(_TABLE_ENDS):
        return html_to_text(html[: html.rindex(_TABLE)]).split("\n")
    lines = html_to_text(html).split("\n")[:-1]
    # A table is a paragraph until the line below its head has come.
    while lines and "|" in lines[-1]:
        lines.pop()
    return lines
