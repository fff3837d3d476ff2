"""`signoff ask`: one message, one reply."""

import asyncio
import json
import shlex
import sys
from collections.abc import Sequence
from enum import IntEnum

from bot.terminal.client import ChatClient, Speaker, enter_room
from bot.terminal.formatting import (
    NumberedCard,
    NumberedChoices,
    card_lines,
    lang_of,
    message_data,
    part_lines,
)
from bot.terminal.room import Room, View, is_open, part_states
from cards.showing.view import NOT_DONE
from cards.texts import say


class Status(IntEnum):
    """How `ask_once` ends; 1 is also that the service does not answer, 2 a wrong setting."""

    ANSWERED = 0
    FAILED = 1
    NEEDS_YOU = 3
    WAITS = 4
    NOT_SETTLED = 5


async def ask_once(me: Speaker, text: str, *, link: str, as_json: bool, timeout_s: float) -> int:
    """Send a message, wait for the reply, print it. Raises NoService, RequestRefused."""
    async with enter_room(me, link=link) as chat, Room().followed(chat) as room:
        reply = await chat.say(text)

        def settled() -> bool:
            return reply in room.shown and "working" not in part_states(room.shown[reply])

        in_time = await room.until(settled, timeout_s)
        view = room.shown.get(reply)
        if view and in_time:
            view, in_time = await _follow(reply, chat, room, timeout_s)
        ends = _status(view) if view and in_time else Status.NOT_SETTLED
        cards = await _cards_of(reply, view, ends, chat) if view else ()
        if as_json:
            told = {"reply": reply, "room": chat.me.room, "status": ends.name.lower()}
            shown = message_data(view, cards) if view else {}
            print(json.dumps(told | shown, ensure_ascii=False))
            return ends
        if view:
            _print(view, cards)
        await _print_what_next(chat, view, [card.card for card in cards], ends, timeout_s)
        return ends


async def _follow(reply: str, chat: ChatClient, room: Room, timeout_s: float) -> tuple[View, bool]:
    """The reply, with what the card that its message answered has led to, and whether that is told.

    What followed is told in the reply that had asked the card.
    """
    view = room.shown[reply]
    clock = asyncio.get_running_loop().time
    ends = clock() + timeout_s
    while True:
        seen = room.entries
        now = await chat.cards_of(reply)
        earlier = room.shown.get(now.get("goes_on", ""))
        if not now.get("goes_on"):
            return view, True
        if earlier and now["settled"] and part_states(earlier).issuperset(now["states"]):
            return {**view, "parts": [*view["parts"], *earlier["parts"]]}, True
        if not await room.changed_since(seen, ends - clock()):
            return view, False


async def _cards_of(
    reply: str, view: View, ends: Status, chat: ChatClient
) -> tuple[NumberedCard, ...]:
    """The card in the reply's message, and all others that the message has opened."""
    own = view["card"]
    cards = [(own, lang_of(view))] if own else []
    if ends in (Status.NEEDS_YOU, Status.WAITS):
        more = (await chat.cards_of(reply)).get("cards", ())
        cards += [(each, str(each["lang"])) for each in more if own is None or not _same(each, own)]
    numbers = NumberedChoices()
    # What waits for others has nothing for the person to choose.
    mine = ends is not Status.WAITS
    return tuple(
        NumberedCard(card, lang, numbers.number_buttons(card, lang) if mine else ())
        for card, lang in cards
    )


def _same(card: View, other: View) -> bool:
    return bool(card["token"] == other["token"])


def _status(view: View) -> Status:
    now = part_states(view)
    if "needs_you" in now:
        return Status.NEEDS_YOU
    if now & {"in_review", "waiting"}:
        return Status.WAITS
    return Status.FAILED if now & NOT_DONE else Status.ANSWERED


def _print(view: View, cards: Sequence[NumberedCard]) -> None:
    for line in part_lines(view):
        print(line)
    for each in cards:
        print()
        for line in card_lines(each.card, each.lang, each.choices):
            print(line)


async def _print_what_next(
    chat: ChatClient, view: View | None, shown: Sequence[View], ends: Status, timeout_s: float
) -> None:
    me = chat.me
    command = shlex.join(
        ["signoff", "chat", "--url", me.url, "--as", me.id, "--room", me.room],
    )
    lang = lang_of(view) if view else "en"
    if ends is Status.NOT_SETTLED:
        told = say("terminal.not_settled", lang, seconds=f"{timeout_s:g}", command=command)
        print(told, file=sys.stderr)
    if ends is not Status.NEEDS_YOU or view is None:
        return
    if any(map(is_open, shown)):
        print(say("terminal.go_on", lang, command=command), file=sys.stderr)
    waiting = (await chat.waiting())["cards"]
    others = [card for card in waiting if not any(_same(card, each) for each in shown)]
    if others:
        told = say("terminal.more_wait", lang, count=len(others), command=command)
        print(told, file=sys.stderr)
