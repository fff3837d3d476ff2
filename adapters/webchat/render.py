"""Messages as JSON for the page, with Markdown rendered to HTML (design §8)."""

from collections.abc import Sequence
from typing import Any

from adapters.webchat.markdown import to_html
from cards.model import Field, Row
from cards.showing.view import ButtonView, CardView, ChartView, FormView, MessageView, PartView
from cards.visible import visible


def render_message(view: MessageView) -> dict[str, Any]:
    """Return the view as JSON; only keys named `html` hold markup, all else is plain text."""
    return {
        "lang": view.lang,
        "parts": [_part(part) for part in view.parts],
        "card": render_card(view.card) if view.card else None,
        "card_part": view.card_part,
        "chart": _chart(view.chart) if view.chart else None,
    }


def render_form(form: FormView) -> dict[str, Any]:
    """A form that was wanted by a tap, as JSON; all of it plain text."""
    return form.model_copy(update={"fields": _fields(form.fields)}).model_dump(mode="json")


def _part(part: PartView) -> dict[str, Any]:
    return {
        "number": part.number,
        "state": part.state,
        "label": part.label,
        "html": to_html(part.text),
    }


def render_card(card: CardView) -> dict[str, Any]:
    """A card as JSON, as messages hold it."""
    return {
        "token": card.token,
        "kind": card.kind,
        "title": card.title,
        "html": to_html(card.text),
        "problems": [{"html": to_html(problem)} for problem in card.problems],
        "rows": [_row(row) for row in card.rows],
        "note": card.note,
        "origin": {"html": to_html(card.origin)},
        "buttons": [_button(button) for button in card.buttons],
        "outcome": card.outcome,
        "tone": card.tone,
    }


def _row(row: Row) -> dict[str, Any]:
    """A row; its link leads to this page's own service, wherever that is reached."""
    return {"label": row.label, "value": row.value} | ({"link": row.path} if row.link else {})


def _chart(chart: ChartView) -> dict[str, Any]:
    return chart.model_dump(mode="json") | {"told": chart.alt_text}


def _button(button: ButtonView) -> dict[str, Any]:
    return button.model_copy(update={"form": _fields(button.form)}).model_dump(mode="json")


def _fields(fields: Sequence[Field]) -> tuple[Field, ...]:
    """The fields with what would not be seen of their options' and things' names made visible."""
    return tuple(
        each.model_copy(update={"labels": {v: visible(name) for v, name in each.labels.items()}})
        for each in fields
    )
