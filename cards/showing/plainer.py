"""What a platform refuses to show is shown plainer, step by step, until it takes it."""

from collections.abc import Iterator

from cards.showing.document import is_settled
from cards.showing.view import CardView, MessageView, PartView
from cards.texts import say


def plainer_views(
    view: MessageView, link: str, *, edits: bool = False
) -> Iterator[tuple[str, MessageView]]:
    """The names and views of what is tried in turn: as it is, and plainer each time.

    The buttons stay as long as anything that has them is taken. `link` is where people find what
    is not shown, "" where there is no such address: then they are told what to say. What `edits` a
    message that takes nothing comes as a new one in the end.
    """
    yield "ok", view
    # What is still being worked on is no file, and soon over.
    for way in ("plain", "pieces", "file") if is_settled(view) else ("plain",):
        yield way, view.model_copy(update={"plainer": way})
    command = "/pending" if view.card else "/runs"
    key = "unshown.link" if link else "unshown.command"
    told = say(key, view.lang, link=link, command=command)
    yield "line", one_line_view(view, told)
    if view.card and view.card.buttons:
        # It may be the buttons that are refused: then all that is to be read comes without them.
        bare = view.card.model_copy(update={"buttons": (), "note": told})
        yield "no_buttons", view.model_copy(update={"card": bare, "plainer": "plain"})
        yield "bare_line", one_line_view(view.model_copy(update={"card": None}), told)
    if edits:
        yield "anew", view.model_copy(update={"plainer": "anew"})
        yield "line_anew", one_line_view(view, told).model_copy(update={"plainer": "anew"})


def one_line_view(view: MessageView, told: str) -> MessageView:
    """One plain line in place of all that the message says, above its buttons."""
    part = PartView(number=0, state="answered", text=told)
    card = view.card and CardView(
        token=view.card.token, kind=view.card.kind, title="", buttons=view.card.buttons
    )
    return MessageView(lang=view.lang, parts=(part,), card=card, plainer="plain")
