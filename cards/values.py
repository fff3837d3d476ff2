"""How values stand on a card: in a row, or with room of their own."""

from cards.markdown import literal, quoted, written
from cards.model import Lang, Value
from cards.texts import say
from cards.visible import visible


def in_row(value: Value | None, unit: str, lang: Lang) -> str:
    """A value as plain text with its unit; what was left out is said to be so."""
    if value is None or value == "":
        return say("card.blank", lang)
    shown = visible(written(value))
    return f"{shown} {unit}" if unit else shown


def in_text(label: str, text: str, lang: Lang) -> str:
    """A text of several lines as Markdown, quoted under its label."""
    head = f"**{literal(label)}**"
    if not text:
        return f"{head}{say('list.colon', lang)}{say('card.blank', lang)}"
    return f"{head}\n\n{quoted(visible(text, lines=True))}"
