"""The button that cancels a run, wherever it stands: below a list, in the Home tab, on the page."""

from cards.buttons import CANCEL_RUN, Button
from cards.clipping import clip
from cards.model import Lang
from cards.showing.view import ButtonView, ConfirmView
from cards.texts import say
from cards.visible import visible
from engine.frames.run_names import known_values
from engine.frames.state import Run

_LABEL = 60


def cancel_button(run: Run, lang: Lang) -> ButtonView:
    """The button that cancels the run, which nobody can take back."""
    return ButtonView(
        data=Button(token=run.id, choice=CANCEL_RUN, revision=0).pack(),
        label=say("mine.cancel", lang, name=plain_title(run)),
        style="danger",
        final=True,
    )


def cancel_question(run: Run, lang: Lang) -> ConfirmView:
    """Whether the person is sure that the run is to be cancelled."""
    button = cancel_button(run, lang)
    return ConfirmView(
        data=button.data,
        lang=lang,
        text=say("card.sure", lang, title=plain_title(run)),
        confirm=say("card.really", lang, label=button.label),
        cancel=say("card.not_now", lang),
        style="danger",
        apart=True,
    )


def plain_title(run: Run) -> str:
    """What the run is called, and what it is about, as plain text."""
    return clip(visible(" ".join((run.name, *known_values(run)))), _LABEL)
