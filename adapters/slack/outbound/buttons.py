"""A card's buttons in Block Kit: buttons, a menu for many choices, confirmations; pure."""

from collections.abc import Sequence
from typing import Any

from adapters.slack.outbound.markdown import literal, without_turns
from adapters.slack.payload import ACTION_PREFIX
from cards.clipping import clip, units
from cards.model import Lang
from cards.showing.show import final_text
from cards.showing.view import ButtonView, CardView
from cards.texts import say

BUTTONS = 5
"""The most plain choices that are buttons; more are a menu."""

OPTIONS = 100
"""The most options of a menu, or of a group in it."""

_IN_MENU = 4_000
_ELEMENTS = 25
_LABEL = 75
_VALUE = 2_000
_TITLE = 100
_TEXT = 300
_ANSWER = 30

Json = dict[str, Any]


def actions(card: CardView, lang: Lang) -> list[Json]:
    """Return the actions block of an open card, and a note on choices without room; [] for none."""
    if not card.buttons:
        return []
    plain = [button for button in card.buttons if button.style == "plain" and not button.final]
    listed = plain if len(plain) > BUTTONS else []
    shown = [button for button in card.buttons if button not in listed]
    menu, left = _menu(listed, lang)
    buttons = [_button(i, b, card, lang) for i, b in enumerate(shown[: _ELEMENTS - len(menu)])]
    left += len(shown) - len(buttons)
    blocks: list[Json] = [{"type": "actions", "elements": [*menu, *buttons]}]
    if left:
        note = literal(say("slack.more_buttons", lang, count=left))
        text = {"type": "mrkdwn", "text": note, "verbatim": True}
        blocks.append({"type": "context", "elements": [text]})
    return blocks


def menu_options(options: Sequence[Json]) -> Json:
    """Return the options of a menu, in numbered groups where they are too many for a list."""
    if len(options) <= OPTIONS:
        return {"options": [*options]}
    groups = []
    for first in range(0, len(options), OPTIONS):
        part = [*options[first : first + OPTIONS]]
        groups.append({"label": plain_text(f"{first + 1} - {first + len(part)}"), "options": part})
    return {"option_groups": groups}


def plain_text(text: str) -> Json:
    """Return a text object that shows plain text as it is."""
    return {"type": "plain_text", "text": text, "emoji": False}


def _menu(listed: Sequence[ButtonView], lang: Lang) -> tuple[list[Json], int]:
    """Return a menu of these choices, none for none; and how many have no room."""
    options: list[Json] = []
    room = _IN_MENU
    for button in listed:
        label = _label(button, _LABEL)
        room -= units(label)
        if room < 0:
            break
        options.append({"text": plain_text(label), "value": _value(button)})
    if not options:
        return [], 0
    menu = {
        "type": "static_select",
        "action_id": f"{ACTION_PREFIX}menu",
        "placeholder": plain_text(say("slack.choose", lang)),
    }
    return [menu | menu_options(options)], len(listed) - len(options)


def _button(index: int, button: ButtonView, card: CardView, lang: Lang) -> Json:
    element: Json = {
        "type": "button",
        "action_id": f"{ACTION_PREFIX}{index}",
        "text": plain_text(_label(button, _LABEL)),
        "value": _value(button),
    }
    if button.style != "plain":
        element |= {"style": button.style}
    return element | {"confirm": _confirm_dialog(button, card, lang)} if button.final else element


def _confirm_dialog(button: ButtonView, card: CardView, lang: Lang) -> Json:
    warning = final_text(without_turns(card.title), lang)
    dialog: Json = {
        "title": plain_text(_label(button, _TITLE)),
        "text": plain_text(clip(warning, _TEXT)),
        "confirm": plain_text(_label(button, _ANSWER)),
        "deny": plain_text(say("card.not_now", lang)),
    }
    return dialog | {"style": button.style} if button.style != "plain" else dialog


def _label(button: ButtonView, limit: int) -> str:
    return clip(" ".join(without_turns(button.opening_label).split()), limit) or "…"


def _value(button: ButtonView) -> str:
    if units(button.data) > _VALUE:
        raise ValueError("button data is too long for Slack")
    return button.data
