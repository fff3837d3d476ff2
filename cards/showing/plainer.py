"""Views to try in turn when a platform refuses to show a message as it is."""

from collections.abc import Iterator

from cards.showing.document import is_settled
from cards.showing.view import CardView, MessageView, PartView
from cards.texts import say


def plainer_views(
    view: MessageView, link: str, *, edits: bool = False
) -> Iterator[tuple[str, MessageView]]:
    """Yield names and views to try in turn: the view as it is, then plainer each time.

    Buttons stay as long as a view with them is accepted. `link` is where people find what is not
    shown; where it is "", they are told which command to give. When the view `edits` a message, a
    new message is tried last.
    """
    yield "ok", view
    # Work in progress is no file, and soon over.
    for way in ("plain", "pieces", "file") if is_settled(view) else ("plain",):
        yield way, view.model_copy(update={"plainer": way})
    command = "/pending" if view.card else "/runs"
    key = "unshown.link" if link else "unshown.command"
    notice = say(key, view.lang, link=link, command=command)
    yield "line", one_line_view(view, notice)
    if view.card and view.card.buttons:
        # The buttons may be what is refused.
        bare = view.card.model_copy(update={"buttons": (), "note": notice})
        yield "no_buttons", view.model_copy(update={"card": bare, "plainer": "plain"})
        yield "bare_line", one_line_view(view.model_copy(update={"card": None}), notice)
    if edits:
        yield "anew", view.model_copy(update={"plainer": "anew"})
        yield "line_anew", one_line_view(view, notice).model_copy(update={"plainer": "anew"})


def one_line_view(view: MessageView, text: str) -> MessageView:
    """Return the message with one plain line in place of its text, above its buttons."""
    part = PartView(number=0, state="answered", text=text)
    card = view.card and CardView(
        token=view.card.token, kind=view.card.kind, title="", buttons=view.card.buttons
    )
    return MessageView(lang=view.lang, parts=(part,), card=card, plainer="plain")
