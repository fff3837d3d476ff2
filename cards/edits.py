"""What reviewers may edit on a card, and their edits (runs-and-reviews §1.8)."""

import json
from datetime import datetime
from hashlib import sha256
from typing import Any

from pydantic import Field

from cards.frozen import Frozen
from cards.values import Value

EDIT = "edit"
"""The choice that changes a card."""


class EditableValue(Frozen):
    """A value that may be changed, named as the field of the form that asks for it.

    `rows` or `pieces` are where the card shows it, `at` where it stands in the content, `options`
    what a choice stands for that is not its text. `author` changed it before this card was opened.
    """

    name: str
    rows: tuple[int, ...] = ()
    pieces: tuple[int, ...] = ()
    at: tuple[tuple[int | str, ...], ...] = ()
    options: dict[str, bool] = Field(default_factory=dict)
    author: str = ""


class EditableContent(Frozen):
    """What may be edited on a card: `content` is what is approved, as canonical JSON.

    `pieces` are the paragraphs of the card's text.
    """

    content: str
    pieces: tuple[str, ...]
    values: tuple[EditableValue, ...]


class Edit(Frozen):
    """One value that a reviewer changed: `before` and `after` as people read them.

    `value` is what the form gave, None when the field was cleared.
    """

    name: str
    label: str
    before: str
    after: str
    value: Value | None
    person: str
    person_name: str
    at: datetime


def canonical(content: Any) -> str:
    """Return the canonical JSON of what is approved."""
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(content: str) -> str:
    """Return the SHA-256 of a canonical text."""
    return sha256(content.encode()).hexdigest()
