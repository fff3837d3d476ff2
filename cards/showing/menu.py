"""Buttons that are of no card, as a message shows them below what it says."""

from cards.model import Lang
from cards.showing.view import ButtonView, CardView
from cards.texts import say


def cancel_menu(token: str, buttons: tuple[ButtonView, ...], lang: Lang) -> CardView | None:
    """Return buttons below a message, under the token of who shows them; None for none."""
    if not buttons:
        return None
    cancels = any(button.final for button in buttons)
    title = say("mine.menu" if cancels else "case.menu", lang)
    return CardView(token=token, kind="run", title=title, buttons=buttons)
