"""MessageView to Block Kit blocks with fallback text; pure, always inside Slack's limits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from adapters.slack.outbound import rich_text
from adapters.slack.outbound.buttons import actions, plain_text
from adapters.slack.outbound.layout import SECTION, cut, fit, pack, size_of
from adapters.slack.outbound.markdown import (
    Chunk,
    bold,
    chunks,
    escape,
    is_lossy,
    link,
    literal,
    render,
    without_turns,
)
from adapters.slack.outbound.rich_text import StyledText
from cards.clipping import clip, units
from cards.model import Lang, Row
from cards.showing.document import SHORT_CHARS, plain_document
from cards.showing.view import CardView, MessageView, PartState, PartView, Tone
from engine.errors import PlatformError

# Slack refuses about 13,200 characters in all, undocumented; notes and fences need some room.
TOTAL = 12_400
FALLBACK = 4_000
BLOCKS = 50
MOST = 3
"""The most messages of one view; a longer one is shortened, with a file of the whole."""
PIECE, MOST_PIECES = 900, 12
"""The size and number of messages in which a refused one is tried in pieces."""
_PARTS_LEAST = 400
_BRIEF = 4_500
_BRIEF_NOTICE = 150
_TITLE = 300
_LINE = SHORT_CHARS
_BOLD: frozenset[rich_text.Style] = frozenset(["bold"])

_STATES: dict[PartState, str] = {
    "working": "⏳",
    "waiting": "⏸",
    "answered": "",
    "needs_you": "✍️",
    "in_review": "👀",
    "done": "✅",
    "rejected": "⛔",
    "refused": "⛔",
    "failed": "⚠️",
    "withdrawn": "🚫",
    "cancelled": "🚫",
    "expired": "⚠️",
}
_TONES: dict[Tone, str] = {"open": "", "good": "✅", "bad": "⛔", "neutral": "▫️"}

Block = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RenderedBlocks:
    """A message's blocks, and whether they show all of it."""

    blocks: list[Block]
    whole: bool

    def fields(self, *notes: str) -> dict[str, Any]:
        """`blocks` and `text` for chat.postMessage and chat.update, with short notes at the end."""
        blocks = [*self.blocks, *(block for note in notes for block in _note(note))]
        return {"blocks": blocks, "text": _fallback(blocks)}


def message(view: MessageView) -> dict[str, Any]:
    """`blocks` and `text` for chat.postMessage and chat.update; both are always there."""
    return render_message(view).fields()


def render_message(view: MessageView) -> RenderedBlocks:
    """Return the message within Slack's limits, with a note on what is left out."""
    card, is_whole = (
        _card(view.card, view.lang, least=_PARTS_LEAST) if view.card else (list[Block](), True)
    )
    room = TOTAL - sum(map(_weight, card))
    parts = fit([c for part in view.parts for c in _part(part)], room, view.lang)
    blocks = _sections(parts)
    if blocks and card:
        blocks.append({"type": "divider"})
    blocks = [*blocks, *card] or [_section("…")]
    return RenderedBlocks(blocks, is_whole and not any(chunk.cut for chunk in parts))


def render_pages(view: MessageView) -> list[RenderedBlocks]:
    """Return the whole message as up to `MOST` messages; the last has the buttons.

    [] when it needs more, or has a line that no message shows whole.
    """
    card = view.card
    sections = _sections([c for part in view.parts for c in _part(part)])
    last: list[Block] = []
    if card is not None:
        head, rest = _above(card), _rows(card.rows)
        problems = [_problem(text) for text in card.problems]
        body = [
            *head,
            *chunks(card.text),
            *_set_apart(problems),
            *_set_apart(rest),
            *_outcome(card),
        ]
        if not _is_whole(card, body):
            return []
        sections += [{"type": "divider"}] if sections and body else []
        sections += _sections(body)
        last = _below(card, view.lang)
    whole = _flow(sections, last) or [[_section("…")]]
    return [RenderedBlocks(blocks, True) for blocks in whole] if len(whole) <= MOST else []


def _flow(blocks: Sequence[Block], last: list[Block]) -> list[list[Block]]:
    """Distribute the blocks over messages, in order; `last` stays together at the end."""
    flowed: list[list[Block]] = [[]]
    for group in (*([block] for block in blocks), last):
        full = sum(map(_weight, [*flowed[-1], *group])) > TOTAL
        if flowed[-1] and group and (full or len(flowed[-1]) + len(group) > BLOCKS):
            flowed.append([])
        flowed[-1] += group
    return [page for page in flowed if page]


