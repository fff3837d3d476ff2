"""How people tell runs apart: by the name and the first values of the data."""

from cards.clipping import clip
from cards.markdown import format_value, literal
from cards.model import Lang
from cards.texts import say
from cards.visible import visible
from engine.frames.state import Run

_KNOWN = 2
_CHARS = 40


def run_title(run: Run) -> str:
    """The run's name and the first two values of its data, as Markdown."""
    return " ".join([run.name, *map(literal, known_values(run))])


def repeated_title(title: str, run: Run) -> str:
    """The title of a card that asks once more, as plain text; it says which run it is about."""
    return " · ".join(filter(None, (title, " ".join(known_values(run)))))


def known_values(run: Run) -> list[str]:
    """The first two values of the run's data as people read them, each clipped and on one line."""
    lang: Lang = run.lang
    labels = run.state.labels
    values = (
        _short_title(value, labels.get(path, {}).get(str(value), ""), lang)
        for path, value in run.state.data.items()
    )
    return [value for value in values if value][:_KNOWN]


def _short_title(value: object, label: str, lang: Lang) -> str:
    """The value by its label, if any; by itself where the id in a long label would be cut off."""
    shown, own = _short_value(label or value, lang), _short_value(value, lang)
    return own if own in label and own not in shown else shown


def _short_value(value: object, lang: Lang) -> str:
    """The value as text; "" for lists, and for what was left out."""
    if isinstance(value, bool):
        return say("choice.yes" if value else "choice.no", lang)
    if not isinstance(value, str | int | float):
        return ""
    return clip(visible(format_value(value)), _CHARS)
