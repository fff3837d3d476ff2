"""A message as one Markdown text, for where it is too long to be shown: nothing is left out."""

import re
from hashlib import sha256

from cards.markdown import literal
from cards.showing.view import CardView, MessageView, PartView

SHORT_CHARS = 600
"""Outcomes and notes of so many characters are shown whole everywhere, and so not repeated here:
a card that is decided is no new document."""
FILE_NAME = "answer.md"
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def document(view: MessageView) -> str:
    """All that the message says, but for short outcomes and notes, and its buttons."""
    parts = [_part(part) for part in view.parts]
    return "\n\n".join([*parts, *(_card(view.card) if view.card else ())]).strip() + "\n"


def plain_document(view: MessageView) -> str:
    """All that the message says, but for its buttons, as text that is no mark-up of anybody's."""
    parts = [
        "\n".join(
            filter(None, (f"{part.number or ''} {part.label}".strip(), _without_escapes(part.text)))
        )
        for part in view.parts
    ]
    card = view.card
    if card is None:
        return "\n\n".join(parts)
    rows = "\n".join(f"{row.label}: {row.value}" for row in card.rows)
    problems = "\n".join(f"- {_without_escapes(problem)}" for problem in card.problems)
    text, origin = _without_escapes(card.text), _without_escapes(card.origin)
    told = (card.title, text, problems, rows, card.note, origin, card.outcome)
    return "\n\n".join([*parts, *(each.strip() for each in told if each.strip())])


def digest(text: str) -> str:
    """Tells one document of a message from another."""
    return sha256(text.encode(errors="replace")).hexdigest()[:12]


def is_settled(view: MessageView) -> bool:
    """Whether nothing in the message is still being worked on."""
    return all(part.state != "working" for part in view.parts)


def _without_escapes(markdown: str) -> str:
    return _ESCAPED.sub(r"\1", markdown).strip()


def _part(part: PartView) -> str:
    number = f"{part.number}. " if part.number else ""
    head = f"## {number}{literal(part.label)}".strip() if number or part.label else ""
    return "\n\n".join(filter(None, (head, _close_fence(part.text))))


def _card(card: CardView) -> list[str]:
    rows = "\n".join(f"- **{literal(row.label)}** {literal(row.value)}" for row in card.rows)
    problems = "\n".join(f"- {' '.join(problem.split())}" for problem in card.problems)
    long = [literal(text) for text in (card.note, card.outcome) if len(text) > SHORT_CHARS]
    told = (f"## {literal(card.title)}", _close_fence(card.text), problems, rows, *long)
    return [text for text in told if text.strip()]


def _close_fence(text: str) -> str:
    """The text with the fence closed that it leaves open: it swallows nothing of what follows."""
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if not found:
            continue
        if not fence:
            fence = found[1]
        elif found[1].startswith(fence) and not found[2].strip():
            fence = ""
    return f"{text}\n{fence}" if fence else text
