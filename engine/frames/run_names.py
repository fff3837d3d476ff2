"""How a run is told from others: by its name and the first things that are known of it."""

from cards.clipping import clip
from cards.markdown import format_value, literal
from cards.model import Lang
from cards.texts import say
from cards.visible import visible
from engine.frames.state import Run

_KNOWN = 2
_CHARS = 40


def titled(run: Run) -> str:
    """The run by its name and the first two things that are known of it, as Markdown."""
    return " ".join([run.name, *map(literal, known(run))])


def asked_again(title: str, run: Run) -> str:
    """The title, as plain text, of a card that asks once more: it says which run it is about."""
    return " · ".join(filter(None, (title, " ".join(known(run)))))


def known(run: Run) -> list[str]:
    """The first two values of the run's data, short, on one line, with nothing unseen in them."""
    lang: Lang = run.lang
    values = (_short(value, lang) for value in run.state.data.values())
    return [value for value in values if value][:_KNOWN]


def _short(value: object, lang: Lang) -> str:
    """ "" for what names nothing: what was left out, and lists."""
    if isinstance(value, bool):
        return say("choice.yes" if value else "choice.no", lang)
    if not isinstance(value, str | int | float):
        return ""
    return clip(visible(format_value(value)), _CHARS)
