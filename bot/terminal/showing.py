"""Messages and cards of the web chat as lines of a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.terminal.choices import NumberedButton
from bot.terminal.colours import paint
from bot.terminal.plain import harmless, to_text
from bot.terminal.room import View
from bot.terminal.tables import table
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


def part_lines(view: View, before: View | None = None) -> Iterator[str]:
    """The parts of a message; of one that was shown before, those that are otherwise now."""
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
    """A card with its numbered choices, or with what came of it."""
    kind = say(f"terminal.kind.{card['kind']}", lang)
    yield paint(f"[{kind}] {_line(card['title'])}", "bold")
    if card["outcome"]:
        mark, style = _TONES.get(card["tone"], ("-", "dim"))
        outcome = _line(card["outcome"])
        yield f"  {paint(f'{mark} {outcome}', style)}"
        return
    for html in (card["html"], card["origin"]["html"]):
        yield from _indented(to_text(html))
    if card["problems"]:
        yield f"  {paint(say('terminal.problems', lang), 'red')}"
        for problem in card["problems"]:
            yield from _indented(f"- {to_text(problem['html'])}")
    rows = [(_line(row["label"]), _line(row["value"])) for row in card["rows"]]
    if rows:
        yield from _indented(table(rows))
    if card["note"]:
        yield from _indented(paint(harmless(card["note"]), "dim"))
    for one in choices:
        yield f"  {paint(f'{one.number})', 'bold cyan')} {_line(one.button['label'])}"


def as_data(view: View, choices: Sequence[NumberedButton]) -> dict[str, Any]:
    """A message for programs: its parts and its card as plain text, choices with their numbers."""
    parts = [
        {key: part[key] for key in ("number", "state", "label")} | {"text": to_text(part["html"])}
        for part in view["parts"]
    ]
    card = view["card"]
    return {
        "lang": view["lang"],
        "parts": parts,
        "card": card and _card_data(card, choices),
    }


def _card_data(card: Mapping[str, Any], choices: Sequence[NumberedButton]) -> dict[str, Any]:
    same = {key: card[key] for key in ("token", "kind", "title", "rows", "note", "outcome")}
    return same | {
        "text": to_text(card["html"]),
        "problems": [to_text(problem["html"]) for problem in card["problems"]],
        "choices": [
            {"number": one.number, "label": one.button["label"], "fields": one.button["form"]}
            for one in choices
        ],
    }


def _part(part: Mapping[str, Any], lang: Lang) -> Iterator[str]:
    text = to_text(part["html"])
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
    return " ".join(harmless(text).split())
