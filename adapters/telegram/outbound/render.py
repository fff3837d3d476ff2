"""Message views as HTML texts and an inline keyboard (design §8)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.constants import ParseMode

from adapters.telegram.outbound.markdown import spans_of
from adapters.telegram.outbound.richtext import (
    BOLD,
    ITALIC,
    LIMIT,
    Span,
    Tag,
    render_html,
    split,
    text_of,
    without_commands,
    without_mentions,
)
from cards.clipping import units
from cards.model import Lang, Row
from cards.showing.document import plain_document
from cards.showing.view import ButtonView, CardView, MessageView, PartState, PartView, Tone
from cards.texts import say
from engine.errors import PlatformError

UNPAGED, PER_PAGE = 24, 20
"""Up to how many buttons there are no pages, and the buttons of a page; Telegram takes 100."""

MOST_CHUNKS = 8
"""A view that needs more messages than this is cut, with a note."""

PIECE, MOST_PIECES = 1_000, 12
"""The size and number of messages in which a refused one is tried in pieces."""

_STATE_MARKS: dict[PartState, str] = {
    "working": "⏳",
    "waiting": "⌛",
    "answered": "",
    "needs_you": "✍️",
    "in_review": "👀",
    "done": "✅",
    "rejected": "❌",
    "refused": "❌",
    "failed": "⚠️",
    "withdrawn": "✖️",
    "cancelled": "✖️",
    "expired": "⚠️",
}
_TONE_MARKS: dict[Tone, str] = {"open": "", "good": "✅", "bad": "❌", "neutral": "▫️"}
_SHORT_LABEL = 18
_TURN = re.compile(r"p1:([0-9a-f]{1,4}-[A-Za-z0-9_-]{6,32}):([0-9]{1,3})")
_NOTE_ROOM = 60
_PARAGRAPH = Span("\n\n")


@dataclass(frozen=True, slots=True)
class RenderedTexts:
    """A view as texts, each of what one message holds, and whether they show all of it.

    They are HTML, or with no `mode` shown as they are.
    """

    chunks: list[str]
    whole: bool
    mode: ParseMode | None = ParseMode.HTML


def render_chunks(view: MessageView, *, most: int = MOST_CHUNKS) -> list[str]:
    """Return the view as one to `most` HTML texts, one for each message; never empty."""
    return render(view, most=most).chunks


def render(view: MessageView, *, most: int = MOST_CHUNKS, attached: bool = False) -> RenderedTexts:
    """Return the view as one to `most` HTML texts; never empty.

    When it does not fit, the parts are cut with a visible note; the card stays whole if it can.
    The note says where the rest is when it is `attached`.
    """
    if view.plainer:
        return _render_plainer(view)
    note = say("telegram.cut_file" if attached else "telegram.cut", view.lang)
    parts = _join([_part(part) for part in view.parts])
    card = _card(view.card, view.lang) if view.card else []
    chunks = list(split(_join([parts, card])))
    whole = len(chunks) <= most
    room = most * LIMIT - units(text_of(card)) - _NOTE_ROOM
    while len(chunks) > most and room > 0:
        chunks = list(split(_join([_cut(parts, room, note), card])))
        room = room * 3 // 4
    if len(chunks) > most:
        short = next(split(chunks[most - 1], LIMIT - _NOTE_ROOM))
        chunks = [*chunks[: most - 1], _with_note(short, note)]
    return RenderedTexts([render_html(chunk) for chunk in chunks] or ["…"], whole)


def _render_plainer(view: MessageView) -> RenderedTexts:
    """Return the view without mark-up, small for "pieces". Raises PlatformError for too many."""
    limit, most = (PIECE, MOST_PIECES) if view.plainer == "pieces" else (LIMIT, MOST_CHUNKS)
    chunks = [
        text_of(piece) for piece in split([Span(without_mentions(plain_document(view)))], limit)
    ]
    if len(chunks) > most:
        raise PlatformError(f"{len(chunks)} messages would be too many")
    return RenderedTexts(chunks or ["…"], True, None)


def card_keyboard(
    card: CardView | None, lang: Lang = "en", *, page: int = 0
) -> InlineKeyboardMarkup | None:
    """Return the card's buttons, two in a row where labels are short; None for no keyboard.

    A long list is shown page by page, with buttons that turn it.
    """
    if card is None or not card.buttons:
        return None
    buttons, turns = list(card.buttons), list[ButtonView]()
    if len(buttons) > UNPAGED:
        last_page = (len(buttons) - 1) // PER_PAGE
        page = min(max(page, 0), last_page)
        ways = (("telegram.previous", page - 1), ("telegram.next", page + 1))
        turns = [
            ButtonView(data=page_button_data(card.token, to), label=say(key, lang))
            for key, to in ways
            if 0 <= to <= last_page
        ]
        buttons = buttons[page * PER_PAGE : (page + 1) * PER_PAGE]
    rows = [*_in_rows(buttons), turns] if turns else _in_rows(buttons)
    return InlineKeyboardMarkup([[_button(button) for button in row] for row in rows])


def page_button_data(token: str, page: int) -> str:
    """Return the data of a button that turns to a page of the card's buttons."""
    return f"p1:{token}:{page}"


