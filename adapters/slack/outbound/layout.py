"""Fitting text into Slack's limits: cut, shorten visibly, pack into sections."""

from collections.abc import Sequence

from adapters.slack.outbound.markdown import Chunk, code_block, join
from cards.clipping import head, units
from cards.model import Lang
from cards.texts import say

SECTION = 3_000
_FENCE = 8
_JOINT = 2


def cut(text: str, limit: int) -> tuple[str, str]:
    """Split rendered text after at most `limit` units, never inside a link or entity."""
    end = len(head(text, limit))
    if end == len(text):
        return text, ""
    for space in (text.rfind("\n", end // 2, end), text.rfind(" ", end // 2, end)):
        if space >= 0:
            end = space + 1
            break
    link = text.rfind("<", 0, end)
    if link > text.rfind(">", 0, end):
        end = link
    entity = text.rfind("&", max(0, end - 5), end)
    if entity >= 0 and ";" not in text[entity:end]:
        end = entity
    return text[:end], text[end:]


def fit(chunks: Sequence[Chunk], budget: int, lang: Lang) -> list[Chunk]:
    """Return as many chunks as `budget` units hold, and a last line that counts the rest."""
    kept: list[Chunk] = []
    room = budget
    for index, chunk in enumerate(chunks):
        need = _chunk_size(chunk)
        if need <= room:
            kept.append(chunk)
            room -= need
            continue
        note_room = units(_note(10**6, lang)) + _JOINT
        head, tail = cut(chunk.text, max(0, room - note_room - _FENCE - _JOINT))
        if head.strip():
            kept.append(Chunk(head, chunk.code, chunk.tight))
        left = units(tail) + sum(units(rest.text) for rest in chunks[index + 1 :])
        return [*kept, Chunk(_note(left, lang), cut=True)]
    return kept


def size_of(chunks: Sequence[Chunk]) -> int:
    """Return the units that these chunks take at most, once packed."""
    return sum(_chunk_size(chunk) for chunk in chunks)


def pack(chunks: Sequence[Chunk], limit: int = SECTION) -> list[str]:
    """Return the chunks as few texts of at most `limit` units each, in order."""
    texts: list[list[tuple[str, bool]]] = [[]]
    for chunk in chunks:
        for piece in _pieces(chunk, limit):
            if units(join([*texts[-1], piece])) > limit:
                texts.append([])
            texts[-1].append(piece)
    return [join(pieces) for pieces in texts if pieces]


def _pieces(chunk: Chunk, limit: int) -> list[tuple[str, bool]]:
    room = limit - _FENCE if chunk.code else limit
    pieces: list[tuple[str, bool]] = []
    head, rest = cut(chunk.text, room)
    while head:
        if head.strip():
            body = code_block(head.rstrip("\n")) if chunk.code else head.rstrip()
            pieces.append((body, chunk.tight))
        head, rest = cut(rest, room)
    return pieces


def _chunk_size(chunk: Chunk) -> int:
    return units(chunk.text) + (_FENCE if chunk.code else 0) + _JOINT


def _note(count: int, lang: Lang) -> str:
    return say("slack.shortened", lang, count=count)
