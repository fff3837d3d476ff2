"""What a platform refuses to show is shown plainer, step by step, until it takes it."""

from collections.abc import Iterator

from cards.texts import say
from cards.view import CardView, MessageView, PartView


def ways(view: MessageView, link: str) -> Iterator[tuple[str, MessageView]]:
    """The names and views of what is tried in turn: as it is, and plainer each time.

    The buttons stay as long as anything that has them is taken. `link` is where people find what
    is not shown, "" where there is no such address: then they are told what to say.
    """
    yield "ok", view
    for way in ("plain", "pieces", "file"):
        yield way, view.model_copy(update={"plainer": way})
    command = "/pending" if view.card else "/runs"
    key = "unshown.link" if link else "unshown.command"
    told = say(key, view.lang, link=link, command=command)
    yield "line", line(view, told)
    if view.card and view.card.buttons:
        # It may be the buttons that are refused: then all that is to be read comes without them.
        bare = view.card.model_copy(update={"buttons": (), "note": told})
        yield "no_buttons", view.model_copy(update={"card": bare, "plainer": "plain"})
        yield "bare_line", line(view.model_copy(update={"card": None}), told)


def line(view: MessageView, told: str) -> MessageView:
    """One plain line in place of all that the message says, above its buttons."""
    part = PartView(number=0, state="answered", text=told)
    card = view.card and CardView(
        token=view.card.token, kind=view.card.kind, title="", buttons=view.card.buttons
    )
    return MessageView(lang=view.lang, parts=(part,), card=card, plainer="plain")