def render_plainer(view: MessageView) -> list[RenderedBlocks]:
    """Return the message without mark-up, in several messages; the last has the buttons.

    In pieces, each message is small. Raises PlatformError when it would be too many.
    """
    small = view.plainer == "pieces"
    size_of_piece, most = (PIECE, MOST_PIECES) if small else (SECTION, MOST)
    texts = list(_split(without_turns(plain_document(view)), size_of_piece))
    last = actions(view.card, view.lang) if view.card else []
    at_once = 1 if small else TOTAL // SECTION
    whole = [
        [plain_section(text) for text in texts[first : first + at_once]]
        for first in range(0, len(texts), at_once)
    ] or [[plain_section("…")]]
    if len(whole) > most:
        raise PlatformError(f"{len(whole)} messages would be too many")
    return [RenderedBlocks([*page, *(last if page is whole[-1] else ())], True) for page in whole]


def _split(text: str, limit: int) -> Iterator[str]:
    while text:
        head, text = cut(text, limit)
        if head.strip():
            yield head.rstrip()


def render_brief(card: CardView, lang: Lang) -> list[Block]:
    """Return the blocks of one card of several: all its buttons, its text shortened."""
    blocks, _ = _card(card, lang, least=TOTAL - _BRIEF)
    return blocks


def notice(text: str) -> dict[str, Any]:
    """Return `blocks` and `text` of a notice of plain text."""
    shown = clip(without_turns(text), 2_900) or "…"
    return {"blocks": [plain_section(shown)], "text": cut(literal(shown), FALLBACK)[0]}


def notices(text: str) -> Iterator[dict[str, Any]]:
    """Yield the notice as it is, then plainer each time, to try in turn."""
    whole = notice(text)
    yield whole
    yield {"text": whole["text"]}
    yield {"text": cut(literal(without_turns(text)), _BRIEF_NOTICE)[0] + "…"}


def _part(part: PartView) -> list[Chunk]:
    number = f"*{part.number}.*" if part.number else ""
    head = " ".join(x for x in (number, _STATES[part.state], bold(part.label)) if x)
    body = chunks(part.text)
    if not head:
        return body
    if body and not body[0].code and not part.label:
        styled = (StyledText(f"{number.strip('*')} {_STATES[part.state]}".strip() + " ", _BOLD),)
        text = f"{head} {body[0].text}"
        first = replace(body[0], text=text, tight=False, styled=(*styled, *body[0].styled))
        return [first, *body[1:]]
    if body:
        body = [replace(body[0], tight=True), *body[1:]]
    return [Chunk(head), *body]


def _card(card: CardView, lang: Lang, *, least: int) -> tuple[list[Block], bool]:
    head, outcome, tail = _above(card), _outcome(card), _below(card, lang)
    room = TOTAL - least - size_of([*head, *outcome]) - sum(map(_weight, tail))
    # What would be written counts most: rows are shortened last, the text first.
    rows = fit(_rows(card.rows), room - 1_500, lang)
    problems = fit([_problem(text) for text in card.problems], room - size_of(rows) - 800, lang)
    text = fit(chunks(card.text), room - size_of(rows) - size_of(problems), lang)
    body = [*head, *text, *_set_apart(problems), *_set_apart(rows), *outcome]
    return [*_sections(body), *tail], _is_whole(card, body)


def _above(card: CardView) -> list[Chunk]:
    title = clip(card.title, _TITLE)
    styled = (StyledText(without_turns(title), _BOLD),)
    return (
        [Chunk(bold(title), styled=styled, lossy=is_lossy(title) or "*" in title)]
        if title.strip()
        else []
    )


def _below(card: CardView, lang: Lang) -> list[Block]:
    """Return what is below a card: its buttons, the note, its origin."""
    return [*actions(card, lang), *_note(card.note), *_context(render(card.origin))]


def _is_whole(card: CardView, body: Sequence[Chunk]) -> bool:
    limits = ((card.title, _TITLE), (card.note, _LINE), (card.outcome, _LINE))
    return all(units(text) <= most for text, most in limits) and not any(c.cut for c in body)


