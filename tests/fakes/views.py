"""Small message views."""

from cards.showing.view import ButtonView, CardView, MessageView, PartView

APPROVE = ButtonView(data="s1:1f-AbCdEf123456:approve:1", label="Approve")


def view(text: str, *buttons: ButtonView) -> MessageView:
    """A settled answer; with buttons, a card below it."""
    parts = (PartView(number=0, state="answered", text=text),)
    card = CardView(token="1f-AbCdEf123456", kind="confirm", title="Sign off?", buttons=buttons)
    return MessageView(lang="en", parts=parts, card=card if buttons else None)
