"""Buttons that are of no card, as a message shows them below what it says."""

from cards.model import Lang
from cards.showing.view import ButtonView, CardView
from cards.texts import say


def cancel_menu(token: str, buttons: tuple[ButtonView, ...], lang: Lang) -> CardView | None:
    """Return the buttons that cancel runs, under the token of who shows them; None without any."""
    if not buttons:
        return None
    return CardView(token=token, kind="run", title=say("mine.menu", lang), buttons=buttons)