def _outcome(card: CardView) -> list[Chunk]:
    if not card.outcome.strip():
        return []
    tone, text = _TONES[card.tone], clip(card.outcome, _LINE)
    styled = (StyledText(f"{tone} {without_turns(text)}".strip()),)
    return [Chunk(f"{tone} {literal(text)}".strip(), styled=styled, lossy=is_lossy(text))]


def _rows(rows: Sequence[Row]) -> list[Chunk]:
    """Return a line for each row, all as mrkdwn or all as rich text."""
    lossy = any(is_lossy(row.label) or "*" in row.label or is_lossy(row.value) for row in rows)
    return [_row(row, lossy=lossy) for row in rows]


def _row(row: Row, *, lossy: bool) -> Chunk:
    url = row.link if row.link.startswith("http") else ""
    shown = link(url, row.value) if url else literal(row.value)
    text = " ".join(filter(None, (bold(row.label), shown)))
    # A value of two lines would pose as two rows.
    label, value = ("↵".join(without_turns(text).splitlines()) for text in (row.label, row.value))
    head = (StyledText(label, _BOLD), StyledText(" ")) if label else ()
    styled = (*head, StyledText(value, url=url))
    return Chunk(text, tight=True, styled=styled, lossy=lossy)


def _problem(text: str) -> Chunk:
    """Return one list item, whatever blocks its Markdown has."""
    found = chunks(text)
    item = "• " + " ".join(c.text for c in found)
    styled = [part for c in found for part in (StyledText(" "), *c.styled)]
    lossy = any(c.lossy for c in found)
    return Chunk(item, tight=True, styled=(StyledText("•"), *styled), lossy=lossy)


def _sections(chunks_shown: Sequence[Chunk]) -> list[Block]:
    """Return the chunks as mrkdwn, or as rich text where mrkdwn would need stand-ins."""
    blocks: list[Block] = []
    for (lossy, quote), group in groupby(chunks_shown, lambda c: (c.lossy, c.lossy and c.quote)):
        each = list(group)
        if not lossy:
            blocks += [_section(text) for text in pack(each)]
            continue
        whole = rich_text.join([c.styled for c in each], [c.tight for c in each])
        blocks += [rich_text.block(page, quote=quote) for page in rich_text.pages(whole, SECTION)]
    return blocks


def _set_apart(items: Sequence[Chunk]) -> list[Chunk]:
    """Return the items below each other, with an empty line before the first."""
    return [replace(c, tight=index > 0) for index, c in enumerate(items)]


def _note(text: str) -> list[Block]:
    shown = clip(text, _LINE)
    if is_lossy(shown):
        return [{"type": "context", "elements": [plain_text(without_turns(shown))]}]
    return _context(literal(shown))


def _context(shown: str) -> list[Block]:
    return [{"type": "context", "elements": [_mrkdwn(shown)]}] if shown else []


def _section(text: str) -> Block:
    return {"type": "section", "text": _mrkdwn(text)}


def plain_section(text: str) -> Block:
    """Return a section that shows the text as it is."""
    return {"type": "section", "text": plain_text(text)}


def _mrkdwn(text: str) -> Block:
    # verbatim: Slack adds no links or mentions of its own to plain words such as @here or #name.
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def _texts(block: Block) -> list[str]:
    if block["type"] == "rich_text":
        parts = [part for element in block["elements"] for part in element["elements"]]
        return [escape("".join(part["text"] for part in parts))]
    held = [block, *block.get("elements", [])]
    texts = [x if isinstance(x.get("text"), str) else x["text"] for x in held if "text" in x]
    # Where the message has no blocks to show, all of it is read as mark-up.
    return [escape(t["text"]) if t["type"] == "plain_text" else str(t["text"]) for t in texts]


def _weight(node: Any) -> int:
    """Return the units of all texts inside, at any depth."""
    if isinstance(node, list):
        return sum(map(_weight, node))
    if not isinstance(node, dict):
        return 0
    own = units(node["text"]) if isinstance(node.get("text"), str) else 0
    return own + sum(map(_weight, node.values()))


def _fallback(blocks: Sequence[Block]) -> str:
    shown = "\n".join(t for b in blocks if b["type"] != "actions" for t in _texts(b))
    return cut(shown, FALLBACK)[0].rstrip() or "…"
