"""A message as one text, whole, for where it is too long or refused as it is."""

import re
from hashlib import sha256

from cards.markdown import literal
from cards.model import Row
from cards.showing.view import CardView, MessageView, PartView

SHORT_CHARS = 600
"""Outcomes and notes up to this length are shown in the message everywhere and left out here, so
that a decision makes no new document."""
FILE_NAME = "answer.md"
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def document(view: MessageView) -> str:
    """Return the message as Markdown, without its buttons and short outcomes and notes."""
    parts = [_part(part) for part in view.parts]
    return "\n\n".join([*parts, *(_card(view.card) if view.card else ())]).strip() + "\n"


def plain_document(view: MessageView) -> str:
    """Return the message as plain text, without its buttons."""
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
    sections = (card.title, text, problems, rows, card.note, origin, card.outcome)
    return "\n\n".join([*parts, *(each.strip() for each in sections if each.strip())])


def digest(text: str) -> str:
    """Return a short digest that tells one document of a message from another."""
    return sha256(text.encode(errors="replace")).hexdigest()[:12]


def is_settled(view: MessageView) -> bool:
    """Whether no part of the message is still being worked on."""
    return all(part.state != "working" for part in view.parts)


def _without_escapes(markdown: str) -> str:
    return _ESCAPED.sub(r"\1", markdown).strip()


def _part(part: PartView) -> str:
    number = f"{part.number}. " if part.number else ""
    head = f"## {number}{literal(part.label)}".strip() if number or part.label else ""
    return "\n\n".join(filter(None, (head, _close_fence(part.text))))


def _card(card: CardView) -> list[str]:
    rows = "\n".join(f"- **{literal(row.label)}** {_value(row)}" for row in card.rows)
    problems = "\n".join(f"- {' '.join(problem.split())}" for problem in card.problems)
    long = [literal(text) for text in (card.note, card.outcome) if len(text) > SHORT_CHARS]
    sections = (f"## {literal(card.title)}", _close_fence(card.text), problems, rows, *long)
    return [text for text in sections if text.strip()]


def _value(row: Row) -> str:
    shown = literal(row.value)
    return f"[{shown}]({row.link})" if row.link.startswith("http") else shown


def _close_fence(text: str) -> str:
    """Close the code fence that the text leaves open, so that it swallows nothing that follows."""
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