def parse_page_button(data: str) -> tuple[str, int] | None:
    """Return the card's token and the page that a button turns to; None for other buttons."""
    match = _TURN.fullmatch(data)
    return (match[1], int(match[2])) if match else None


def _in_rows(buttons: Sequence[ButtonView]) -> list[list[ButtonView]]:
    rows: list[list[ButtonView]] = []
    for button in buttons:
        last = rows[-1] if rows else []
        if len(last) == 1 and all(_is_short(b.opening_label) for b in (*last, button)):
            last.append(button)
        else:
            rows.append([button])
    return rows


def _button(button: ButtonView) -> InlineKeyboardButton:
    style = None if button.style == "plain" else button.style
    return InlineKeyboardButton(button.opening_label, callback_data=button.data, style=style)


def _is_short(label: str) -> bool:
    return sum(1 if char.isascii() else 2 for char in label) <= _SHORT_LABEL


def _part(part: PartView) -> list[Span]:
    spans = [Span(f"{part.number}.", (BOLD,)), Span(" ")] if part.number > 0 else []
    if mark := _STATE_MARKS[part.state]:
        spans.append(Span(f"{mark} "))
    if part.label:
        spans += [Span(without_mentions(part.label), (BOLD,)), Span("\n")]
    return [*spans, *spans_of(part.text)]


def _card(card: CardView, lang: Lang) -> list[Span]:
    rows = [_row(row, lang) for row in card.rows]
    problems = [[Span("⚠️ "), *spans_of(problem)] for problem in card.problems]
    outcome = (
        f"{_TONE_MARKS[card.tone]} {without_mentions(card.outcome)}".strip() if card.outcome else ""
    )
    sections = [
        [Span(without_mentions(card.title), (BOLD,))],
        spans_of(card.text),
        _join(problems, Span("\n")),
        _join(rows, Span("\n")),
        [Span(without_mentions(card.note), (ITALIC,))],
        spans_of(card.origin),
        [Span(outcome, (BOLD,))],
    ]
    # What people, records and models say on a card is no command of who reads it.
    return without_commands(_join(sections))


def _row(row: Row, lang: Lang) -> list[Span]:
    # A value of two lines would pose as two rows.
    line = "↵".join(without_mentions(row.value).splitlines())
    linked = (Tag("a", row.link),) if row.link.startswith("http") else ()
    label, colon = without_mentions(row.label), say("list.colon", lang)
    return [Span(label, (BOLD,)), Span(colon), Span(line, linked)]


def _join(sections: Sequence[list[Span]], between: Span = _PARAGRAPH) -> list[Span]:
    joined: list[Span] = []
    for section in sections:
        if text_of(section):
            joined += [between, *section] if joined else section
    return joined


def _cut(spans: list[Span], room: int, note: str) -> list[Span]:
    first = next(split(spans, max(room, 2)), [])
    return _with_note(first, note) if units(text_of(spans)) > room else spans


def _with_note(spans: list[Span], note: str) -> list[Span]:
    return [*spans, Span("\n"), Span(note, (ITALIC,))]
